"""Short bodies: one look by orjson, its answer taken where nothing in it can have been bent.

orjson takes the last of a key given twice, and integers beyond 64 bits for floats, and does not look at all digits of
a very long number; NumPy takes texts, bools and None for numbers. So keys are counted against colons, and the types of
all values are looked at.
"""

import re
from itertools import chain
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES, Block, Header
from app.tensors.narrowing import LIMITS, narrow
from app.tensors.numerals import looked_through
from app.tensors.request import Request
from app.tensors.skeleton import Members, Unusual

SHORT = 1 << 12
"""Bytes up to which a body is short."""

_LARGEST = LIMITS["float32"][0]
_MINUS_ZERO = re.compile(rb"-0[^.0-9eE]")
_INTEGER = {int}
_BOOL = {bool}
_NUMBERS = {int, float}


def bent(text: bytes) -> bool:
    """Whether orjson may give another number than the text has: minus zero without its sign where it is written as an
    integer, or a very long one."""
    return (b"-0" in text and _MINUS_ZERO.search(text) is not None) or not looked_through(text)


def members(body: bytes) -> Members:
    """The members of a short body, each given once and an integer or a list of them but for `data` and `answer`."""
    try:
        found: Members = orjson.loads(body)
        data = found["data"]
        if type(data) is not dict:
            raise Unusual
        keys = len(found) + len(data)
        for name, value in found.items():
            if type(value) is dict:
                if name == "answer":
                    keys += len(value)
                elif name != "data":
                    raise Unusual
            elif type(value) is not int and (type(value) is not list or not _INTEGER.issuperset(map(type, value))):
                raise Unusual
    except (ValueError, TypeError, KeyError):
        raise Unusual from None
    if body.count(b":") != keys or bent(body):
        raise Unusual
    return found


def request(found: Members) -> Request | None:
    """What the members of a short body ask for, where they are a tensor in values with nothing unusual about it."""
    data = found["data"]
    dtype, values, shape = data.get("dtype"), data.get("values"), data.get("shape")
    if type(dtype) is not str or dtype not in NUMPY_DTYPES or values is None or "answer" in found:
        return None
    if len(data) != (2 if shape is None else 3) or (shape is None and "shape" in data):
        return None
    array = read(values, dtype)
    if shape is not None and not (
        type(shape) is list and _INTEGER.issuperset(map(type, shape)) and tuple(shape) == array.shape
    ):
        return None
    del found["data"]
    return Request(Header(dtype, array.shape), (Block(0, array.reshape(-1)),), found)


def read(nested: object, dtype: str) -> NDArray[Any]:
    """The tensor that nested lists say, in the shape of their nesting; Unusual if it takes a closer look."""
    kind = NUMPY_DTYPES[dtype]
    is_float = kind.kind not in "iub"
    try:
        elements = _flat(nested)
        if not set(map(type, elements)) <= (_NUMBERS if is_float else _BOOL if dtype == "bool" else _INTEGER):
            raise Unusual
        if dtype == "float32" and elements and min(elements) >= -_LARGEST and max(elements) <= _LARGEST:
            values: NDArray[Any] = np.array(nested, kind)
            if values.tolist() == nested:  # no rounding at all: most short bodies have short numbers
                return values
        values = np.array(nested, np.float64 if is_float else kind)
    except (ValueError, TypeError, OverflowError):
        raise Unusual from None
    if not is_float:
        return values
    values, doubtful = narrow(values, dtype)
    if doubtful.size:
        raise Unusual
    return values


def _flat(nested: Any) -> list[Any]:
    """The elements of nested lists; or something else, where they are no such lists."""
    flat = nested if type(nested) is list else [nested]
    while flat and type(flat[0]) is list:
        flat = list(chain.from_iterable(flat))
    return flat
