"""Integer functions of an exact sum, of the elements or of their squares, brought to an integer by one cut.

The sums are as wide as they need to be, so only the answer can be too large for its dtype, and then it wraps.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype
from app.kernels.integers.narrow import narrowest, wide_sum
from app.kernels.integers.squares import SQUARE_LENGTH, SQUARE_WIDTH, exact_square_sum
from app.kernels.integers.sums import LARGE, SUM_LENGTH, SUM_WIDTH, exact_sum, largest, working_memory
from app.kernels.integers.wide import Int64s, WideIntegers, wrapped
from app.kernels.integers.wrapping import wrapped_square_sum, wrapped_sum
from app.kernels.kernel import OUTPUTS, Box, filled
from app.kernels.regions import SHORT, cuts

EXACT_ROOT = 1 << 52
"""float64 roots of integers up to here are cut to the right integer: that of k^2 - 1 is below k by more than an ulp."""

EXACT_SINGLE_ROOT = 1 << 22
"""The same for float32. Quotients of integers up to either are cut to the right one too: what is no integer is
1/divisor or more off the next."""

FEW_ELEMENTS = 64
"""Elements of a box for which Python's own integers beat any array."""

_NARROW_ROW_BYTES = 1 << 15
"""Bytes in a row that are hardly worth a jump."""


@dataclass(frozen=True, slots=True)
class PowerSum:
    """How the elements' `power`s are summed, in limbs or in a single integer.

    `exact` makes sums of up to `length` elements each, in limbs of `width` bits, in working memory. `narrow` makes sums
    (o, i), none above `most` in size, in single integers: it is told the narrowest dtype that holds them, None where
    they are above EXACT_ROOT, and takes the one that costs least. `wide` makes them in single integers whatever the
    elements. Both give None where they can't.
    """

    power: int
    width: int
    length: int
    exact: Callable[[Box, Int64s], WideIntegers]
    narrow: Callable[[Box, int, NumpyDtype | None], NDArray[Any] | None]
    wide: Callable[[Box], NDArray[Any] | None]


def _narrow_sums(box: Box, most: int, dtype: NumpyDtype | None) -> NDArray[Any] | None:
    if most > np.iinfo(box.dtype).max:
        return None
    sums = wrapped_sum(box)
    return sums if dtype is None else sums.astype(dtype, copy=False)


def _wide_sums(box: Box) -> NDArray[Any] | None:
    return wide_sum(box) if box.itemsize < 8 else None


def _narrow_square_sums(box: Box, most: int, dtype: NumpyDtype | None) -> NDArray[Any] | None:
    if dtype is None:  # NumPy multiplies integers of 64 bits slowly
        return None
    return wrapped_square_sum(box.astype(f"{dtype.kind}{max(dtype.itemsize, 4)}", copy=False))


def _no_wide_square_sums(box: Box) -> None:
    return None


SUM = PowerSum(1, SUM_WIDTH, SUM_LENGTH, exact_sum, _narrow_sums, _wide_sums)
SQUARE_SUM = PowerSum(2, SQUARE_WIDTH, SQUARE_LENGTH, exact_square_sum, _narrow_square_sums, _no_wide_square_sums)


@dataclass(frozen=True, slots=True)
class PowerSumReduction(ABC):
    """An integer function of an exact sum and of how many elements there are."""

    min_threads = 2
    outputs_at_once = OUTPUTS

    dtype: NumpyDtype
    power_sum: PowerSum

    @abstractmethod
    def of_total(self, total: int, count: int) -> int:
        """The definition, for one output."""

    @abstractmethod
    def finish(self, state: WideIntegers, count: int) -> NDArray[Any]:
        """The same for all outputs, modulo 2^n."""

    @abstractmethod
    def of_totals(self, totals: NDArray[Any], count: int) -> NDArray[Any]:
        """The same, in any dtype and maybe not yet cut, for sums in any dtype that holds them and the count, no larger
        than 2^52, or of 64 bits and no squares."""

    def identity(self, outputs: int) -> WideIntegers:
        return WideIntegers(np.zeros((1, outputs), np.int64), self.power_sum.width)

    def partial(self, box: Box, first: int = 0) -> WideIntegers:
        return self._sum(box, working_memory())

    def _sum(self, box: Box, memory: Int64s) -> WideIntegers:
        _, r1, _, r2 = box.shape
        if r1 * r2 <= self.power_sum.length:
            return self.power_sum.exact(box, memory)
        half, other = np.array_split(box, 2, axis=1 if r1 > r2 else 3)
        state = self._sum(half, memory)
        state.merge(self._sum(other, memory))
        return state

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        o, r1, i, r2 = box.shape
        count = r1 * r2
        if box.size <= FEW_ELEMENTS:
            power = self.power_sum.power
            rows = box.transpose(0, 2, 1, 3).reshape(-1, count).tolist()
            answers = (self.of_total(sum(x**power for x in row), count) for row in rows)
            return filled(into, wrapped(answers, self.dtype))
        wide = min(i, LARGE // count)
        # Whether memory would be read in short runs of `wide`.
        scattered = r2 == 1 and wide < i and wide * box.itemsize <= _NARROW_ROW_BYTES
        if count > SHORT or scattered:
            return filled(into, self.finish(self.partial(box), count))
        outputs = np.empty(o * i, self.dtype) if into is None else into
        grid = outputs.reshape(o, i)
        for a in cuts(o, LARGE // count // wide):
            for b in cuts(i, wide):
                part, here = box[a, :, b], grid[a, b]
                sums = self._narrow(part, count)
                if sums is None:  # others will be no smaller, and all at once are less work
                    sums = self.power_sum.wide(box)
                    all_at_once = self.finish(self.partial(box), count) if sums is None else self.of_totals(sums, count)
                    return filled(into, all_at_once.astype(self.dtype, copy=False).reshape(-1))
                here[...] = self.of_totals(sums, count)
        return outputs

    def _narrow(self, box: Box, count: int) -> NDArray[Any] | None:
        """The sums (o, i) in single integers that hold the count too, if `of_totals` takes them."""
        most = largest(box) ** self.power_sum.power * count
        dtype = narrowest(self.dtype, max(most, count)) if most <= EXACT_ROOT else None
        return self.power_sum.narrow(box, most, dtype)
