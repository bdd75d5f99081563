"""A sum known to within a bound."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

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
