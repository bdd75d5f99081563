"""Results that are correctly rounded: the sum itself, the mean, the root.

Each is computed with an error bound of its own (Ziv's strategy): where both ends of the interval round alike, that is
the answer; where not, it is undecided.
"""

from abc import abstractmethod
from math import fsum, isqrt, sqrt

import numpy as np

from app.kernels.elementary.double_double import two_product, two_sum
from app.kernels.exact.approximation import Approximation
from app.kernels.floats.result import Dtype, Mask, Result, Tentative, alike
from app.kernels.rounding import (
    Floats,
    Integers,
    cast,
    leading_bits,
    pair_of_one,
    round_one,
    round_pair,
    round_scaled,
    some,
)

_FLOAT64 = np.dtype(np.float64)
# Of a quotient or root in two float64 (their error is below 2^-102), and of one in a single float64.
_PAIR_ERROR = 2.0**-98
_SINGLE_ERROR = 2.0**-51


class Rounded(Result):
    """A result that is correctly rounded."""

    @abstractmethod
    def _approximate(self, high: Floats, count: int) -> Floats:
        """The result in float64."""

    @abstractmethod
    def _slope(self, high: Floats, count: int) -> Floats | float:
        """A bound of how the result moves with the sum."""

    @abstractmethod
    def _refine(self, high: Floats, low: Floats, count: int) -> tuple[Floats, Floats, Mask]:
        """The result in two float64, and where that is exact."""

    @abstractmethod
    def _leading(self, total: int, exponent: int, count: int) -> tuple[int, bool, int]:
        """The first 62 or 63 bits of the result, whether more follow, and the exponent of the last."""

    def of_approximation(self, about: Approximation, count: int, dtype: Dtype) -> Tentative:
        high, low, missed, relative = about
        if dtype == _FLOAT64:
            result, rest, error = self._interval(about, count)
            below, above = result + (rest - error), result + (rest + error)
            return above, ~alike(below, above)
        result = self._approximate(high, count)
        width = _SINGLE_ERROR + 2 * relative
        undecided = np.zeros(len(high), np.bool_)
        if some(missed):
            slack = np.abs(result) * width + self._slope(high, count) * missed
            below, values = cast(result - slack, dtype), cast(result + slack, dtype)
        else:
            below, values = cast(result * (1 - width), dtype), cast(result * (1 + width), dtype)
        near = np.flatnonzero(~alike(below, values))
        if len(near):
            result, rest, slack = self._interval(Approximation(high[near], low[near], missed[near], relative), count)
            values[near] = round_pair(*two_sum(result, rest + slack), dtype)
            if slack.any():
                undecided[near] = ~alike(values[near], round_pair(*two_sum(result, rest - slack), dtype))
        return values, undecided

    def of_scaled(
        self, high: Floats, low: Floats, exponent: Integers, missed: Floats, count: int, dtype: Dtype
    ) -> Tentative:
        result, rest, error = self._interval(Approximation(high, low, missed), count)
        exponent = self._scale(exponent)
        above = round_scaled(result, rest + error, exponent, dtype)
        return above, ~alike(above, round_scaled(result, rest - error, exponent, dtype))

    def of_sum(self, total: int, exponent: int, count: int, dtype: Dtype) -> float:
        size = round_one(*self._leading(abs(total), exponent, count), dtype)
        return -size if total < 0 else size

    def _scale(self, exponent: Integers) -> Integers:
        """The exponent of the result of a sum scaled by 2^exponent."""
        return exponent

    def _interval(self, about: Approximation, count: int) -> tuple[Floats, Floats, Floats]:
        """The result in two float64, and a bound of what they miss."""
        high, low, missed, relative = about
        result, rest, exact = self._refine(high, low, count)
        error = np.where(exact, 0.0, np.abs(result) * _PAIR_ERROR) + np.abs(result) * (2 * relative)
        if some(missed):
            error += self._slope(high, count) * missed
        # A little more for the roundings of this very sum, and enough to be seen beside the rest, to which it is added.
        error = error * (1 + 2.0**-50) + np.where(error > 0, np.abs(rest) * _SINGLE_ERROR, 0.0)
        return result, rest, error


class Total(Rounded):
    """The sum."""

    keeps_one = True

    def of_approximation(self, about: Approximation, count: int, dtype: Dtype) -> Tentative:
        if about.relative or some(about.missed):
            return super().of_approximation(about, count, dtype)
        return round_pair(about.high, about.low, dtype), np.zeros(len(about.high), np.bool_)

    def _approximate(self, high: Floats, count: int) -> Floats:
        return high

    def _slope(self, high: Floats, count: int) -> Floats | float:
        return 1.0

    def _refine(self, high: Floats, low: Floats, count: int) -> tuple[Floats, Floats, Mask]:
        return high, low, np.ones(len(high), np.bool_)

    def _leading(self, total: int, exponent: int, count: int) -> tuple[int, bool, int]:
        return leading_bits(total, 1, exponent)

    def of_few(self, terms: list[float], about: float, count: int, dtype: Dtype) -> float:
        return about if dtype == _FLOAT64 else pair_of_one(about, fsum([*terms, -about]), dtype)


class Mean(Rounded):
    """The sum over the count."""

    of_nothing = np.nan
    keeps_one = True

    def _approximate(self, high: Floats, count: int) -> Floats:
        return high / count

    def _slope(self, high: Floats, count: int) -> Floats | float:
        return 1.0 / count

    def _refine(self, high: Floats, low: Floats, count: int) -> tuple[Floats, Floats, Mask]:
        if count & (count - 1) == 0:
            return high / count, low / count, np.ones(len(high), np.bool_)
        first = high / count
        divisor = np.full_like(first, count)
        product, rest = two_product(first, divisor)
        remainder, lost = two_sum((high - product) - rest, low)
        second = remainder / count
        # Exact halves between two float64 are common for few terms: no bound would ever decide those.
        product, rest = two_product(second, divisor)
        quotient, tail = two_sum(first, second)
        return quotient, tail, (product == remainder) & (rest == 0) & (lost == 0)

    def _leading(self, total: int, exponent: int, count: int) -> tuple[int, bool, int]:
        return leading_bits(total, count, exponent)

    def of_few(self, terms: list[float], about: float, count: int, dtype: Dtype) -> float | None:
        if dtype == _FLOAT64:
            return None
        if count & (count - 1) == 0:
            return pair_of_one(about, fsum([*terms, -about]), dtype) / count
        # No rounding passes a float64, and of a midpoint m not only m but m * count is one: a mean above m is not below
        # it here. What is left is wanted at m itself, where it tells the side.
        mean = about / count
        return pair_of_one(mean, fsum([*terms, *[-mean] * count]), dtype)


class Root(Rounded):
    """The square root of a sum that is not negative."""

    def _approximate(self, high: Floats, count: int) -> Floats:
        return np.sqrt(high)

    def _slope(self, high: Floats, count: int) -> Floats | float:
        return 1.0 / np.sqrt(np.where(high > 0, high, 1.0))

    def _refine(self, high: Floats, low: Floats, count: int) -> tuple[Floats, Floats, Mask]:
        first = np.sqrt(high)
        square, rest = two_product(first, first)
        remainder = ((high - square) - rest) + low
        root, tail = two_sum(first, remainder / np.where(first > 0, 2 * first, 1.0))
        return root, tail, remainder == 0

    def _scale(self, exponent: Integers) -> Integers:
        return exponent >> 1

    def _leading(self, total: int, exponent: int, count: int) -> tuple[int, bool, int]:
        shift = max(0, 128 - total.bit_length())
        shift += (exponent - shift) & 1
        root = isqrt(total << shift)
        bits, more, unit = leading_bits(root, 1, (exponent - shift) >> 1)
        return bits, more or root * root != total << shift, unit

    def of_few(self, terms: list[float], about: float, count: int, dtype: Dtype) -> float | None:
        if dtype == _FLOAT64:
            return None
        root = sqrt(about)  # not beyond a midpoint either, of which the square is a float64
        return pair_of_one(root, fsum([*terms, -root * root]), dtype)


TOTAL, MEAN, ROOT = Total(), Mean(), Root()
