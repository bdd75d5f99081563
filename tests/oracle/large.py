"""Exact sums of millions of floats: mantissas cut into limbs, counted by exponent in sums too short to round."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle.formats import FORMATS, Format

LIMB = 27
"""Bits of a limb. 2**26 of them still sum below 2**53, without rounding."""

PIECE = 1 << 16
"""Elements that are taken apart at once, so that they stay in a cache."""


def right_bits(operator: str, dtype: str, values: NDArray[Any]) -> int:
    """The bits of a sum, mean or norm of one set of finite elements whose sum is not zero."""
    format = FORMATS[dtype]
    if operator == "ReduceL2":
        return format.rounded_root(*exact_total(dtype, values, 2))
    total, exponent = exact_total(dtype, values, 2 if operator == "ReduceSumSquare" else 1, operator == "ReduceL1")
    return format.rounded(total, exponent, values.size if operator == "ReduceMean" else 1)


def exact_total(dtype: str, values: NDArray[Any], power: int = 1, absolute: bool = False) -> tuple[int, int]:
    """(m, e) with m * 2**e the exact sum of the (absolute) values or squares of up to 2**26 finite elements."""
    format = FORMATS[dtype]
    bits = np.ascontiguousarray(values).reshape(-1).view(f"u{values.dtype.itemsize}")
    fields = 1 << (format.width - 1 - format.fraction)
    counted: dict[int, NDArray[Any]] = {}
    for start in range(0, bits.size, PIECE):
        exponents, limbs = _limbs(format, bits[start : start + PIECE].astype(np.uint64), power, absolute)
        for limb, place in limbs:
            sums: NDArray[Any] = np.bincount(exponents, weights=limb, minlength=fields)
            counted[place] = counted[place] + sums if place in counted else sums
    total = 0
    for place, sums in counted.items():
        total += sum(int(value) << (power * (exponent - 1) + place) for exponent, value in enumerate(sums) if value)
    return total, power * format.smallest


def _limbs(
    format: Format, bits: NDArray[np.uint64], power: int, absolute: bool
) -> tuple[NDArray[np.int64], list[tuple[NDArray[np.int64], int]]]:
    """Of each element the exponent field, at least 1, and limbs with the power of two that they count by."""
    magnitudes = bits & np.uint64(format.unsigned)
    exponents = (magnitudes >> np.uint64(format.fraction)).astype(np.int64)
    mantissas = (magnitudes & np.uint64((1 << format.fraction) - 1)).astype(np.int64)
    mantissas |= (exponents > 0).astype(np.int64) << format.fraction
    low, high = mantissas & ((1 << LIMB) - 1), mantissas >> LIMB
    if power == 1:
        sign = 1 if absolute else 1 - 2 * (bits != magnitudes).astype(np.int64)
        limbs = [(sign * low, 0), (sign * high, LIMB)]
    else:
        limbs = []
        for product, place in ((low * low, 0), (low * high, LIMB + 1), (high * high, 2 * LIMB)):
            limbs += [(product & ((1 << LIMB) - 1), place), (product >> LIMB, place + LIMB)]
    return np.maximum(exponents, 1), limbs
