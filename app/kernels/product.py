"""Prod of floats: mantissas multiplied in double-double, exponents added apart, the sign carried by the mantissas.

Error. Every element is a mantissa of at most 53 bits, 1 <= |m| < 2, times a power of two, so nothing overflows or
underflows on the way however far the product strays. A double-double product is within 5 * 2^-106 of itself and n
factors need n - 1 of them, so the state is within about n * 2^-103 of the exact product; one rounding follows. For any
tensor that fits in a memory that is far below half an ulp: the answer is within 1 ulp, and correctly rounded unless
the product comes that near to a midpoint. Midpoints themselves are met exactly: a product that is one has an odd part
below 2^54, so have all its partial products, and those are never rounded.

Caution. Double-double products are associative only up to that error. Cut another way, the state may differ in its
last bits (of 106), and the answer only where a midpoint lies between: a chance of about n * 2^-49 for float64.
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.kernels.double_double import multiply_into, two_product_into
from app.kernels.kernel import Box
from app.kernels.regions import cuts, regions
from app.kernels.rounding import FORMATS, Floats, Integers, round_pair, round_scaled
from app.kernels.scratch import Scratch

# Elements taken in together, elements that are multiplied together in the cache, factors multiplied there at least.
_SLAB = 1 << 19
_TILE = 1 << 15
_FACTORS = 16
# Halvings after which mantissas, below 2 before, go back to it: 2^(2^8) is far from overflow.
_HALVINGS = 8
# Outputs merged or finished together.
_OUTPUTS = 1 << 13

_SIGN_AND_FRACTION = np.int64(-0x7FF0000000000001)
_FRACTION_BITS = np.int64(52)
_FIELD = np.int64(0x7FF)
_BIAS = 1023
_ONE = np.int64(_BIAS << 52)
_SUBNORMAL_SCALE = 64
# Exponents with which neither half of a double-double leaves the normal range.
_MODERATE = 900

_ZERO, _INFINITE, _NAN = 1, 2, 4


class Products:
    """Per output: (high + low) * 2^exponent, 1 <= |high| < 2, and which of zero, infinity, NaN it has seen."""

    def __init__(self, high: Floats, low: Floats, exponent: Integers, seen: NDArray[np.uint8]) -> None:
        self.high = high
        self.low = low
        self.exponent = exponent
        self.seen = seen

    @classmethod
    def ones(cls, outputs: int) -> Self:
        """Products of no factor."""
        return cls(np.ones(outputs), np.zeros(outputs), np.zeros(outputs, np.int64), np.zeros(outputs, np.uint8))

    @property
    def nbytes(self) -> int:
        return self.high.nbytes + self.low.nbytes + self.exponent.nbytes + self.seen.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        """Multiply. Associative up to the rounding of the last of 106 bits; see the module."""
        scratch = Scratch(5, min(_OUTPUTS, len(other.high)))
        for part in cuts(len(other.high), _OUTPUTS):
            here = slice(at + part.start, at + part.stop)
            high, low = self.high[here], self.low[here]
            multiply_into(high, low, other.high[part], other.low[part].copy(), scratch)
            self.exponent[here] += other.exponent[part] + _normalise(high, low)
            self.seen[here] |= other.seen[part]


class Product:
    """Prod of one float dtype."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype

    def identity(self, outputs: int) -> Products:
        return Products.ones(outputs)

    def partial(self, box: Box, first: int = 0) -> Products:
        o, _, i, _ = box.shape
        multiplication = _Multiplication(box.size)
        if box.size <= _SLAB:
            return multiplication.products(box)
        state = self.identity(o * i)
        for a, b, pieces in regions(box.shape, _SLAB, 4 * _FACTORS):
            for piece in pieces:
                state.merge(multiplication.products(box[piece]), a.start * i + b.start)
        return state

    def finish(self, state: Products, count: int) -> NDArray[Any]:
        results = np.empty(len(state.high), self._dtype)
        for part in cuts(len(results), _OUTPUTS):
            results[part] = _rounded(state.high[part], state.low[part], state.exponent[part], self._dtype)
        if state.seen.any():
            zero, infinite = state.seen == _ZERO, state.seen == _INFINITE
            results[zero] = np.copysign(0.0, state.high[zero])
            results[infinite] = np.copysign(np.inf, state.high[infinite])
            results[state.seen > _INFINITE] = FORMATS[self._dtype].quiet_nan
        return results

    def whole(self, box: Box) -> NDArray[Any]:
        _, r1, _, r2 = box.shape
        return self.finish(self.partial(box), r1 * r2)

    def empty(self) -> np.generic:
        one: np.generic = self._dtype.type(1)
        return one

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return values


def product(dtype: np.dtype[Any]) -> Product:
    """Prod of float16, bfloat16, float32 or float64."""
    return Product(dtype)


class _Multiplication:
    """Multiplies the elements of slabs, in arrays that are allocated once for all of them."""

    def __init__(self, size: int) -> None:
        self._factors = Scratch(3, min(size, _TILE))
        self._scratch = Scratch(5, min(size, max(_TILE, _SLAB // _FACTORS)) // 2 + 1)

    def products(self, slab: Box) -> Products:
        """The products of slab[o, r1, i, r2] over r1 and r2."""
        o, r1, i, r2 = slab.shape
        axis, reduced = (1, r1) if r1 >= r2 else (3, r2)
        # The longer reduced axis falls into segments of some lanes each. Segments are multiplied lane by lane while
        # they are in the cache, what is left over becomes lanes of its own, and then lanes are multiplied together.
        lanes = max(1, reduced // _FACTORS)
        segments = reduced // lanes
        whole = segments * lanes
        before, after = slab.shape[:axis], slab.shape[axis + 1 :]
        shape = (*before, lanes + reduced - whole, *after)
        seen = np.zeros((o, i), np.uint8)
        high, low, exponent = np.empty(shape), np.empty(shape), np.empty(shape, np.int64)
        body = _along(slab, axis, slice(whole)).reshape(*before, segments, lanes, *after)
        self._multiply(
            np.moveaxis(body, axis, 0),
            _along(high, axis, slice(lanes)),
            _along(low, axis, slice(lanes)),
            _along(exponent, axis, slice(lanes)),
            seen,
        )
        if whole < reduced:
            self._multiply(
                _along(slab, axis, slice(whole, None))[None],
                _along(high, axis, slice(lanes, None)),
                _along(low, axis, slice(lanes, None)),
                _along(exponent, axis, slice(lanes, None)),
                seen,
            )
        exponents: Integers = np.add.reduce(exponent, axis=(1, 3)).reshape(-1)
        high, low = (x.transpose(1, 3, 0, 2).reshape(-1, o * i) for x in (high, low))
        for part in cuts(o * i, max(1, _TILE // len(high))):
            self._lanes(high[:, part], low[:, part], exponents[part])
        return Products(high[0], low[0], exponents, seen.reshape(-1))

    def _lanes(self, high: Floats, low: Floats, exponents: Integers) -> None:
        """The products of the rows, in place into the first row, normalised."""
        while True:
            exponents += np.add.reduce(_normalise(high, low), axis=0)
            if len(high) == 1:
                return
            high, low = self._halved(high, low, _HALVINGS)

    def _multiply(self, factors: Box, high: Floats, low: Floats, exponent: Integers, seen: NDArray[np.uint8]) -> None:
        """The products of factors[s, o, r1, i, r2] over s, tile by tile."""
        for a, b, pieces in regions(high.shape, max(1, _TILE // len(factors)), 1):
            for piece in pieces:
                high[piece], low[piece], exponent[piece] = self._tile(factors[(slice(None), *piece)], seen[a, b])

    def _tile(self, tile: Box, seen: NDArray[np.uint8]) -> tuple[Floats, Floats, Integers]:
        """The products of tile[s, o, r1, i, r2] over s, not normalised; notes in seen[o, i] what it saw."""
        values = tile if tile.dtype == np.float64 else tile.astype(np.float64)
        high, low, spare = self._factors.shaped(tile.shape)
        fields, mantissas = spare.view(np.int64), high.view(np.int64)
        _read_fields(values, fields)
        exponent: Integers = np.add.reduce(fields, axis=0)
        if np.minimum.reduce(fields, axis=None) == 0 or np.maximum.reduce(fields, axis=None) == _FIELD:
            _note(values, seen)
            small = fields == 0
            values = np.multiply(values, 2.0**_SUBNORMAL_SCALE, out=values.copy(), where=small)
            _read_fields(values, fields)
            exponent = np.add.reduce(fields - small * _SUBNORMAL_SCALE, axis=0)
        exponent -= _BIAS * len(tile)
        np.bitwise_and(values.view(np.int64), _SIGN_AND_FRACTION, out=mantissas)
        mantissas |= _ONE
        half = len(tile) // 2
        if half:
            two_product_into(high[:half], high[-half:], low[:half], self._scratch)
        low[half : len(tile) - half] = 0.0
        high, low = self._halved(high[: len(tile) - half], low[: len(tile) - half], _HALVINGS)
        return high[0], low[0], exponent

    def _halved(self, high: Floats, low: Floats, times: int) -> tuple[Floats, Floats]:
        """The first half of the rows multiplied by the last, in place, until one is left or `times` times."""
        length = len(high)
        while length > 1 and times:
            half = length // 2
            multiply_into(
                high[:half], low[:half], high[length - half : length], low[length - half : length], self._scratch
            )
            length, times = length - half, times - 1
        return high[:length], low[:length]


def _rounded(high: Floats, low: Floats, exponent: Integers, dtype: np.dtype[Any]) -> NDArray[Any]:
    if np.abs(exponent).max() > _MODERATE:
        return round_scaled(high, low, exponent, dtype)
    scale = ((exponent + _BIAS) << _FRACTION_BITS).view(np.float64)
    return round_pair(high * scale, low * scale, dtype)


def _along(box: NDArray[Any], axis: int, cut: slice) -> NDArray[Any]:
    return box[(*(slice(None),) * axis, cut)]


def _note(values: Floats, seen: NDArray[np.uint8]) -> None:
    size = np.abs(values)
    for found, what in ((size == 0, _ZERO), (size == np.inf, _INFINITE), (np.isnan(size), _NAN)):
        seen |= found.any(axis=(0, 2, 4)) * np.uint8(what)


def _read_fields(values: Floats, fields: Integers) -> None:
    """The exponent fields: 0 for zeros and subnormals, 2047 for infinities and NaN."""
    np.right_shift(values.view(np.int64), _FRACTION_BITS, out=fields)
    fields &= _FIELD


def _normalise(high: Floats, low: Floats) -> Integers:
    """Scale (high, low) in place so that 1 <= |high| < 2, and say by which power of two they were larger."""
    exponent = np.empty(high.shape, np.int64)
    _read_fields(high, exponent)
    exponent -= _BIAS
    scale = ((_BIAS - exponent) << _FRACTION_BITS).view(np.float64)
    high *= scale
    low *= scale
    return exponent
