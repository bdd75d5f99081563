"""What NumPy does: arrays in, arrays out. `KERNELS` names the kernel of every operator.

A version changes parameters and dtypes, never the mathematics, so there are twelve operators' kernels here, not
fifty-three. Floats and integers differ in what a right answer is, so most operators have one for each.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from app.kernels.extremes.extremum import maximum, minimum
from app.kernels.extremes.position import arg_max, arg_min
from app.kernels.floats.log_sum_exp import log_sum_exp
from app.kernels.floats.product import product
from app.kernels.floats.sums import l1, l2, log_sum, mean, sum_square, total
from app.kernels.integers.l2 import integer_l2
from app.kernels.integers.log_sum import integer_log_sum
from app.kernels.integers.log_sum_exp import integer_log_sum_exp
from app.kernels.integers.mean import integer_mean
from app.kernels.integers.wrapping import wrapping_l1, wrapping_product, wrapping_sum, wrapping_sum_square
from app.kernels.kernel import Kernel
from app.kernels.rounding import FLOAT_FORMATS

Dtype = np.dtype[Any]
Make = Callable[[Dtype], Kernel[Any]]


def _either(floats: Make, integers: Make, dtype: Dtype) -> Kernel[Any]:
    return floats(dtype) if dtype in FLOAT_FORMATS else integers(dtype)


KERNELS: dict[str, Make] = {
    "ReduceMin": minimum,
    "ReduceMax": maximum,
    "ReduceSum": partial(_either, total, wrapping_sum),
    "ReduceMean": partial(_either, mean, integer_mean),
    "ReduceProd": partial(_either, product, wrapping_product),
    "ReduceL1": partial(_either, l1, wrapping_l1),
    "ReduceL2": partial(_either, l2, integer_l2),
    "ReduceSumSquare": partial(_either, sum_square, wrapping_sum_square),
    "ReduceLogSum": partial(_either, log_sum, integer_log_sum),
    "ReduceLogSumExp": partial(_either, log_sum_exp, integer_log_sum_exp),
    "ArgMin": partial(arg_min, last=False),
    "ArgMax": partial(arg_max, last=False),
}
LAST_KERNELS: dict[str, Make] = {"ArgMin": partial(arg_min, last=True), "ArgMax": partial(arg_max, last=True)}
"""Where the last of equal elements is asked for."""


@cache
def kernel_for(name: str, dtype: Dtype, last: bool = False) -> Kernel[Any]:
    """The kernel of an operator (ONNX's name) on a dtype; `last` prefers the last of equal elements."""
    return (LAST_KERNELS if last else KERNELS)[name](dtype)
