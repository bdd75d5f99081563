"""The natural logarithm of an exact sum, within one unit in the last place."""

from math import frexp, ldexp, log, nan

import numpy as np

from app.kernels.elementary.double_double import two_sum
from app.kernels.elementary.library import MATH_ERROR
from app.kernels.elementary.logarithm import log_of_one, log_pair
from app.kernels.exact.approximation import Approximation
from app.kernels.floats.result import Dtype, Result, Tentative, alike, decided
from app.kernels.rounding import Floats, Integers, pair_of_one, round_pair, rounds_alike, some

# What a logarithm may be off, relative to itself. The bound of log_pair itself is 2^-68: what one cut of the data
# decides, no other decides otherwise.
_LOG_ERROR = 2.0**-66


class Logarithm(Result):
    """The logarithm of the sum; NaN where that is negative."""

    of_nothing = -np.inf
    of_zero = -np.inf
    of_minus_infinity = np.nan

    def of_approximation(self, about: Approximation, count: int, dtype: Dtype) -> Tentative:
        high, low, missed, relative = about
        if relative:
            missed = missed + relative * np.abs(high)
        return _tentative(high, low, missed, None, dtype)

    def of_scaled(
        self, high: Floats, low: Floats, exponent: Integers, missed: Floats, count: int, dtype: Dtype
    ) -> Tentative:
        return _tentative(high, low, missed, exponent, dtype)

    def of_sum(self, total: int, exponent: int, count: int, dtype: Dtype) -> float:
        if total < 0:
            return nan
        return pair_of_one(*log_of_one(*_pair(total, exponent)), dtype)

    def of_few(self, terms: list[float], about: float, count: int, dtype: Dtype) -> float | None:
        if about < 0:
            return nan
        result = log(about)
        return result if rounds_alike(result, abs(result) * MATH_ERROR + 2.0**-52, dtype) else None


def _tentative(high: Floats, low: Floats, missed: Floats, exponent: Integers | None, dtype: Dtype) -> Tentative:
    """The logarithms of sums times 2^exponent, None for 0; and which of them are undecided."""
    positive = high > 0
    if dtype.itemsize == 8 or exponent is not None:
        size, rest = np.where(positive, high, 1.0), np.where(positive, low, 0.0)
        results, undecided = _precise(size, rest, missed, exponent, dtype)
    else:
        results, undecided = _narrow(np.abs(high), low, missed, dtype)
        undecided &= positive
        at = np.flatnonzero(undecided)
        if at.size:
            results[at], undecided[at] = _precise(high[at], low[at], missed[at], None, dtype)
    results[high < 0] = np.nan
    if some(missed):
        undecided = np.where(positive, undecided, (high < 0) & (-high <= missed))
    return results, undecided


def _narrow(size: Floats, low: Floats, missed: Floats, dtype: Dtype) -> Tentative:
    """The logarithms of sums in a narrow dtype, for which NumPy's in float64 decides nearly all: no two builds have the
    same, but where all numbers within its bound round alike that does not matter."""
    about = np.log(size)
    error = np.abs(about) * MATH_ERROR
    if some(missed) or some(low):
        error += _moved(size, missed + np.abs(low))
    return decided(about, error, dtype)


def _precise(high: Floats, low: Floats, missed: Floats, exponent: Integers | None, dtype: Dtype) -> Tentative:
    """The logarithms of positive sums."""
    first, second = log_pair(high, low, 0 if exponent is None else exponent)
    error = np.abs(first) * _LOG_ERROR + _moved(high, missed)
    below, above = (round_pair(*two_sum(first, second + side), dtype) for side in (-error, error))
    return above, ~alike(below, above)


def _moved(high: Floats, missed: Floats) -> Floats:
    """By how much `missed` may move the logarithm. Near 1 that is the excess over 1, of which it may be much."""
    return np.where(2 * missed < high, 2 * missed / high, np.inf)


def _pair(total: int, exponent: int) -> tuple[float, float, int]:
    """total * 2^exponent as (high + low) * 2^exponent', high the float64 next to it and low the one next to the rest:
    the very pair that `of_approximation` knows it by, so that what is decided there is decided here alike."""
    high, up = _leading(total)
    rest = total - (int(high) << up if up >= 0 else int(high) >> -up)
    low, higher = _leading(abs(rest))
    return high, ldexp(low if rest > 0 else -low, higher - up), exponent + up


def _leading(total: int) -> tuple[float, int]:
    """The float64 next to an integer that is not negative, as an integer of 53 bits * 2^up."""
    up = max(0, total.bit_length() - 64)
    fraction, power = frexp(total / (1 << up))  # rounded once, however long both are
    return ldexp(fraction, 53), power - 53 + up


LOGARITHM = Logarithm()
