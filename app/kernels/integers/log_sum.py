"""Integer LogSum."""

from bisect import bisect_right
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype
from app.errors import Undefined
from app.kernels.integers.logarithms import POWERS, floor_log, floor_log_integers
from app.kernels.integers.power_sums import SUM, PowerSumReduction
from app.kernels.integers.wide import WideIntegers

FLOATS_HAVE = "a float dtype gives -inf for 0 and NaN below"


class IntegerLogSum(PowerSumReduction):
    """The logarithm of the sum, cut toward zero; a positive sum is at least 1, so its logarithm is never negative."""

    __slots__ = ()

    def of_total(self, total: int, count: int) -> int:
        if total < 1:
            raise Undefined(f"the sum {total} has no logarithm among integers: it must be positive; {FLOATS_HAVE}")
        return bisect_right(POWERS, total)

    def finish(self, state: WideIntegers, count: int) -> NDArray[Any]:
        def exact(k: int) -> int:
            [total] = state.exact(slice(k, k + 1))
            return self.of_total(total, count)

        totals = state.narrow()
        if totals is not None:
            return self.of_totals(totals, count).astype(self.dtype, copy=False)
        sums = state.estimate()
        if sums.min() < 1:
            exact(int(np.flatnonzero(sums < 1)[0]))
        return floor_log(sums, 1e-12, exact).astype(self.dtype)

    def of_totals(self, totals: NDArray[Any], count: int) -> NDArray[Any]:
        if totals.min() < 1:
            self.of_total(int(totals[totals < 1][0]), count)
        return floor_log_integers(totals)

    def empty(self) -> np.generic:
        raise Undefined(f"the sum of an empty set is 0, which has no logarithm among integers; {FLOATS_HAVE}")

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.size and values.min() < 1:
            index = tuple(np.argwhere(values < 1)[0].tolist())
            said = f"the element {values[index]} at {list(index)} has no logarithm among integers: it must be positive"
            raise Undefined(f"{said}; {FLOATS_HAVE}")
        return floor_log_integers(values).astype(values.dtype)


def integer_log_sum(dtype: NumpyDtype) -> IntegerLogSum:
    return IntegerLogSum(dtype, SUM)
