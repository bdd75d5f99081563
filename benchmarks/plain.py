"""What one would write with NumPy alone: quick, and not always right."""

from collections.abc import Callable
from typing import Any

import numpy as np

Plain = Callable[[Any, tuple[int, ...]], Any]


PLAIN: dict[str, Plain] = {
    "ReduceMin": lambda x, axes: np.min(x, axis=axes),
    "ReduceMax": lambda x, axes: np.max(x, axis=axes),
    "ReduceSum": lambda x, axes: np.sum(x, axis=axes, dtype=x.dtype),
    "ReduceMean": lambda x, axes: np.mean(x, axis=axes),
    "ReduceProd": lambda x, axes: np.prod(x, axis=axes, dtype=x.dtype),
    "ReduceL1": lambda x, axes: np.sum(np.abs(x), axis=axes, dtype=x.dtype),
    "ReduceL2": lambda x, axes: np.sqrt(np.sum(np.square(x), axis=axes, dtype=x.dtype)),
    "ReduceSumSquare": lambda x, axes: np.sum(np.square(x), axis=axes, dtype=x.dtype),
    "ReduceLogSum": lambda x, axes: np.log(np.sum(x, axis=axes, dtype=x.dtype)),
    "ReduceLogSumExp": lambda x, axes: np.log(np.sum(np.exp(x), axis=axes)),
    "ArgMin": lambda x, axes: np.argmin(x, axis=axes[0]),
    "ArgMax": lambda x, axes: np.argmax(x, axis=axes[0]),
}
