"""Elements of a tensor as Python objects, of any kind and size -> their dtype, exactly or not at all."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from json import dumps
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.errors import InvalidElement
from app.names import Bare, shown
from app.tensors.narrowing import narrow, narrow_text

NOT_FINITE = ("NaN", "Infinity", "-Infinity")

_DIGITS = re.compile("-?(0|[1-9][0-9]*)")
_PADDED = re.compile("-?0[0-9]+")

_DIGITS_OF_ANY = 20
"""So many the longest integers of all dtypes have."""

Place = Callable[[int], str]
"""The JSON pointer of an element, by where it stands among those that are converted."""


class Integer(str, Bare):
    """The text of a number without fraction and exponent."""

    __slots__ = ()


class Huge(Integer):
    """One that no dtype holds, with a fraction or an exponent though it is an integer."""

    __slots__ = ()


class Real(str, Bare):
    """The text of a number with a fraction or an exponent."""

    __slots__ = ()


class Word(str, Bare):
    """NaN, Infinity or -Infinity, as a bare token."""

    __slots__ = ()


def as_integer(number: Real) -> Integer | None:
    """The integer that a number is; None if it is none."""
    mantissa, _, exponent = number.lower().partition("e")
    if not mantissa.strip("-0."):
        return Integer("0")
    try:
        exact = Decimal(number)
    except InvalidOperation:  # an exponent of more than 18 digits
        return None if exponent.startswith("-") else Huge(number)
    if exact != exact.to_integral_value():
        return None
    return Integer(int(exact)) if exact.adjusted() < _DIGITS_OF_ANY else Huge(number)


def convert(elements: Sequence[Any], dtype: str, place: Place) -> NDArray[Any]:
    """Integers, Reals, Words, texts, bools, None and dicts as an array; InvalidElement for the first that is not of
    dtype."""
    if dtype == "bool":
        return _bools(elements, place)
    if NUMPY_DTYPES[dtype].kind in "iu":
        return _integers(elements, dtype, place)
    return _floats(elements, dtype, place)


def _bools(elements: Sequence[Any], place: Place) -> NDArray[Any]:
    for index, element in enumerate(elements):
        if not isinstance(element, bool):
            raise InvalidElement(f"{shown(element)} is not a bool; use true or false", place(index))
    return np.array(elements, np.bool_)


def _integers(elements: Sequence[Any], dtype: str, place: Place) -> NDArray[Any]:
    info = np.iinfo(NUMPY_DTYPES[dtype])
    longest = len(str(info.min or info.max))
    integers: list[int] = []
    for index, element in enumerate(elements):
        if not (isinstance(element, Integer) or (info.bits == 64 and _is_digits(element))):
            raise InvalidElement(_no_integer(element, dtype), place(index))
        if isinstance(element, Huge) or len(element) > longest or not info.min <= (integer := int(element)) <= info.max:
            said = f"{shown(element)} is outside the range of {dtype}, {info.min} to {info.max}"
            raise InvalidElement(said, place(index))
        integers.append(integer)
    return np.array(integers, NUMPY_DTYPES[dtype])


def _no_integer(element: object, dtype: str) -> str:
    """Why an element is not what an integer dtype takes."""
    if isinstance(element, Real):
        how = ", written without fraction or exponent" if as_integer(element) is not None else ""
        return f"{dtype} takes only integers{how}; got {shown(element)}"
    if _is_digits(element):
        return f"{dtype} takes only numbers, got the text {shown(element)}; only int64 and uint64 may be text"
    if type(element) is str and _PADDED.fullmatch(element):
        return f"{dtype} takes only integers without leading zeros; got {shown(element)}"
    return f"{dtype} takes only integers; got {shown(element)}"


def _is_digits(element: object) -> bool:
    return type(element) is str and _DIGITS.fullmatch(element) is not None


def _floats(elements: Sequence[Any], dtype: str, place: Place) -> NDArray[Any]:
    for index, element in enumerate(elements):
        if not (isinstance(element, Integer | Real) or (isinstance(element, str) and element in NOT_FINITE)):
            accepted = ", ".join(map(dumps, NOT_FINITE))
            raise InvalidElement(f"{shown(element)} is not a {dtype}; use a number or one of {accepted}", place(index))
    wide = np.array([float(element) for element in elements], np.float64)
    values, doubtful = narrow(wide, dtype)
    for index in doubtful.tolist():
        values[index] = narrow_text(elements[index], dtype)
    for index in np.flatnonzero(np.isinf(values)).tolist():
        if elements[index] not in NOT_FINITE:
            raise InvalidElement(f"{shown(elements[index])} is too large for {dtype}", place(index))
    return values
