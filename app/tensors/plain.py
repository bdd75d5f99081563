"""The usual text of a tensor: nested lists of numbers that its dtype holds, without a NaN among them.

orjson and NumPy read it with no Python code per element. Each is more lenient than we are, so what they would bend
into shape is declined beforehand, and `literal` has the word.
"""

import re
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.tensors.narrowing import narrow, narrow_text
from app.tensors.skeleton import Unusual

_MINUS_ZERO = re.compile(rb"-0[,\] \t\r\n]")


def read(text: bytes, dtype: str) -> NDArray[Any]:
    """The tensor that a list's text says, in the shape of its nesting; Unusual if that takes a closer look."""
    try:
        nested = orjson.loads(text)
        if dtype == "bool":
            return _bools(nested)
        if b"t" in text or b"f" in text or b"n" in text:  # true, false and null would become 1, 0 and NaN
            raise Unusual
        if NUMPY_DTYPES[dtype].kind in "iu":
            return _integers(text, nested, dtype)
        return _floats(text, nested, dtype)
    except (ValueError, OverflowError):  # no JSON, ragged, or out of range
        raise Unusual from None


def _bools(nested: object) -> NDArray[Any]:
    values = np.array(nested)
    if values.dtype != np.bool_ and values.size:
        raise Unusual
    return values.astype(np.bool_)


def _integers(text: bytes, nested: object, dtype: str) -> NDArray[Any]:
    if b"." in text or b"e" in text or b"E" in text:
        raise Unusual
    values = np.array(nested, NUMPY_DTYPES[dtype])
    # orjson reads integers beyond 64 bits as floats. NumPy refuses them all, but for those that round to -2**63.
    if dtype == "int64" and values.size and values.min() == np.iinfo(np.int64).min:
        raise Unusual
    return values


def _floats(text: bytes, nested: object, dtype: str) -> NDArray[Any]:
    wide = np.array(nested, np.float64)
    if b"-0" in text and np.count_nonzero(wide) < wide.size and _MINUS_ZERO.search(text):  # the integer 0 has no sign
        raise Unusual
    values, doubtful = narrow(wide, dtype)
    if doubtful.size:
        numbers = text.translate(None, b"[] \t\r\n").split(b",")
        for index in doubtful.tolist():
            values.flat[index] = value = narrow_text(numbers[index].decode(), dtype)
            if np.isinf(value):
                raise Unusual
    return values
