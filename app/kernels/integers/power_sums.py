"""Integer Mean and L2: a function of an exact sum, brought to an integer by one cut.

The sums are as wide as they need to be, so only the answer can be too large for its dtype, and then it wraps.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype
from app.errors import Undefined
from app.kernels.integers.narrow import narrowest, wide_sum
from app.kernels.integers.roots import floor_roots
from app.kernels.integers.squares import SQUARE_LENGTH, SQUARE_WIDTH, exact_square_sum
from app.kernels.integers.sums import LARGE, SUM_LENGTH, SUM_WIDTH, exact_sum, largest, working_memory
from app.kernels.integers.wide import Int64s, WideIntegers, wrapped
from app.kernels.integers.wrapping import wrapped_square_sum, wrapped_sum
from app.kernels.kernel import OUTPUTS, Box, filled
from app.kernels.regions import SHORT, cuts

_EXACT = 1 << 52
"""float64 roots of integers up to here are cut to the right integer: that of k^2 - 1 is below k by more than an ulp."""

_EXACT_SINGLE = 1 << 22
"""The same for float32. Quotients of such integers are cut to the right one too: what is no integer is 1/divisor or
more off the next."""

_NARROW = 1 << 15
"""Bytes in a row that are hardly worth a jump."""

FEW = 64
"""Elements for which Python's own integers beat any array."""


@dataclass(frozen=True, slots=True)
class PowerSumReduction(ABC):
    """An integer function of the exact sum of the elements, or of their squares, and of how many there are."""

    few_threads = 1
    outputs_at_once = OUTPUTS

    dtype: NumpyDtype
    power: ClassVar[int] = 1

    @abstractmethod
    def answer(self, total: int, count: int) -> int:
        """The definition, for one output."""

    @abstractmethod
    def finish(self, state: WideIntegers, count: int) -> NDArray[Any]:
        """The same for all outputs, modulo 2^n."""

    @abstractmethod
    def settle(self, totals: NDArray[Any], count: int) -> NDArray[Any]:
        """The same, in any dtype and maybe not yet cut, for sums in any dtype that holds them and the count, no larger
        than 2^52, or of 64 bits and no squares."""

    def identity(self, outputs: int) -> WideIntegers:
        return WideIntegers(np.zeros((1, outputs), np.int64), SUM_WIDTH if self.power == 1 else SQUARE_WIDTH)

    def partial(self, box: Box, first: int = 0) -> WideIntegers:
        return self._sum(box, working_memory())

    def _sum(self, box: Box, memory: Int64s) -> WideIntegers:
        _, r1, _, r2 = box.shape
        if r1 * r2 <= (SUM_LENGTH if self.power == 1 else SQUARE_LENGTH):
            return exact_sum(box, memory) if self.power == 1 else exact_square_sum(box, memory)
        half, other = np.array_split(box, 2, axis=1 if r1 > r2 else 3)
        state = self._sum(half, memory)
        state.merge(self._sum(other, memory))
        return state

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        o, r1, i, r2 = box.shape
        count = r1 * r2
        if box.size <= FEW:
            rows = box.transpose(0, 2, 1, 3).reshape(-1, count).tolist()
            answers = (self.answer(sum(x**self.power for x in row), count) for row in rows)
            return filled(into, wrapped(answers, self.dtype))
        wide = min(i, LARGE // count)
        scattered = r2 == 1 and wide < i and wide * box.itemsize <= _NARROW  # memory would be read in runs of `wide`
        if count > SHORT or scattered:
            return filled(into, self.finish(self.partial(box), count))
        outputs = np.empty(o * i, self.dtype) if into is None else into
        grid = outputs.reshape(o, i)
        for a in cuts(o, LARGE // count // wide):
            for b in cuts(i, wide):
                part, here = box[a, :, b], grid[a, b]
                sums = self._narrow(part, count)
                if sums is None:  # others will be no smaller, and all at once are less work
                    return filled(into, self.finish(self.partial(box), count))
                here[...] = self.settle(sums, count).reshape(here.shape)
        return outputs

    def _narrow(self, box: Box, count: int) -> NDArray[Any] | None:
        """The sums in as narrow a dtype as holds them and the count, if `settle` takes them."""
        most = largest(box) ** self.power * count
        dtype = narrowest(self.dtype, max(most, count)) if most <= _EXACT else None
        if self.power == 2:  # NumPy multiplies integers of 64 bits slowly
            if dtype is None:
                return None
            elements = box.astype(f"{dtype.kind}{max(dtype.itemsize, 4)}", copy=False)
            return wrapped_square_sum(elements).reshape(-1)
        if most <= np.iinfo(self.dtype).max:
            sums = wrapped_sum(box)
            return (sums if dtype is None else sums.astype(dtype, copy=False)).reshape(-1)
        return wide_sum(box).reshape(-1) if self.dtype.itemsize < 8 else None


class IntegerMean(PowerSumReduction):
    """The mean, cut toward zero. It always fits."""

    __slots__ = ()

    def answer(self, total: int, count: int) -> int:
        return total // count if total >= 0 else -(-total // count)

    def finish(self, state: WideIntegers, count: int) -> NDArray[Any]:
        totals = state.narrow()
        if totals is None:
            return _long_division(state, count).astype(self.dtype)
        return self.settle(totals, count).astype(self.dtype, copy=False)

    def settle(self, totals: NDArray[Any], count: int) -> NDArray[Any]:
        least = totals.min()
        if least >= 0:
            return np.asarray(totals // count)
        most = max(int(totals.max()), -int(least), count)
        if most <= _EXACT_SINGLE:
            return np.asarray(totals.astype(np.float32) / np.float32(count))
        if most <= _EXACT and totals.itemsize == 8:
            return np.asarray(totals.astype(np.float64) / np.float64(count))
        less = totals.dtype.type(count - 1)
        return np.asarray((totals + (totals < 0) * less) // count)  # by itself, // cuts negative ones away from zero

    def empty(self) -> np.generic:
        raise Undefined("the mean of an empty set is no integer")

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return values


class IntegerL2(PowerSumReduction):
    """The largest integer whose square is not above the sum of squares."""

    __slots__ = ()

    power = 2

    def answer(self, total: int, count: int) -> int:
        return isqrt(total)

    def finish(self, state: WideIntegers, count: int) -> NDArray[Any]:
        return floor_roots(state).astype(self.dtype)

    def settle(self, totals: NDArray[Any], count: int) -> NDArray[Any]:
        most = int(totals.max())
        roots = np.sqrt(totals.astype(np.float32 if most <= _EXACT_SINGLE else np.float64))
        # One beyond its dtype is to wrap. Integers do; what a float becomes there is the processor's choice.
        fit = most.bit_length() <= 2 * (8 * self.dtype.itemsize - 1)
        return np.asarray(roots if fit else roots.astype(np.int32))

    def empty(self) -> np.generic:
        zero: np.generic = self.dtype.type(0)
        return zero

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.abs(values))


def _long_division(state: WideIntegers, count: int) -> NDArray[np.int64]:
    """Carried sums of limbs of 32 bits divided by `count` < 2^47, cut toward zero, modulo 2^64."""
    step = 32 if count < 1 << 31 else 16  # bits, so that rest << step stays an int64
    top = state.limbs[-1]
    quotient = top // count
    rest = top - quotient * count
    for limb in state.limbs[-2::-1]:
        for shift in range(state.width - step, -1, -step):
            rest = rest << step | (limb >> shift & (1 << step) - 1)
            digit = rest // count
            rest -= digit * count
            quotient = (quotient << step) + digit
    if top.min() < 0:
        quotient += (top < 0) & (rest != 0)  # negative ones with a rest were cut away from zero
    return np.asarray(quotient)


def integer_mean(dtype: NumpyDtype) -> IntegerMean:
    return IntegerMean(dtype)


def integer_l2(dtype: NumpyDtype) -> IntegerL2:
    return IntegerL2(dtype)
