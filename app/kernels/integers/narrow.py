"""Sums of integers in integers as narrow as hold them: more of those fit a register."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.integers.wrapping import in_short_runs, wrapped_sum
from app.kernels.kernel import Box
from app.kernels.regions import pieces

_SHORT_RUN = 16  # elements that are sooner added once they are copied


def narrowest(dtype: np.dtype[Any], most: int) -> np.dtype[Any]:
    """The narrowest dtype of the same kind as `dtype` that holds integers of up to `most` in size."""
    return np.min_scalar_type(most if dtype.kind == "u" else -most - 1)


def wide_sum(box: Box) -> NDArray[np.int64]:
    """The sums of fewer than 2^31 elements of up to 32 bits, shape (o, i)."""
    if in_short_runs(box, _SHORT_RUN):
        sums = np.zeros((box.shape[0], box.shape[2]), np.int64)
        for piece in pieces(box.shape):
            sums[piece[0], piece[2]] += wrapped_sum(box[piece].astype(np.int64))
        return sums
    # As fast as a reduction where runs are long, and up to twice as fast where they are not.
    return np.asarray(np.einsum("arbs->ab", box, dtype=np.int64, casting="safe"))
