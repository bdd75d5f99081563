"""A sum known to within a bound."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from app.kernels.elementary.double_double import two_sum
from app.kernels.exact.parts import Part
from app.kernels.rounding import Floats


class Approximation(NamedTuple):
    """Sums as high + low, |low| <= ulp(high) / 2; they miss the exact sum by at most missed + relative * |high|.

    `relative` is for sums of terms that are not negative: those of several pieces miss no more of their total.
    """

    high: Floats
    low: Floats
    missed: Floats
    relative: float = 0.0


@lru_cache(maxsize=256)
def nothing(outputs: int) -> Floats:
    """Zeros for what an approximation does not have: read-only, and none of them in memory."""
    return np.broadcast_to(np.float64(0.0), outputs)


def total_of(parts: list[Part], outputs: int) -> Approximation:
    """The sum of parts, exact where there are no more than two."""
    if not parts:
        return Approximation(np.zeros(outputs), nothing(outputs), nothing(outputs))
    high = parts[0].values
    if len(parts) == 1:
        return Approximation(high, nothing(outputs), nothing(outputs))
    high, low = two_sum(high, parts[1].values)
    if len(parts) == 2:
        return Approximation(high, low, nothing(outputs))
    missed = np.zeros(outputs)
    for part in parts[2:]:
        high, rest = two_sum(high, part.values)
        low, lost = two_sum(low, rest)
        missed += np.abs(lost)
    high, low = two_sum(high, low)
    # Adding up what is lost loses a little again.
    return Approximation(high, low, missed * (1 + 2.0**-40))
