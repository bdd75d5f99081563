"""Exact bins to the two float64 that hold their leading hundred bits."""

from typing import NamedTuple

import numpy as np

from app.kernels.elementary.double_double import two_sum
from app.kernels.exact.approximation import nothing
from app.kernels.exact.bins import BIN_BITS, carry
from app.kernels.rounding import Floats, Integers


class Leading(NamedTuple):
    """Sums as (high + low) * 2^exponent, |low| <= ulp(high) / 2, exponent even; `missed` bounds what is left out."""

    high: Floats
    low: Floats
    exponent: Integers
    missed: Floats


def leading(bins: Integers, lowest: int) -> Leading:
    """The leading bits of normalized bins [bins, outputs]; high is 0 only where the sum is."""
    return _of_three(bins, lowest) if len(bins) <= 3 else _of_many(bins, lowest)


def _of_three(bins: Integers, lowest: int) -> Leading:
    """At most 97 bits fit two float64; signed as they are."""
    outputs = bins.shape[1]
    digits = [bins[k].astype(np.float64) if k < len(bins) else np.zeros(outputs) for k in range(3)]
    high, rest = two_sum(digits[2] * 2.0**BIN_BITS, digits[1])
    high, low = two_sum(high, rest + digits[0] * 2.0**-BIN_BITS)
    return Leading(high, low, np.full(outputs, BIN_BITS * (lowest + 1)), nothing(outputs))


def _of_many(bins: Integers, lowest: int) -> Leading:
    """From the first digit that is not 0, four digits of the size."""
    outputs = bins.shape[1]
    digits = bins
    negative = digits[-1] < 0
    if negative.any():
        digits = np.where(negative, -digits, digits)
        carry(digits)
    top = np.zeros(outputs, np.int64)
    last = np.full(outputs, len(digits), np.int64)
    for k in range(len(digits)):
        top[digits[k] != 0] = k
        last[digits[-1 - k] != 0] = len(digits) - 1 - k
    padded = np.concatenate((np.zeros((3, outputs), np.int64), digits)).astype(np.float64)
    d3, d2, d1, d0 = (np.take_along_axis(padded, (top + k)[None], axis=0)[0] for k in (3, 2, 1, 0))
    # Of 97 to 129 bits, the first two digits and what rounding leaves of them take the third without an error.
    high, rest = two_sum(d3 * 2.0**BIN_BITS, d2)
    high, rest = two_sum(high, rest + d1 * 2.0**-BIN_BITS)
    low, lost = two_sum(rest, d0 * 2.0 ** (-2 * BIN_BITS))
    high, low = two_sum(high, low)
    missed = np.abs(lost) + np.where(last < top - 3, 2.0 ** (-2 * BIN_BITS), 0.0)
    sign = np.where(negative, -1.0, 1.0)
    return Leading(high * sign, low * sign, BIN_BITS * (lowest + top - 1), missed)
