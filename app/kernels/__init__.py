"""What NumPy does: arrays in, arrays out. `KERNELS` names the kernel of every operator.

A version changes parameters and dtypes, never the mathematics, so there are twelve kernels, not fifty-three. Floats
and integers differ in what a right answer is, so most operators have one for each.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np

from app.kernels.kernel import Kernel

_FLOATS = tuple(np.dtype(kind) for kind in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64))
