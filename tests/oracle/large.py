"""Exact sums of millions of floats: mantissas cut into limbs, counted by exponent in sums too short to round."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.oracle.formats import FORMATS

LIMB = 27
"""Bits of a limb. 2**26 of them still sum below 2**53, without rounding."""


def exact_total(dtype: str, values: NDArray[Any], power: int = 1, absolute: bool = False) -> tuple[int, int]:
    """(m, e) with m * 2**e the exact sum of the (absolute) values or squares of up to 2**26 finite elements."""
    format = FORMATS[dtype]
    bits = np.ascontiguousarray(values).reshape(-1).view(f"u{values.dtype.itemsize}").astype(np.uint64)
    magnitudes = bits & np.uint64(format.sign_bit - 1)
    exponents = (magnitudes >> np.uint64(format.fraction)).astype(np.int64)
    mantissas = magnitudes & np.uint64((1 << format.fraction) - 1)
    mantissas |= (exponents > 0).astype(np.uint64) << np.uint64(format.fraction)
    exponents = np.maximum(exponents, 1)
    low, high = (mantissas & np.uint64((1 << LIMB) - 1)), mantissas >> np.uint64(LIMB)
    if power == 1:
        sign = 1 - 2 * (bits != magnitudes).astype(np.int64) * (not absolute)
        limbs = [(low, 0), (high, LIMB)]
    else:
        sign = np.ones(len(bits), np.int64)
        limbs = []
        for product, place in ((low * low, 0), (low * high, LIMB + 1), (high * high, 2 * LIMB)):
            limbs += [(product & np.uint64((1 << LIMB) - 1), place), (product >> np.uint64(LIMB), place + LIMB)]
    total = 0
    for limb, place in limbs:
        sums = np.bincount(exponents, weights=sign * limb.astype(np.int64))
        total += sum(int(value) << (power * (exponent - 1) + place) for exponent, value in enumerate(sums) if value)
    return total, power * format.smallest
