"""Integer L2."""

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype
from app.kernels.integers.power_sums import EXACT_SINGLE_ROOT, SQUARE_SUM, PowerSumReduction
from app.kernels.integers.roots import floor_roots
from app.kernels.integers.wide import WideIntegers


class IntegerL2(PowerSumReduction):
    """The largest integer whose square is not above the sum of squares."""

    __slots__ = ()

    def of_total(self, total: int, count: int) -> int:
        return isqrt(total)

    def finish(self, state: WideIntegers, count: int) -> NDArray[Any]:
        return floor_roots(state).astype(self.dtype)

    def of_totals(self, totals: NDArray[Any], count: int) -> NDArray[Any]:
        most = int(totals.max())
        roots = np.sqrt(totals.astype(np.float32 if most <= EXACT_SINGLE_ROOT else np.float64))
        # One beyond its dtype is to wrap. Integers do; what a float becomes there is the processor's choice.
        fit = most.bit_length() <= 2 * (8 * self.dtype.itemsize - 1)
        return np.asarray(roots if fit else roots.astype(np.int32))

    def empty(self) -> np.generic:
        zero: np.generic = self.dtype.type(0)
        return zero

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.abs(values))


def integer_l2(dtype: NumpyDtype) -> IntegerL2:
    return IntegerL2(dtype, SQUARE_SUM)
