"""Requests and answers of the Open Inference Protocol, written and read without the service's own code."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES

DATATYPES = {
    "bool": "BOOL",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "uint8": "UINT8",
    "uint16": "UINT16",
    "uint32": "UINT32",
    "uint64": "UINT64",
    "float16": "FP16",
    "bfloat16": "BF16",
    "float32": "FP32",
    "float64": "FP64",
}
DTYPES = {datatype: dtype for dtype, datatype in DATATYPES.items()}

LENGTH = "Inference-Header-Content-Length"


def tensor(name: str, dtype: str, values: NDArray[Any], binary: bool) -> tuple[dict[str, Any], bytes]:
    """An input, and the bytes of it that follow the JSON."""
    described: dict[str, Any] = {"name": name, "shape": list(values.shape), "datatype": DATATYPES[dtype]}
    if not binary:
        return {**described, "data": values.reshape(-1).tolist()}, b""
    little = values.astype(values.dtype.newbyteorder("<")) if values.dtype.itemsize > 1 else values
    return {**described, "parameters": {"binary_data_size": little.nbytes}}, little.tobytes()


def request(
    dtype: str,
    values: NDArray[Any],
    fields: Mapping[str, Any],
    binary: bool = False,
    binary_answer: bool = False,
    axes_last: bool = False,
) -> tuple[bytes, dict[str, str]]:
    """Body and headers of a request: axes are an input, all other fields parameters."""
    parameters = {name: value for name, value in fields.items() if name != "axes" and value is not None}
    inputs = [tensor("data", dtype, values, binary)]
    if (axes := fields.get("axes")) is not None:
        inputs.insert(len(inputs) if axes_last else 0, tensor("axes", "int64", np.array(axes, np.int64), binary))
    outputs = [{"name": "reduced", "parameters": {"binary_data": binary_answer}}]
    return packed({"inputs": [item for item, _ in inputs], "outputs": outputs, "parameters": parameters}, inputs)


def packed(members: Mapping[str, Any], inputs: Sequence[tuple[Any, bytes]]) -> tuple[bytes, dict[str, str]]:
    """Body and headers from members and the raw tensors behind them."""
    text = json.dumps(members).encode()
    raw = b"".join(part for _, part in inputs)
    return text + raw, {LENGTH: str(len(text))} if raw else {}


def infer_path(name: str, version: int | None = None) -> str:
    """The path of a model, or of one of its versions."""
    return f"/v2/models/{name}/infer" if version is None else f"/v2/models/{name}/versions/{version}/infer"


def read_answer(content: bytes, headers: Mapping[str, str]) -> tuple[str, NDArray[Any]]:
    """dtype and elements of an answer."""
    length = int(headers.get(LENGTH, len(content)))
    (output,) = json.loads(content[:length])["outputs"]
    assert output["name"] == "reduced"
    dtype = DTYPES[output["datatype"]]
    if "parameters" in output:
        assert output["parameters"] == {"binary_data_size": len(content) - length}
        assert "data" not in output
        values = np.frombuffer(content[length:], NUMPY_DTYPES[dtype])
    else:
        assert length == len(content)
        values = np.array(output["data"], np.float64 if "float" in dtype else NUMPY_DTYPES[dtype])
        values = values.astype(NUMPY_DTYPES[dtype])
    return dtype, values.reshape(output["shape"])
