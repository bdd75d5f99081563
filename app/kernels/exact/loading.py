"""Tiles of any float dtype as float64, which holds them all, with the range of their values."""

from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from app.kernels.rounding import FLOAT_FORMATS, Floats
from app.kernels.scratch import Scratch, Scratches

Dtype = np.dtype[Any]

TILE_ELEMENTS, NARROW_TILE_ELEMENTS = 1 << 16, 1 << 17
"""Elements of a tile: two float64 arrays of it stay in a core's second-level cache; of a narrow one, one array and half
of another."""

TILES = Scratches(8, NARROW_TILE_ELEMENTS)
"""Arrays of a tile: the first for values, the second for their bits or their heads, and more."""


class Loaded(NamedTuple):
    """A tile y[a, r, b] to be summed over r: multiples of 2^unit, at most 2^top in size; both 0 where all is zero. Its
    elements are y * 2^scale. It is the tile itself, if of float64, or the first array of the scratch memory: only that
    may be written to."""

    y: Floats
    top: int
    unit: int
    zeros: bool | None  # some are zero; None: it is not known
    finite: bool = True
    scale: int = 0


class Reader(NamedTuple):
    """Reads the elements of a tile as y * 2^scale: it costs less to multiply their sums.

    `read`(tile, y, scratch) writes y, and returns it in the narrowest dtype at hand, in the tile or in scratch memory.
    """

    read: Callable[[NDArray[Any], Floats, Scratch], NDArray[Any]]
    scale: int = 0


def load(
    tile: NDArray[Any], ordered: NDArray[Any], shape: tuple[int, int, int], reader: Reader, scratch: Scratch
) -> Loaded:
    """The elements of a tile as `shape`, in the order of its transposed view `ordered`. Where not all are finite, the
    range says nothing."""
    form = FLOAT_FORMATS[tile.dtype]
    largest, smallest, zeros = _range_float16(tile) if tile.dtype == np.float16 else range_of(tile, scratch)
    if tile.dtype == np.float64 and ordered.flags.c_contiguous:
        y = tile.reshape(shape)
    else:
        y = scratch.shaped(ordered.shape)[0]
        reader.read(ordered, y, scratch)
        y = y.reshape(shape)
    if not largest:
        return Loaded(y, 0, 0, zeros)
    scale = reader.scale
    return Loaded(
        y, form.exponent(largest) + 1 - scale, form.unit(smallest) - scale, zeros, largest < form.infinity, scale
    )


def read(tile: NDArray[Any], ordered: NDArray[Any], scratch: Scratch) -> tuple[Floats, int]:
    """The elements of a tile in the order of its transposed view `ordered`, NaN and infinities as such, as y * 2^scale:
    y, the first array, and scale."""
    reader = READERS[tile.dtype]
    y = scratch.shaped(ordered.shape)[0]
    if tile.dtype == np.float16 and _range_float16(tile)[0] >= FLOAT_FORMATS[tile.dtype].infinity:
        np.copyto(y, ordered)
        return y, 0
    reader.read(ordered, y, scratch)
    return y, reader.scale


def near(tile: NDArray[Any], scratch: Scratch) -> NDArray[Any]:
    """A tile to be read more than once: itself, or, of float64, a copy of one that lies scattered, in the first array.
    Pieces of it that are some power of two apart would not stay in a cache together."""
    if tile.itemsize < 8 or tile.flags.c_contiguous:
        return tile
    y = scratch.shaped(tile.shape)[0]
    np.copyto(y, tile)
    return y


def range_of(tile: NDArray[Any], scratch: Scratch) -> tuple[int, int, bool]:
    """The bits, without signs, of the largest element and of the smallest that is not zero, and whether any is zero."""
    form = FLOAT_FORMATS[tile.dtype]
    # Without their signs, floats are ordered as the integers of the same bits; infinities and NaN are the largest.
    sizes = scratch.bits(tile.shape, form.bits)
    np.bitwise_and(tile.view(form.bits), form.magnitude, out=sizes)
    largest, smallest = int(np.maximum.reduce(sizes, axis=None)), int(np.minimum.reduce(sizes, axis=None))
    zeros = smallest == 0
    if zeros and largest:
        # Unsigned, 0 - 1 is the largest number: the smallest of the others is left.
        sizes -= form.bits.type(1)
        smallest = int(np.minimum.reduce(sizes, axis=None)) + 1
    return largest, smallest, zeros


def _range_float16(tile: NDArray[Any]) -> tuple[int, int, None]:
    """The same with fewer writes, but that any element may be as small as the format has them: so few bits lie between
    its smallest and its largest number that sums need not know better."""
    most_negative = int(np.maximum.reduce(tile.view(np.uint16), axis=None)) & 0x7FFF
    return max(int(np.maximum.reduce(tile.view(np.int16), axis=None)), most_negative), 1, None


def measure(y: Floats, scratch: Scratch, dtype: Dtype) -> Loaded:
    """The same for finite values of `dtype` that stand in the first array already."""
    sizes = np.abs(y, out=scratch.shaped(y.shape)[1])
    nonzero = sizes[sizes > 0]
    if not len(nonzero):
        return Loaded(y, 0, 0, True)
    form = FLOAT_FORMATS[dtype]
    largest, smallest = np.array((nonzero.max(), nonzero.min())).astype(dtype).view(form.bits).tolist()
    return Loaded(y, form.exponent(largest) + 1, form.unit(smallest), len(nonzero) < y.size)


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
    np.copyto(y, values)
    return values


def _read_float16_small(tile: NDArray[Any], y: Floats, scratch: Scratch) -> NDArray[Any]:
    # Moved 42 bits up, a float16 is a float64 that is 2^1008 times too small: enough for sums, and one array less.
    bits = y.view(np.int64)
    np.copyto(bits, tile.view(np.int16))
    bits <<= 42
    bits &= _FLOAT16_IN_FLOAT64
    return y


_FLOAT16_IN_FLOAT64 = np.int64(-0x7E00040000000000)

READERS: dict[Dtype, Reader] = {
    np.dtype(np.float16): Reader(_read_float16, 112),
    np.dtype(ml_dtypes.bfloat16): Reader(_read_bfloat16),
    np.dtype(np.float32): Reader(_read),
    np.dtype(np.float64): Reader(_read),
}

READERS_FOR_SUMS = READERS | {np.dtype(np.float16): Reader(_read_float16_small, 1008)}
"""The same for elements that are only added."""
