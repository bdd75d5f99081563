"""Float64 multiplied tile by tile: mantissas in double-double, and sums of exponents."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.elementary.double_double import multiply_into, two_product_into
from app.kernels.floats.mantissas import (
    BIAS,
    FIELD_MASK,
    FRACTION_BITS,
    INFINITE,
    NAN,
    ZERO,
    Products,
    normalise,
    read_fields,
)
from app.kernels.kernel import Box
from app.kernels.regions import cuts, regions
from app.kernels.rounding import Floats, Integers
from app.kernels.scratch import Scratch

# Elements taken in together, elements that are multiplied together in the cache, and the least factors of a product
# there.
SLAB_ELEMENTS = 1 << 19
_TILE_ELEMENTS = 1 << 16
_LEAST_FACTORS = 16
# Halvings after which mantissas, below 2 before, go back to it: 2^(2^8) is far from overflow.
_HALVINGS = 8
# Elements of a box that is not worth the detour over lanes.
_FEW_ELEMENTS = 1 << 12

_SIGN_AND_FRACTION_MASK = np.int64(-0x7FF0000000000001)
_FIELD_OF_ONE = np.int64(BIAS << 52)
_SUBNORMAL_SCALE = 64


class Multiplication:
    """Multiplies the elements of slabs, in arrays that are allocated once for all of them."""

    def __init__(self, size: int, bits: int) -> None:
        self._bits = bits
        # Of these only what is used ever becomes memory.
        self._results = Scratch(3, min(size, SLAB_ELEMENTS))
        self._factors = Scratch(2, min(size, SLAB_ELEMENTS))
        self._scratch = Scratch(5, min(size, SLAB_ELEMENTS) // 2)

    def products(self, slab: Box) -> Products:
        """The products of slab[o, r1, i, r2] over r1 and r2."""
        o, r1, i, r2 = slab.shape
        if slab.size <= _FEW_ELEMENTS and r1 * r2 <= 1 << _HALVINGS:
            return self._few(slab)
        axis, reduced = (1, r1) if r1 >= r2 else (3, r2)
        # The longer reduced axis falls into segments of some lanes each. Segments are multiplied lane by lane while
        # they are in the cache, what is left over becomes lanes of its own, and then lanes are multiplied together.
        lanes = max(1, reduced // _LEAST_FACTORS)
        segments = reduced // lanes
        whole = segments * lanes
        before, after = slab.shape[:axis], slab.shape[axis + 1 :]
        shape = (*before, lanes + reduced - whole, *after)
        seen = np.zeros((o, i), np.uint8)
        high, low, exponent = self._results.shaped(shape)
        exponent = exponent.view(np.int64)
        body = _along(slab, axis, slice(whole)).reshape(*before, segments, lanes, *after)
        results = (high, low, exponent)
        self._multiply(body, axis, [_along(x, axis, slice(lanes)) for x in results], seen)
        if whole < reduced:
            tail = np.expand_dims(_along(slab, axis, slice(whole, None)), axis)
            self._multiply(tail, axis, [_along(x, axis, slice(lanes, None)) for x in results], seen)
        exponents: Integers = np.add.reduce(exponent, axis=(1, 3)).reshape(-1)
        high, low = (x.transpose(1, 3, 0, 2).reshape(-1, o * i) for x in (high, low))
        for part in cuts(o * i, max(1, _TILE_ELEMENTS // len(high))):
            self._lanes(high, low, part, exponents)
        return Products(high[0].copy(), low[0].copy(), exponents, seen.reshape(-1))

    def _few(self, slab: Box) -> Products:
        """The products of a slab small enough for a single tile."""
        o, r1, i, r2 = slab.shape
        seen = np.zeros((o, i), np.uint8)
        tile = slab.transpose(1, 3, 0, 2).reshape(r1 * r2, o, 1, i, 1)
        high, low, exponent = self._tile(tile, (0, 1, 2, 3, 4), seen)
        few = Products(high.flatten(), low.flatten(), exponent.reshape(-1), seen.reshape(-1))
        fields, scale = self._factors.shaped(few.high.shape)
        few.exponent += normalise(few.high, few.low, fields.view(np.int64), scale.view(np.int64))
        return few

    def _lanes(self, high: Floats, low: Floats, part: slice, exponents: Integers) -> None:
        """The products of the rows, into the first row; normalised."""
        a, b = np.ascontiguousarray(high[:, part]), np.ascontiguousarray(low[:, part])
        while True:
            fields, scale = self._factors.shaped(a.shape)
            exponents[part] += np.add.reduce(normalise(a, b, fields.view(np.int64), scale.view(np.int64)), axis=0)
            if len(a) == 1:
                break
            a, b = self._halved(a, b, _HALVINGS)
        high[0, part], low[0, part] = a[0], b[0]

    def _multiply(self, factors: Box, axis: int, results: list[NDArray[Any]], seen: NDArray[np.uint8]) -> None:
        """The products over one axis of five, tile by tile, into [o, r1, i, r2] of high, low and exponent."""
        over = np.moveaxis(factors, axis, 0)
        in_memory = (*range(1, axis + 1), 0, *range(axis + 1, 5))
        high, low, exponent = results
        for a, b, pieces in regions(over.shape[1:], max(1, _TILE_ELEMENTS // len(over)), 1):
            for piece in pieces:
                tile = over[(slice(None), *piece)]
                high[piece], low[piece], exponent[piece] = self._tile(tile, in_memory, seen[a, b])

    def _tile(self, tile: Box, in_memory: tuple[int, ...], seen: NDArray[np.uint8]) -> tuple[Floats, Floats, Integers]:
        """The products of tile[s, o, r1, i, r2] over s, not normalised; notes in seen[o, i] what it saw.

        `in_memory` is the order of its axes in memory, to read it in for the first time.
        """
        values = tile if tile.dtype == np.float64 else self._widened(tile)
        high, low = self._factors.shaped(values.shape)
        mantissas, fields = high.view(np.int64), low.view(np.int64)
        read_fields(values.transpose(in_memory), fields.transpose(in_memory))
        exponent: Integers = np.add.reduce(fields, axis=0)
        if np.minimum.reduce(fields, axis=None) == 0 or np.maximum.reduce(fields, axis=None) == FIELD_MASK:
            _note(values, seen)
            small = fields == 0
            values = np.multiply(values, 2.0**_SUBNORMAL_SCALE, out=values.copy(), where=small)
            read_fields(values, fields)
            exponent = np.add.reduce(fields - small * _SUBNORMAL_SCALE, axis=0)
        exponent -= BIAS * len(values)
        np.bitwise_and(values.view(np.int64), _SIGN_AND_FRACTION_MASK, out=mantissas)
        mantissas |= _FIELD_OF_ONE
        half, length = len(values) // 2, len(values) - len(values) // 2
        if half:
            scratch = self._scratch.shaped(high[:half].shape)
            two_product_into(high[:half], high[length : length + half], low[:half], scratch)
        low[half:length] = 0.0
        high, low = self._halved(high[:length], low[:length], _HALVINGS)
        return high[0], low[0], exponent

    def _widened(self, tile: Box) -> Floats:
        """Narrow floats as float64, multiplied over s by halves as long as mantissas and exponents fit: no error yet,
        and a zero times an infinity is a NaN already."""
        half, length, bits = len(tile) // 2, len(tile) - len(tile) // 2, 2 * self._bits
        values = np.empty((length, *tile.shape[1:]))
        np.multiply(tile[:half], tile[length:], out=values[:half], dtype=np.float64)
        values[half:] = tile[half:length]
        while length > 1 and 2 * bits <= FRACTION_BITS:
            half, length, bits = length // 2, length - length // 2, 2 * bits
            values[:half] *= values[length : length + half]
        return values[:length]

    def _halved(self, high: Floats, low: Floats, times: int) -> tuple[Floats, Floats]:
        """The first half of the rows multiplied by the last, in place, until one is left or `times` times."""
        length = len(high)
        while length > 1 and times:
            half = length // 2
            first, last = slice(half), slice(length - half, length)
            multiply_into(high[first], low[first], high[last], low[last], self._scratch.shaped(high[first].shape))
            length, times = length - half, times - 1
        return high[:length], low[:length]


def _along(box: NDArray[Any], axis: int, cut: slice) -> NDArray[Any]:
    return box[(*(slice(None),) * axis, cut)]


def _note(values: Floats, seen: NDArray[np.uint8]) -> None:
    size = np.abs(values)
    for found, what in ((size == 0, ZERO), (size == np.inf, INFINITE), (np.isnan(size), NAN)):
        seen |= found.any(axis=(0, 2, 4)) * np.uint8(what)
