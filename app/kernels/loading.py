"""Tiles of any float dtype as float64, which holds them all, with the range of their values."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from app.kernels.rounding import FORMATS, Floats
from app.kernels.scratch import aligned

Dtype = np.dtype[Any]

TILE = 1 << 16
"""Elements of a tile: two float64 arrays of it stay in a core's second-level cache."""


class Workspace:
    """Float64 buffers of a tile, for one call on one thread: one for values, one for what is made of them, and more."""

    __slots__ = ("_buffers", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._buffers: list[Floats] = []

    def values(self, shape: tuple[int, ...]) -> Floats:
        return self.scratch(shape, nth=0)

    def scratch(self, shape: tuple[int, ...], dtype: Any = np.float64, nth: int = 1) -> NDArray[Any]:
        """The nth buffer in a shape; 0 holds the values."""
        while nth >= len(self._buffers):
            self._buffers.append(aligned(self._size))
        return self._buffers[nth].view(dtype)[: prod(shape)].reshape(shape)


@dataclass(frozen=True, slots=True)
class Loaded:
    """A tile y[a, r, b] to be summed over r: multiples of 2^unit, at most 2^top in size; both 0 where all is zero."""

    y: Floats
    top: int
    unit: int
    zeros: bool  # some are 0, of either sign
    finite: bool = True


def load(tile: NDArray[Any], ordered: NDArray[Any], shape: tuple[int, int, int], workspace: Workspace) -> Loaded:
    """The elements of a tile as `shape`, in the order of its transposed view `ordered`. Where not all are finite, the
    range says nothing."""
    form = FORMATS[tile.dtype]
    # Without their signs, floats are ordered as the integers of the same bits; infinities and NaN are the largest.
    sizes = np.bitwise_and(tile.view(form.bits), form.magnitude, out=workspace.scratch(tile.shape, form.bits))
    largest, smallest = int(np.maximum.reduce(sizes, axis=None)), int(np.minimum.reduce(sizes, axis=None))
    zeros, finite = smallest == 0, largest < form.infinity
    if zeros and largest:
        # Unsigned, 0 - 1 is the largest number: the smallest of the others is left.
        sizes -= form.bits.type(1)
        smallest = int(np.minimum.reduce(sizes, axis=None)) + 1
    y = workspace.values(ordered.shape)
    read(ordered, y, workspace)
    if not largest:
        return Loaded(y.reshape(shape), 0, 0, zeros)
    return Loaded(y.reshape(shape), form.exponent(largest) + 1, form.unit(smallest), zeros, finite)


def measure(y: Floats, workspace: Workspace, dtype: Dtype) -> Loaded:
    """The same for finite values of `dtype` that stand in the workspace already."""
    sizes = np.abs(y, out=workspace.scratch(y.shape))
    nonzero = sizes[sizes > 0]
    if not len(nonzero):
        return Loaded(y, 0, 0, True)
    form = FORMATS[dtype]
    largest, smallest = np.array((nonzero.max(), nonzero.min())).astype(dtype).view(form.bits).tolist()
    return Loaded(y, form.exponent(largest) + 1, form.unit(smallest), len(nonzero) < y.size)


def read(tile: NDArray[Any], y: Floats, workspace: Workspace) -> NDArray[Any]:
    """A tile's values into y. Returns them in the narrowest dtype at hand, in the tile or in scratch memory."""
    return _READERS[tile.dtype](tile, y, workspace)


def _read(tile: NDArray[Any], y: Floats, workspace: Workspace) -> NDArray[Any]:
    np.copyto(y, tile)
    return tile


def _read_bfloat16(tile: NDArray[Any], y: Floats, workspace: Workspace) -> NDArray[Any]:
    bits = workspace.scratch(tile.shape, np.uint32)
    np.copyto(bits, tile.view(np.uint16))
    bits <<= 16
    values = bits.view(np.float32)
    np.copyto(y, values)
    return values


def _read_float16(tile: NDArray[Any], y: Floats, workspace: Workspace) -> NDArray[Any]:
    # Moved 13 bits up, a float16 is a float32 that is 2^112 times too small; infinities and NaN are 65536 and more.
    bits = workspace.scratch(tile.shape, np.int32)
    np.copyto(bits, tile.view(np.int16))
    bits <<= 13
    bits &= np.int32(-0x70002000)
    values = bits.view(np.float32)
    values *= np.float32(2.0**112)
    np.copyto(y, values)
    return values


_READERS: dict[Dtype, Callable[[NDArray[Any], Floats, Workspace], NDArray[Any]]] = {
    np.dtype(np.float16): _read_float16,
    np.dtype(ml_dtypes.bfloat16): _read_bfloat16,
    np.dtype(np.float32): _read,
    np.dtype(np.float64): _read,
}
LARGEST = {dtype: float(ml_dtypes.finfo(dtype).max) for dtype in FORMATS}
