"""Integer Mean."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype
from app.errors import Undefined
from app.kernels.integers.power_sums import EXACT_ROOT, EXACT_SINGLE_ROOT, SUM, PowerSumReduction
from app.kernels.integers.wide import WideIntegers


class IntegerMean(PowerSumReduction):
    """The mean, cut toward zero. It always fits."""

    __slots__ = ()

    def of_total(self, total: int, count: int) -> int:
        return total // count if total >= 0 else -(-total // count)

    def finish(self, state: WideIntegers, count: int) -> NDArray[Any]:
        totals = state.narrow()
        if totals is None:
            return _long_division(state, count).astype(self.dtype)
        return self.of_totals(totals, count).astype(self.dtype, copy=False)

    def of_totals(self, totals: NDArray[Any], count: int) -> NDArray[Any]:
        least = totals.min()
        if least >= 0:
            return np.asarray(totals // count)
        most = max(int(totals.max()), -int(least), count)
        if most <= EXACT_SINGLE_ROOT:
            return np.asarray(totals.astype(np.float32) / np.float32(count))
        if most <= EXACT_ROOT and totals.itemsize == 8:
            return np.asarray(totals.astype(np.float64) / np.float64(count))
        less = totals.dtype.type(count - 1)
        return np.asarray((totals + (totals < 0) * less) // count)  # by itself, // cuts negative ones away from zero

    def empty(self) -> np.generic:
        raise Undefined("the mean of an empty set is not an integer; a float dtype gives NaN")

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return values


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
    return IntegerMean(dtype, SUM)
