"""application/json out: {"reduced": {"dtype", "shape", "values" | "base64"}}."""

import re
from itertools import accumulate
from operator import mul
from typing import Any

import numpy as np
import orjson
import pybase64
from numpy.typing import NDArray

from app.blocks import Tensor
from app.tensors.request import AnswerOptions


def encode(tensor: Tensor, answer: AnswerOptions) -> bytes:
    """The tensor as JSON, its elements spelled so that they read back to the same bits."""
    dtype, shape = tensor.header.dtype, tensor.header.shape
    if answer.encoding == "base64":
        text = pybase64.b64encode(np.ascontiguousarray(tensor.values).reshape(-1).view(np.uint8).data)
        return b'{"reduced":{"dtype":"%b","shape":%b,"base64":"%b"}}' % (dtype.encode(), orjson.dumps(shape), text)
    text = elements(tensor.values, dtype, _QUOTED)
    if answer.integers == "string" and dtype in ("int64", "uint64"):
        text = _INTEGER.sub(rb'"\g<0>"', text)
    return b'{"reduced":{"dtype":"%b","shape":%b,"values":%b}}' % (dtype.encode(), orjson.dumps(shape), text)


def elements(values: NDArray[Any], dtype: str, names: tuple[bytes, bytes, bytes]) -> bytes:
    """Nested lists of elements, a bare element for rank 0; `names` are those of NaN, infinity and minus infinity."""
    if dtype in ("float16", "bfloat16"):  # exact, and orjson writes the fewest digits that tell float32s apart
        values = values.astype(np.float32)
    text = _spelled(values)
    return _with_names(text, values, names) if values.dtype.kind == "f" and b"null" in text else text


_QUOTED = (b'"NaN"', b'"Infinity"', b'"-Infinity"')

_LISTS = 1 << 14
"""Lists that are written at once: orjson holds some 500 bytes for each, however little stands in it."""


def _spelled(values: NDArray[Any]) -> bytes:
    """Nested lists; a bare element for rank 0."""
    if values.ndim == 0:
        return orjson.dumps(values[()], option=orjson.OPT_SERIALIZE_NUMPY)
    lists = sum(accumulate(values.shape[:-1], mul, initial=1)) if values.ndim > 1 else 1
    if lists <= _LISTS:
        return orjson.dumps(np.ascontiguousarray(values), option=orjson.OPT_SERIALIZE_NUMPY)
    step = len(values) * _LISTS // lists
    if step:
        parts = (_spelled(values[start : start + step])[1:-1] for start in range(0, len(values), step))
    else:
        parts = (_spelled(part) for part in values)
    return b"[" + b",".join(parts) + b"]"


def _with_names(text: bytes, values: NDArray[Any], names: tuple[bytes, bytes, bytes]) -> bytes:
    """NaN and the infinities by name, each in the place of the null that orjson wrote for it."""
    pieces = text.split(b"null")
    unnamed = values[~np.isfinite(values)]
    nan, infinity, minus = names
    found = np.select([np.isnan(unnamed), unnamed > 0], [nan, infinity], minus).tolist()
    joined = [pieces[0]]
    for name, piece in zip(found, pieces[1:], strict=True):
        joined += (name, piece)
    return b"".join(joined)


_INTEGER = re.compile(rb"-?\d+")
