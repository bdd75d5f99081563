"""Any operator over any axes of an array, and how an answer is held against what is expected."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle import floats, integers, logarithms
from tests.oracle.formats import FORMATS, Format

FLOAT: dict[str, Callable[[Format, list[int]], floats.Allowed]] = {
    "ReduceSum": floats.sum_,
    "ReduceMean": floats.mean,
    "ReduceProd": floats.prod,
    "ReduceL1": floats.l1,
    "ReduceL2": floats.l2,
    "ReduceSumSquare": floats.sum_square,
    "ReduceLogSum": logarithms.log_sum,
    "ReduceLogSumExp": logarithms.log_sum_exp,
    "ReduceMin": floats.minimum,
    "ReduceMax": floats.maximum,
}
UNTOUCHED = ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceMin", "ReduceMax", "ReduceLogSumExp")
"""Operators that leave an element as it is where nothing is reduced."""


class NoAnswer(Exception):
    """There is no answer: the application must refuse."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What must come back: dtype, shape and, for each output in row-major order, the least and greatest key allowed.

    Keys are integers themselves, and `Format.key` of a float's bits, so that -0.0 and +0.0 differ.
    """

    dtype: str
    shape: tuple[int, ...]
    allowed: list[floats.Allowed]

    def complaint(self, dtype: str, values: NDArray[Any]) -> str | None:
        """What is wrong with an answer; None if nothing is."""
        if (dtype, values.shape) != (self.dtype, self.shape):
            return f"got {dtype} {values.shape}, expected {self.dtype} {self.shape}"
        for index, (key, (low, high)) in enumerate(zip(_keys(dtype, values), self.allowed, strict=True)):
            if not low <= key <= high:
                return f"output {index} is {self.spell(key)}, expected {self.spell(low)} to {self.spell(high)}"
        return None

    def assert_matches(self, dtype: str, values: NDArray[Any]) -> None:
        assert (wrong := self.complaint(dtype, values)) is None, wrong

    def spell(self, key: int) -> str:
        if self.dtype not in FORMATS:
            return str(key)
        format = FORMATS[self.dtype]
        bits = format.from_key(key)
        if format.is_nan(bits) or format.is_infinite(bits):
            return hex(bits)
        mantissa, exponent = format.parts(bits)
        return f"{hex(bits)} = {mantissa} * 2**{exponent}"


def bits_of(values: NDArray[Any]) -> list[int]:
    """The bits of floats, row-major."""
    flat: list[int] = np.ascontiguousarray(values).reshape(-1).view(f"u{values.dtype.itemsize}").tolist()
    return flat


def _keys(dtype: str, values: NDArray[Any]) -> list[int]:
    if dtype in FORMATS:
        return list(map(FORMATS[dtype].key, bits_of(values)))
    return [int(value) for value in values.reshape(-1).tolist()]


def expect(
    operator: str,
    dtype: str,
    values: NDArray[Any],
    axes: tuple[int, ...],
    keepdims: bool = True,
    last: bool = False,
    elementwise: bool = False,
) -> Expected:
    """The answer of an operator (`ReduceMin`) over sorted, non-negative axes; NoAnswer where there is none."""
    if elementwise:
        return _elementwise(operator, dtype, values)
    shape = tuple(1 if axis in axes else size for axis, size in enumerate(values.shape) if keepdims or axis not in axes)
    kept = [axis for axis in range(values.ndim) if axis not in axes]
    outputs = prod(values.shape[axis] for axis in kept)
    count = prod(values.shape[axis] for axis in axes)
    rows = _integers(dtype, np.transpose(values, (*kept, *axes)).reshape(outputs, count))
    if operator.startswith("Arg"):
        return Expected("int64", shape, [_position(operator, dtype, row, last) for row in rows])
    return Expected(dtype, shape, [_one(operator, dtype, row) if count else _empty(operator, dtype) for row in rows])


def _integers(dtype: str, values: NDArray[Any]) -> list[list[int]]:
    """Elements, or the bits of floats, as nested lists of the same shape."""
    array = np.ascontiguousarray(values)
    found: list[list[int]] = (array.view(f"u{values.dtype.itemsize}") if dtype in FORMATS else array).tolist()
    return found


def _one(operator: str, dtype: str, row: list[int]) -> floats.Allowed:
    if dtype in FORMATS:
        return FLOAT[operator](FORMATS[dtype], row)
    value = integers.INTEGER[operator](row)
    if value is None:
        raise NoAnswer(f"{operator} of these {dtype} elements")
    key = integers.wrapped(dtype, int(value))
    return key, key


def _elementwise(operator: str, dtype: str, values: NDArray[Any]) -> Expected:
    if operator in UNTOUCHED:
        return Expected(dtype, values.shape, [(key, key) for key in _keys(dtype, values)])
    rows = _integers(dtype, values.reshape(-1, 1))
    return Expected(dtype, values.shape, [_one(operator, dtype, row) for row in rows])


def _position(operator: str, dtype: str, row: list[int], last: bool) -> floats.Allowed:
    if not row:
        raise NoAnswer(f"{operator} of an empty set")
    keys = floats.position_keys(FORMATS[dtype], row, operator == "ArgMin") if dtype in FORMATS else row
    extreme = min(keys) if operator == "ArgMin" else max(keys)
    index = len(keys) - 1 - keys[::-1].index(extreme) if last else keys.index(extreme)
    return index, index


def _empty(operator: str, dtype: str) -> floats.Allowed:
    """The answer for an empty set."""
    if operator in ("ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare"):
        key = 0
    elif dtype in FORMATS:
        format = FORMATS[dtype]
        minus_infinity = format.infinity | format.sign_bit
        key = format.key(
            {
                "ReduceProd": format.rounded(1, 0),
                "ReduceMin": format.infinity,
                "ReduceMax": minus_infinity,
                "ReduceMean": format.nan,
                "ReduceLogSum": minus_infinity,
                "ReduceLogSumExp": minus_infinity,
            }[operator]
        )
    elif operator in ("ReduceProd", "ReduceMin", "ReduceMax"):
        low, high = integers.bounds(dtype)
        key = {"ReduceProd": 1, "ReduceMin": high, "ReduceMax": low}[operator]
    else:
        raise NoAnswer(f"{operator} of an empty set of {dtype}")
    return key, key
