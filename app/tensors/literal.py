"""Any text of a tensor, read element by element and exactly. Every refusal of an element comes from here."""

import re
from collections.abc import Sequence
from json import dumps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.errors import InvalidElement
from app.tensors.narrowing import narrow, narrow_text
from app.tensors.nesting import flatten, place
from app.tensors.skeleton import Integer, Real

NOT_FINITE = ("NaN", "Infinity", "-Infinity")

_DIGITS = re.compile("-?(0|[1-9][0-9]*)")


def read(nested: object, dtype: str) -> NDArray[Any]:
    """The tensor that nested lists of literals say, in the shape of their nesting.

    Refused with InvalidElement, RaggedNesting or InvalidShape.
    """
    elements, shape = flatten(nested)
    if dtype == "bool":
        values = _bools(elements, shape)
    elif NUMPY_DTYPES[dtype].kind in "iu":
        values = _integers(elements, shape, dtype)
    else:
        values = _floats(elements, shape, dtype)
    return values.reshape(shape)


def _bools(elements: Sequence[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    for index, element in enumerate(elements):
        if not isinstance(element, bool):
            raise InvalidElement(f"{_shown(element)} is not a bool, which is true or false", place(index, shape))
    return np.array(elements, np.bool_)


def _integers(elements: Sequence[Any], shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    info = np.iinfo(NUMPY_DTYPES[dtype])
    longest = len(str(info.min or info.max))
    integers: list[int] = []
    for index, element in enumerate(elements):
        if not (isinstance(element, Integer) or (info.bits == 64 and _is_digits(element))):
            raise InvalidElement(f"{_shown(element)} {_no_integer(element, dtype)}", place(index, shape))
        if len(element) > longest or not info.min <= (integer := int(element)) <= info.max:
            said = f"{_shown(element)} is outside the range of {dtype}, {info.min} to {info.max}"
            raise InvalidElement(said, place(index, shape))
        integers.append(integer)
    return np.array(integers, NUMPY_DTYPES[dtype])


def _no_integer(element: object, dtype: str) -> str:
    """Why an element is not what an integer dtype takes."""
    if isinstance(element, Real):
        return f"is not an integer without fraction and exponent, and {dtype} takes nothing else"
    if _is_digits(element):
        return f"is text, and {dtype} takes numbers; only int64 and uint64 may be text"
    return f"is no integer, and {dtype} takes nothing else"


def _is_digits(element: object) -> bool:
    return type(element) is str and _DIGITS.fullmatch(element) is not None


def _floats(elements: Sequence[Any], shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    for index, element in enumerate(elements):
        if not (isinstance(element, Integer | Real) or (isinstance(element, str) and element in NOT_FINITE)):
            accepted = ", ".join(NOT_FINITE)
            raise InvalidElement(
                f"{_shown(element)} is not a {dtype}: a number, or the text {accepted}", place(index, shape)
            )
    wide = np.array([float(element) for element in elements], np.float64)
    values, doubtful = narrow(wide, dtype)
    for index in doubtful.tolist():
        values[index] = narrow_text(elements[index], dtype)
    for index in np.flatnonzero(np.isinf(values)).tolist():
        if elements[index] not in NOT_FINITE:
            raise InvalidElement(f"{_shown(elements[index])} is too large for {dtype}", place(index, shape))
    return values


def _shown(element: object) -> str:
    """An element as JSON writes it, cut if that is long."""
    if isinstance(element, dict):
        return "an object"
    text = str(element) if isinstance(element, Integer | Real) else dumps(element)
    return text if len(text) <= 40 else f"{text[:30]}… ({len(text)} characters)"
