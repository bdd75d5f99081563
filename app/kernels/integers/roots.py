"""floor(√S) of exact sums of squares: a float64 root, and what is left of the sum to tell how far off it is."""

from math import isqrt

import numpy as np
from numpy.typing import NDArray

from app.kernels.integers.squares import SQUARE_WIDTH
from app.kernels.integers.wide import Int64s, WideIntegers, wrapped

_DIRECT_SUM = 2.0**100
"""Below this, what a float64 root leaves of the sum says how far it is off."""

_REFINED_SUM = 2.0**140
"""Below this, it does after one step of Newton's."""


def floor_roots(sums: WideIntegers) -> Int64s:
    """The roots of sums that are not negative, in limbs of SQUARE_WIDTH bits, cut to integers, modulo 2^64."""
    estimate = sums.estimate()
    largest = estimate.max()
    if largest >= _REFINED_SUM:  # over 4096 elements an output: there are few of them
        return wrapped(map(isqrt, sums.exact(slice(None))), np.dtype(np.int64))
    if largest >= _DIRECT_SUM:
        return _wide_roots(sums, np.sqrt(estimate))
    # The float64 root is less than 1 off and its floor at most 1. The rest, which tells by how much, is below 2^53
    # then, so that it is enough to know it modulo 2^64.
    root = np.sqrt(estimate).astype(np.int64)
    rest = sums.modulo() - root * root
    return root + (rest > 2 * root) - (rest < 0)


def _wide_roots(sums: WideIntegers, root: NDArray[np.float64]) -> Int64s:
    # A float64 root below 2^70 is less than 2^19 off. A step of Newton's brings that below 1, and two signs decide.
    high = np.floor(root * 2.0**-42)
    top = high.astype(np.int64)
    rest = (root - high * 2.0**42).astype(np.int64)
    rest += np.floor(_remainder(sums, top, rest) / (2 * np.maximum(root, 1))).astype(np.int64)
    rest -= _remainder(sums, top, rest) < 0
    rest += _remainder(sums, top, rest + 1) >= 0
    return (top << 42) + rest


def _remainder(sums: WideIntegers, top: Int64s, rest: Int64s) -> NDArray[np.float64]:
    """sums - (top · 2^42 + rest)^2, for top up to 2^28 and rest up to 2^43 in size: rounded, but of the right sign."""
    digits = [rest & ((1 << SQUARE_WIDTH) - 1), rest >> SQUARE_WIDTH, top]
    limbs = np.zeros((max(5, len(sums.limbs)), top.size), np.int64)
    limbs[: len(sums.limbs)] = sums.limbs
    for j, a in enumerate(digits):
        limbs[2 * j] -= a * a
        for k, b in enumerate(digits[:j]):
            limbs[j + k] -= a * b << 1
    return WideIntegers(limbs, SQUARE_WIDTH).estimate()
