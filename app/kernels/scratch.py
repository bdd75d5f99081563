"""Arrays to compute in, allocated once per call.

Fresh pages for every intermediate cost three times its arithmetic, and arrays that do not begin at a cache line
cost twice: NumPy aligns to 16 bytes, so every access of a 64-byte vector touches two lines.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.rounding import Floats

_LINE = 64
# Elements between two arrays: where they lie a multiple of 4096 bytes apart, a core takes them for one another.
_APART = 72
# Shapes whose views are remembered: tiles of one tensor have few, and callers must not make it many.
_SHAPES = 64


def aligned(size: int) -> Floats:
    """An array that begins at a cache line."""
    memory = np.empty(size + _LINE // 8)
    return memory[-memory.__array_interface__["data"][0] % _LINE // 8 :][:size]


class Scratch:
    """A number of float64 arrays, cut to the shape at hand. Memory that no one writes to is never taken."""

    def __init__(self, arrays: int, size: int) -> None:
        stride = -(-size // 8) * 8 + _APART
        memory = aligned(arrays * stride)
        self._arrays = [memory[k * stride :][:size] for k in range(arrays)]
        self._views: dict[tuple[int, ...], list[Floats]] = {}
        self._bits: dict[tuple[tuple[int, ...], np.dtype[Any]], NDArray[Any]] = {}

    def shaped(self, shape: tuple[int, ...]) -> list[Floats]:
        """The beginnings of all arrays, in this shape. What they hold is anyone's."""
        views = self._views.get(shape)
        if views is None:
            if len(self._views) >= _SHAPES:
                self._views.clear()
            size = prod(shape)
            views = self._views[shape] = [array[:size].reshape(shape) for array in self._arrays]
        return views

    def bits(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """The beginning of the second array, in this shape and in a dtype of at most eight bytes."""
        view = self._bits.get((shape, dtype))
        if view is None:
            if len(self._bits) >= _SHAPES:
                self._bits.clear()
            view = self._bits[shape, dtype] = self._arrays[1].view(dtype)[: prod(shape)].reshape(shape)
        return view


class Scratches:
    """Scratch arrays of one size that are used again: memory that a core has just written is in its cache."""

    def __init__(self, arrays: int, size: int) -> None:
        self._arrays = arrays
        self._size = size
        self._free: list[Scratch] = []

    @contextmanager
    def borrowed(self) -> Iterator[Scratch]:
        """One that nobody else has meanwhile."""
        try:
            scratch = self._free.pop()
        except IndexError:
            scratch = Scratch(self._arrays, self._size)
        try:
            yield scratch
        finally:
            self._free.append(scratch)
