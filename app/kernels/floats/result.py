"""What becomes of an exact sum.

A sum comes as high + low, two float64 with |low| <= ulp(high) / 2, beside a bound of what they miss. Where the bound
leaves a result undecided, the caller is told so and asks again with the exact sum, as an integer times a power of two.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.approximation import Approximation
from app.kernels.rounding import Floats, Integers, cast

Dtype = np.dtype[Any]
Mask = NDArray[np.bool_]
Tentative = tuple[NDArray[Any], Mask]
"""Results, and which of them are undecided."""


class Result(ABC):
    """A function of an exact sum and the count of its terms, rounded into a dtype.

    `of_nothing` is it for an empty set, `of_zero` for a sum of 0, `of_minus_infinity` for one of -inf. `keeps_one`:
    of one term, it is that term.
    """

    of_nothing: ClassVar[float] = 0.0
    of_zero: ClassVar[float] = 0.0
    of_minus_infinity: ClassVar[float] = -np.inf
    keeps_one: ClassVar[bool] = False

    @abstractmethod
    def of_approximation(self, about: Approximation, count: int, dtype: Dtype) -> Tentative:
        """The results of sums within [2^-900, 2^900] or 0, and which of them are undecided. What comes where `high`
        is 0 says nothing: the sum is 0, or hidden in `missed`."""

    @abstractmethod
    def of_scaled(
        self, high: Floats, low: Floats, exponent: Integers, missed: Floats, count: int, dtype: Dtype
    ) -> Tentative:
        """The same for (high + low) * 2^exponent, of any size; `exponent` is even, `missed` in units of 2^exponent."""

    @abstractmethod
    def of_sum(self, total: int, exponent: int, count: int, dtype: Dtype) -> float:
        """The result of total * 2^exponent, not 0, as a float that `cast` rounds as it would the result."""

    @abstractmethod
    def of_few(self, terms: list[float], about: float, count: int, dtype: Dtype) -> float | None:
        """As `of_sum`, for the exact sum of a few numbers, not 0, and the float64 next to it; None if that cannot
        tell."""

    def of_sums(self, sums: list[tuple[int, int]], count: int, dtype: Dtype) -> NDArray[Any]:
        """The results of nonzero exact sums, integer * 2^exponent, one by one."""
        return cast(np.array([self.of_sum(*total, count, dtype) for total in sums]), dtype)


def decided(about: Floats, error: Floats, dtype: Dtype) -> Tentative:
    """The results in a narrow dtype of what is within `error` of `about`, and which of them that leaves undecided."""
    below, above = cast(about - error, dtype), cast(about + error, dtype)
    return above, ~alike(below, above)


def alike(a: NDArray[Any], b: NDArray[Any]) -> Mask:
    """Where two arrays hold the same number, of the same sign if it is 0."""
    return (a == b) & (np.signbit(a) == np.signbit(b))
