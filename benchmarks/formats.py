"""How a float32 matrix is sent and the minimum of its rows read back: one Format for each way that a peer speaks."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.client import Request

Matrix = NDArray[np.float32]
JSON_HEADERS = {"Content-Type": "application/json"}
NPY_HEADERS = {"Content-Type": "application/x-npy", "Accept": "application/x-npy"}
OCTETS = {"Content-Type": "application/octet-stream"}
MINIMUM = "/v13/reduce_min"


@dataclass(frozen=True)
class Format:
    """`answer` is None where nothing is reduced."""

    request: Callable[[Matrix], Request]
    answer: Callable[[bytes], NDArray[Any]] | None


def _json(path: str, content: Any) -> Request:
    return Request(path, JSON_HEADERS, json.dumps(content).encode())


def keepdims_json(x: Matrix, path: str = MINIMUM) -> Request:
    """Nested lists of numbers, reduced over axis 1."""
    return _json(path, {"data": {"dtype": "float32", "values": x.tolist()}, **attributes(path)})


def keepdims_base64(x: Matrix, path: str = MINIMUM) -> Request:
    """Base64 in JSON, reduced over axis 1."""
    data = {"dtype": "float32", "shape": x.shape, "base64": b64encode(x.tobytes()).decode()}
    return _json(path, {"data": data, **attributes(path)})


def keepdims_npy(x: Matrix, path: str = MINIMUM) -> Request:
    """A .npy file, attributes in the query."""
    file = BytesIO()
    np.save(file, x)
    return Request(f"{path}?{query(path)}", NPY_HEADERS, file.getvalue())


def attributes(path: str) -> dict[str, Any]:
    """What asks the operator of a path to reduce over axis 1, and to drop it."""
    return {"axis": 1, "keepdims": 0} if "/arg_" in path else {"axes": [1], "keepdims": 0}


def query(path: str) -> str:
    """The same in a query."""
    return "axis=1&keepdims=0" if "/arg_" in path else "axes=1&keepdims=0"


def _keepdims_values(body: bytes) -> NDArray[Any]:
    return np.array(json.loads(body)["reduced"]["values"], np.float32)


def _keepdims_base64(body: bytes) -> NDArray[Any]:
    return np.frombuffer(b64decode(json.loads(body)["reduced"]["base64"]), np.float32)


def _npy(body: bytes) -> NDArray[Any]:
    array: NDArray[Any] = np.load(BytesIO(body), allow_pickle=False)
    return array


def _rows(path: str) -> Callable[[Matrix], Request]:
    return lambda x: _json(path, {"values": x.tolist()})


def _columns_in_query(x: Matrix) -> Request:
    return Request(f"/binary?columns={x.shape[1]}", OCTETS, x.tobytes())


def _columns_in_front(x: Matrix) -> Request:
    return Request("/binary", OCTETS, x.shape[1].to_bytes(8, "little") + x.tobytes())


def _octets(body: bytes) -> NDArray[Any]:
    return np.frombuffer(body, np.float32)


INFER = "/v2/models/reduce_min/infer"


def _open_inference(x: Matrix) -> Request:
    data = {"name": "data", "shape": x.shape, "datatype": "FP32", "data": x.reshape(-1).tolist()}
    return _json(INFER, {"inputs": [data]})


def _open_inference_base64(x: Matrix) -> Request:
    raw = {"name": "data", "shape": [1], "datatype": "BYTES", "parameters": {"content_type": "base64"}}
    columns = {"name": "columns", "shape": [1], "datatype": "INT64", "data": [x.shape[1]]}
    return _json(INFER, {"inputs": [raw | {"data": [b64encode(x.tobytes()).decode()]}, columns]})


def _open_inference_binary(x: Matrix, **parameters: Any) -> Request:
    data = {"name": "data", "shape": x.shape, "datatype": "FP32", "parameters": {"binary_data_size": x.nbytes}}
    outputs = [{"name": "reduced", "parameters": {"binary_data": True}}]
    header = json.dumps({"inputs": [data], "outputs": outputs, "parameters": parameters}).encode()
    return Request(INFER, OCTETS | {"Inference-Header-Content-Length": str(len(header))}, header + x.tobytes())


def _reducing_inference(x: Matrix) -> Request:
    return _open_inference_binary(x, **attributes(INFER))


def in_region(inference: Request, name: str) -> Request:
    """An inference whose tensor is not behind the JSON, but in a region of shared memory."""
    asked = json.loads(inference.body[: int(inference.headers["Inference-Header-Content-Length"])])
    parameters = asked["inputs"][0]["parameters"]
    parameters |= {"shared_memory_region": name, "shared_memory_byte_size": parameters.pop("binary_data_size")}
    return _json(INFER, asked)


def _open_inference_values(body: bytes) -> NDArray[Any]:
    return np.array(json.loads(body)["outputs"][0]["data"], np.float32)


def _open_inference_octets(body: bytes) -> NDArray[Any]:
    end = body.index(b"}]}") + 3  # of the one output that the header describes
    return np.frombuffer(body, np.float32, offset=end)


UNREAD_JSON = Format(keepdims_json, None)
UNREAD_BASE64 = Format(keepdims_base64, None)
UNREAD_NPY = Format(keepdims_npy, None)
JSON = Format(keepdims_json, _keepdims_values)
BASE64 = Format(keepdims_base64, _keepdims_base64)
NPY = Format(keepdims_npy, _npy)
ROWS = Format(_rows("/json"), lambda body: np.array(json.loads(body), np.float32))
REDUCED_ROWS = Format(_rows("/json"), lambda body: np.array(json.loads(body)["reduced"], np.float32))
RAW_COLUMNS_IN_QUERY = Format(_columns_in_query, _octets)
RAW_COLUMNS_IN_FRONT = Format(_columns_in_front, _octets)
OPEN_INFERENCE = Format(_open_inference, _open_inference_values)
OPEN_INFERENCE_BASE64 = Format(_open_inference_base64, _open_inference_values)
OPEN_INFERENCE_BINARY = Format(_open_inference_binary, _open_inference_octets)
REDUCING_INFERENCE = Format(_reducing_inference, _open_inference_octets)
