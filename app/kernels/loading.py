"""Tiles of any float dtype as float64, which holds them all, with the range of their values."""

from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from app.kernels.rounding import FORMATS, Floats
from app.kernels.scratch import Scratch, Scratches

Dtype = np.dtype[Any]

TILE = 1 << 16
"""Elements of a tile: two float64 arrays of it stay in a core's second-level cache."""


TILES = Scratches(8, TILE)
"""Arrays of a tile: the first for values, the second for their bits or their heads, and more."""


class Loaded(NamedTuple):
    """A tile y[a, r, b] to be summed over r: multiples of 2^unit, at most 2^top in size; both 0 where all is zero."""

    y: Floats
    top: int
    unit: int
    zeros: bool  # some are 0, of either sign
    finite: bool = True


def load(tile: NDArray[Any], ordered: NDArray[Any], shape: tuple[int, int, int], scratch: Scratch) -> Loaded:
    """The elements of a tile as `shape`, in the order of its transposed view `ordered`. Where not all are finite, the
    range says nothing."""
    form = FORMATS[tile.dtype]
    # Without their signs, floats are ordered as the integers of the same bits; infinities and NaN are the largest.
    sizes = scratch.bits(tile.shape, form.bits)
    np.bitwise_and(tile.view(form.bits), form.magnitude, out=sizes)
    largest, smallest = int(np.maximum.reduce(sizes, axis=None)), int(np.minimum.reduce(sizes, axis=None))
    zeros, finite = smallest == 0, largest < form.infinity
    if zeros and largest:
        # Unsigned, 0 - 1 is the largest number: the smallest of the others is left.
        sizes -= form.bits.type(1)
        smallest = int(np.minimum.reduce(sizes, axis=None)) + 1
    y = scratch.shaped(ordered.shape)[0]
    read(ordered, y, scratch)
    if not largest:
        return Loaded(y.reshape(shape), 0, 0, zeros)
    return Loaded(y.reshape(shape), form.exponent(largest) + 1, form.unit(smallest), zeros, finite)


def measure(y: Floats, scratch: Scratch, dtype: Dtype) -> Loaded:
    """The same for finite values of `dtype` that stand in the first array already."""
    sizes = np.abs(y, out=scratch.shaped(y.shape)[1])
    nonzero = sizes[sizes > 0]
    if not len(nonzero):
        return Loaded(y, 0, 0, True)
    form = FORMATS[dtype]
    largest, smallest = np.array((nonzero.max(), nonzero.min())).astype(dtype).view(form.bits).tolist()
    return Loaded(y, form.exponent(largest) + 1, form.unit(smallest), len(nonzero) < y.size)


def read(tile: NDArray[Any], y: Floats, scratch: Scratch) -> NDArray[Any]:
    """A tile's values into y. Returns them in the narrowest dtype at hand, in the tile or in scratch memory."""
    return _READERS[tile.dtype](tile, y, scratch)


_UINT32, _INT32 = np.dtype(np.uint32), np.dtype(np.int32)


def _read(tile: NDArray[Any], y: Floats, scratch: Scratch) -> NDArray[Any]:
    np.copyto(y, tile)
    return tile


def _read_bfloat16(tile: NDArray[Any], y: Floats, scratch: Scratch) -> NDArray[Any]:
    bits = scratch.bits(tile.shape, _UINT32)
    np.copyto(bits, tile.view(np.uint16))
    bits <<= 16
    values = bits.view(np.float32)
    np.copyto(y, values)
    return values


def _read_float16(tile: NDArray[Any], y: Floats, scratch: Scratch) -> NDArray[Any]:
    # Moved 13 bits up, a float16 is a float32 that is 2^112 times too small; infinities and NaN are 65536 and more.
    bits = scratch.bits(tile.shape, _INT32)
    np.copyto(bits, tile.view(np.int16))
    bits <<= 13
    bits &= np.int32(-0x70002000)
    values = bits.view(np.float32)
    values *= np.float32(2.0**112)
    np.copyto(y, values)
    return values


_READERS: dict[Dtype, Callable[[NDArray[Any], Floats, Scratch], NDArray[Any]]] = {
    np.dtype(np.float16): _read_float16,
    np.dtype(ml_dtypes.bfloat16): _read_bfloat16,
    np.dtype(np.float32): _read,
    np.dtype(np.float64): _read,
}
