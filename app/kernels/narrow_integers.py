"""Sums of integers in integers as narrow as hold them: more of those fit a register."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.kernel import Box
from app.kernels.regions import pieces
from app.kernels.wrapping import wrapped_square_sum, wrapped_sum

_WIDER: list[np.dtype[Any]] = [np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.int64)]


def narrowest(dtype: np.dtype[Any], most: int) -> np.dtype[Any]:
    """The narrowest dtype of the same kind as `dtype` that holds integers of up to `most` in size."""
    return np.min_scalar_type(most if dtype.kind == "u" else -most - 1)


def add_narrow(part: Box, bound: int, squares: bool, sums: NDArray[np.int64], memory: NDArray[np.int64]) -> None:
    """Add up the elements of a part, of fewer than 64 bits, or their squares, none of them above `bound` in size, to
    sums[o, i]."""
    _, r1, _, r2 = part.shape
    most = bound * r1 * r2
    dtype = next(dtype for dtype in _WIDER if dtype.itemsize > part.itemsize and most <= np.iinfo(dtype).max)
    copies: NDArray[Any] = memory.view(dtype)
    for piece in pieces(part.shape, copies.size):
        here = part[piece]
        copy = copies[: here.size].reshape(here.shape)
        np.copyto(copy, here)
        sums[piece[0], piece[2]] += wrapped_square_sum(copy) if squares else wrapped_sum(copy)
