"""Short bodies: one look by orjson, its answer taken where nothing in it can have been bent.

orjson takes the last of a key given twice, and integers beyond 64 bits for floats; NumPy takes texts, bools and None
for numbers. So keys are counted against colons, and the types of all values are looked at.
"""

import re
from itertools import chain
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.tensors.narrowing import narrow
from app.tensors.skeleton import Members, Unusual

SHORT = 1 << 12
"""Bytes up to which a body is short."""

_MINUS_ZERO = re.compile(rb"-0[^.0-9eE]")
_PARAMETERS = {int, list}
_INTEGER = {int}
_BOOL = {bool}
_NUMBERS = {int, float}


def members(body: bytes) -> Members:
    """The members of a short body, each given once and an integer or a list of them but for `data` and `answer`."""
    try:
        found: Members = orjson.loads(body)
        data = found["data"]
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
    if body.count(b":") != keys or (b"-0" in body and _MINUS_ZERO.search(body)):
        raise Unusual
    return found


def read(nested: object, dtype: str) -> NDArray[Any]:
    """The tensor that nested lists say, in the shape of their nesting; Unusual if it takes a closer look."""
    kind = NUMPY_DTYPES[dtype]
    is_float = kind.kind not in "iub"
    try:
        values: NDArray[Any] = np.array(nested, np.float64 if is_float else kind)
    except (ValueError, TypeError, OverflowError):
        raise Unusual from None
    elements: Any = nested
    for _ in range(values.ndim - 1):
        elements = chain.from_iterable(elements)
    types = set(map(type, elements)) if values.ndim else {type(nested)}
    if not types <= (_NUMBERS if is_float else _BOOL if dtype == "bool" else _INTEGER):
        raise Unusual
    if is_float and dtype != "float64":
        values, doubtful = narrow(values, dtype)
        if doubtful.size:
            raise Unusual
    return values
