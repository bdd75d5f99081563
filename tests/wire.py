"""Tensors as the JSON this service speaks, written and read without its own code."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from json import dumps
from math import isfinite, isnan
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from tests.cases import array

Encoding = Literal["values", "base64"]


def request_body(dtype: str, values: NDArray[Any], fields: Mapping[str, Any], encoding: Encoding) -> bytes:
    """A request: the tensor, flat with its shape, and the fields beside it."""
    data: dict[str, Any] = {"dtype": dtype, "shape": list(values.shape)}
    if encoding == "base64":
        little = values.astype(values.dtype.newbyteorder("<")) if values.dtype.itemsize > 1 else values
        data["base64"] = b64encode(little.tobytes()).decode()
    else:
        data["values"] = [_spelled(value) for value in values.reshape(-1).tolist()]
    return dumps({"data": data, **fields}, allow_nan=False).encode()


def _spelled(value: Any) -> Any:
    if not isinstance(value, float) or isfinite(value):
        return value
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def read_answer(body: Mapping[str, Any], encoding: Encoding) -> tuple[str, NDArray[Any]]:
    """dtype and elements of an answer in the encoding it was asked in."""
    (answer,) = body.values()
    assert set(body) == {"reduced"}
    assert set(answer) == {"dtype", "shape", encoding}
    dtype, shape = answer["dtype"], answer["shape"]
    if encoding == "base64":
        return dtype, np.frombuffer(b64decode(answer["base64"], validate=True), NUMPY_DTYPES[dtype]).reshape(shape)
    return dtype, array(dtype, shape, _flat(answer["values"], len(shape)))


def _flat(values: Any, rank: int) -> list[Any]:
    return [values] if rank == 0 else [value for part in values for value in _flat(part, rank - 1)]
