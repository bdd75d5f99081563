"""Arrays to compute in, allocated once per call.

Fresh pages for every intermediate cost three times its arithmetic, and arrays that do not begin at a cache line
cost twice: NumPy aligns to 16 bytes, so every access of a 64-byte vector touches two lines.
"""

from math import prod

import numpy as np

from app.kernels.rounding import Floats

_LINE = 64


def aligned(size: int) -> Floats:
    """An array that begins at a cache line."""
    memory = np.empty(size + _LINE // 8)
    return memory[-memory.__array_interface__["data"][0] % _LINE // 8 :][:size]


class Scratch:
    """A number of float64 arrays, cut to the shape at hand."""

    def __init__(self, arrays: int, size: int) -> None:
        stride = -(-size // 8) * 8
        memory = aligned(arrays * stride)
        self._arrays = [memory[k * stride :][:size] for k in range(arrays)]
        self._views: dict[tuple[int, ...], list[Floats]] = {}

    def shaped(self, shape: tuple[int, ...]) -> list[Floats]:
        """The beginnings of all arrays, in this shape. What they hold is anyone's."""
        views = self._views.get(shape)
        if views is None:
            size = prod(shape)
            views = self._views[shape] = [array[:size].reshape(shape) for array in self._arrays]
        return views
