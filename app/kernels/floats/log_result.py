"""The natural logarithm of an exact sum, within one unit in the last place."""

from math import frexp, ldexp, nan

import numpy as np

from app.kernels.elementary.double_double import two_sum
from app.kernels.elementary.logarithm import log_of_one, log_pair
from app.kernels.exact.approximation import Approximation
from app.kernels.floats.result import Dtype, Result, Settled, alike
from app.kernels.rounding import Floats, Integers, pair_of_one, round_pair

# What a logarithm may be off, relative to itself. The bound of log_pair itself is 2^-68: what one cut of the data
# decides, no other decides otherwise.
_LOG_ERROR = 2.0**-66


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
        size = np.where(positive, high, 1.0)
        first, second = log_pair(size, np.where(positive, low, 0.0), exponent)
        # Near 1 the logarithm is the excess over 1, of which `missed` may be much.
        error = np.abs(first) * _LOG_ERROR + np.where(2 * missed < size, 2 * missed / size, np.inf)
        below, above = (round_pair(*two_sum(first, second + side), dtype) for side in (-error, error))
        undecided = np.where(positive, ~alike(below, above), (high < 0) & (-high <= missed))
        above[~positive] = np.nan
        return above, undecided

    def of_sum(self, total: int, exponent: int, count: int, dtype: Dtype) -> float:
        if total < 0:
            return nan
        return pair_of_one(*log_of_one(*_pair(total, exponent)), dtype)


def _pair(total: int, exponent: int) -> tuple[float, float, int]:
    """total * 2^exponent as (high + low) * 2^exponent', high the float64 next to it and low the one next to the rest:
    the very pair that `settle` knows it by, so that what is decided there is decided here alike."""
    high, up = _leading(total)
    rest = total - (int(high) << up if up >= 0 else int(high) >> -up)
    low, higher = _leading(abs(rest))
    return high, ldexp(low if rest > 0 else -low, higher - up), exponent + up


def _leading(total: int) -> tuple[float, int]:
    """The float64 next to an integer that is not negative, as an integer of 53 bits * 2^up."""
    up = max(0, total.bit_length() - 64)
    bits = total >> up | (total & (1 << up) - 1 != 0)
    fraction, power = frexp(float(bits))
    return ldexp(fraction, 53), power - 53 + up


LOGARITHM = Logarithm()
