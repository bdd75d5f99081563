"""The natural logarithm of an exact sum, within one unit in the last place."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.double_double import two_sum
from app.kernels.elementary import log_pair
from app.kernels.results import Approximation, Dtype, Result, Settled, leading_bits
from app.kernels.rounding import Floats, Integers, round_pair


class Logarithm(Result):
    """The logarithm of the sum; NaN where that is negative."""

    of_nothing = -np.inf
    of_zero = -np.inf
    of_minus_infinity = np.nan

    def settle(self, about: Approximation, count: int, dtype: Dtype) -> Settled:
        missed = about.missed + about.relative * np.abs(about.high)
        return self.settle_scaled(about.high, about.low, np.zeros(len(missed), np.int64), missed, count, dtype)

    def settle_scaled(
        self, high: Floats, low: Floats, exponent: Integers, missed: Floats, count: int, dtype: Dtype
    ) -> Settled:
        positive = high > 0
        first, second = log_pair(np.where(positive, high, 1.0), np.where(positive, low, 0.0), exponent)
        # Near 1 the logarithm is the excess over 1, of which `missed` may be much.
        undecided = missed > np.abs(first) * high * 2.0**-60
        return np.where(positive, round_pair(first, second, dtype), np.nan).astype(dtype), undecided

    def decide(self, sums: list[tuple[int, int]], count: int, dtype: Dtype) -> NDArray[Any]:
        pairs = [_pair(total, exponent) for total, exponent in sums]
        high, low = (np.array([pair[k] for pair in pairs]) for k in (0, 1))
        exponents = np.array([pair[2] for pair in pairs], np.int64)
        values, _ = self.settle_scaled(high, low, exponents, np.zeros(len(high)), count, dtype)
        return values


def _pair(total: int, exponent: int) -> tuple[float, float, int]:
    """total * 2^exponent as (high + low) * 2^exponent'; near 1, low is the excess to its own last bit."""
    one = 1 << -exponent if exponent < 0 else 1
    if exponent < 0 and one < 2 * total < 4 * one:
        high, low = two_sum(np.ones(1), np.array([(total - one) / one]))
        return float(high[0]), float(low[0]), 0
    bits, _, unit = leading_bits(abs(total), 1, exponent)
    return float(bits) if total > 0 else -float(bits), 0.0, unit


LOGARITHM = Logarithm()
