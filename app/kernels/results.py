"""What becomes of an exact sum: itself, the mean, the root, the logarithm; each rounded once.

A sum comes as high + low, two float64 with |low| <= ulp(high) / 2, beside a bound of what they miss. A result is
computed with an error bound of its own (Ziv's strategy): where both ends of the interval round alike, that is the
answer; where not, the caller is told so and asks again with the exact sum, as an integer times a power of two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from app.kernels.double_double import two_product, two_sum
from app.kernels.rounding import FORMATS, Floats, Integers, round_integer, round_scaled

Mask = NDArray[np.bool_]
Pair = tuple[Floats, Floats, Mask]

_BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
_FLOAT64 = np.dtype(np.float64)
# Of a quotient or root in two float64 (their error is below 2^-102), of one in a single float64, and of that cast to
# bfloat16, which goes through float32.
_PAIR_ERROR = 2.0**-98
_SINGLE_ERROR = 2.0**-51
_CAST_ERROR = 2.0**-22


@dataclass(frozen=True, slots=True)
class Result:
    """A function of an exact sum and the count of its terms.

    `approximate(high, count)` is it in float64; `slope(high, count)` bounds how it moves with the sum; `refine(high,
    low, count)` is it in two float64, and where that is exact; `exactly(sum, exponent, count)` is the first 62 or 63
    bits of sum * 2^exponent's result, whether more follow, and the exponent of the last; `halves` where the exponent
    of a scaled sum (always even) is halved in the result.
    """

    approximate: Callable[[Floats, int], Floats]
    slope: Callable[[Floats, int], Floats | float]
    refine: Callable[[Floats, Floats, int], Pair]
    exactly: Callable[[int, int, int], tuple[int, bool, int]]
    of_nothing: float = 0.0
    of_zero: float = 0.0
    of_minus_infinity: float = -np.inf
    keeps_one: bool = False
    halves: bool = False

    def settle(self, high: Floats, low: Floats, missed: Floats, count: int, dtype: np.dtype[Any]) -> tuple[Any, Mask]:
        """The results of sums within [2^-900, 2^900] or 0, and which of them are undecided.

        `missed` bounds |sum - (high + low)|. A sum of 0 gives +0.
        """
        if dtype == _FLOAT64:
            result, rest, error = self._refined(high, low, missed, count)
            below, above = result + (rest - error), result + (rest + error)
            return result, (below != above) | (above != result)
        result = self.approximate(high, count)
        error = _CAST_ERROR if dtype == _BFLOAT16 else _SINGLE_ERROR
        slack = np.abs(result) * error + self.slope(high, count) * missed
        with np.errstate(over="ignore"):
            below, values = (result - slack).astype(dtype), (result + slack).astype(dtype)
        near = np.flatnonzero((below != values) | (slack > 0.5 * np.abs(result)))
        undecided = np.zeros(len(high), np.bool_)
        if len(near):
            exponent = np.zeros(len(near), np.int64)
            values[near], undecided[near] = self.settle_scaled(high[near], low[near], exponent, missed[near], count, dtype)
        return values, undecided

    def settle_scaled(
        self, high: Floats, low: Floats, exponent: Integers, missed: Floats, count: int, dtype: np.dtype[Any]
    ) -> tuple[NDArray[Any], Mask]:
        """The same for (high + low) * 2^exponent, of any size, high within [2^-900, 2^900] or 0."""
        result, rest, error = self._refined(high, low, missed, count)
        exponent = exponent >> 1 if self.halves else exponent
        unknown = (result == 0) & (error > 0)
        error[unknown] = 0
        below = round_scaled(result, rest - error, exponent, dtype)
        above = round_scaled(result, rest + error, exponent, dtype)
        return above, (below != above) | unknown

    def _refined(self, high: Floats, low: Floats, missed: Floats, count: int) -> tuple[Floats, Floats, Floats]:
        result, rest, exact = self.refine(high, low, count)
        error = np.where(exact, 0.0, np.abs(result) * _PAIR_ERROR) + self.slope(high, count) * missed
        # Enough to be seen beside the rest, to which it is added.
        error += np.where(error > 0, np.abs(rest) * _SINGLE_ERROR, 0.0)
        return result, rest, error

    def decide(self, sums: list[tuple[int, int]], count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
        """The results of nonzero exact sums, integer * 2^exponent, one by one."""
        rows = [self.exactly(abs(total), exponent, count) for total, exponent in sums]
        X = np.array([row[0] for row in rows], np.int64)
        sticky = np.array([row[1] for row in rows])
        unit = np.array([row[2] for row in rows], np.int64)
        values = round_integer(X, sticky, unit, FORMATS[dtype])
        return np.where([total < 0 for total, _ in sums], -values, values).astype(dtype)


def _quotient(high: Floats, low: Floats, count: int) -> Pair:
    if count & (count - 1) == 0:
        return high / count, low / count, np.ones(len(high), np.bool_)
    first = high / count
    product, rest = two_product(first, np.full_like(first, count))
    remainder = ((high - product) - rest) + low
    quotient, tail = two_sum(first, remainder / count)
    return quotient, tail, remainder == 0


def _root(high: Floats, low: Floats, count: int) -> Pair:
    first = np.sqrt(high)
    square, rest = two_product(first, first)
    remainder = ((high - square) - rest) + low
    root, tail = two_sum(first, remainder / np.where(first > 0, 2 * first, 1.0))
    return root, tail, remainder == 0


def _leading(numerator: int, denominator: int, exponent: int) -> tuple[int, bool, int]:
    """The first 62 or 63 bits of numerator / denominator * 2^exponent."""
    shift = 63 - numerator.bit_length() + denominator.bit_length()
    numerator, denominator = (numerator << shift, denominator) if shift > 0 else (numerator, denominator << -shift)
    quotient, remainder = divmod(numerator, denominator)
    if quotient >> 63:
        return quotient >> 1, bool(remainder or quotient & 1), exponent - shift + 1
    return quotient, remainder != 0, exponent - shift


def _leading_of_root(total: int, exponent: int) -> tuple[int, bool, int]:
    shift = max(0, 128 - total.bit_length())
    shift += (exponent - shift) & 1
    root = isqrt(total << shift)
    bits, more, unit = _leading(root, 1, (exponent - shift) >> 1)
    return bits, more or root * root != total << shift, unit


TOTAL = Result(
    approximate=lambda high, count: high,
    slope=lambda high, count: 1.0,
    refine=lambda high, low, count: (high, low, np.ones(len(high), np.bool_)),
    exactly=lambda total, exponent, count: _leading(total, 1, exponent),
    keeps_one=True,
)
MEAN = Result(
    approximate=lambda high, count: high / count,
    slope=lambda high, count: 1.0 / count,
    refine=_quotient,
    exactly=lambda total, exponent, count: _leading(total, count, exponent),
    of_nothing=np.nan,
    keeps_one=True,
)
ROOT = Result(
    approximate=lambda high, count: np.sqrt(high),
    slope=lambda high, count: 1.0 / np.sqrt(np.where(high > 0, high, 1.0)),
    refine=_root,
    exactly=lambda total, exponent, count: _leading_of_root(total, exponent),
    halves=True,
)
