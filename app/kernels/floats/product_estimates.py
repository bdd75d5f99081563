"""Products of narrow floats by float64 alone: of all but a few, its error does not reach a midpoint.

Each of the n - 1 multiplications rounds once, so a product of float64s is within n * 2^-52 of itself as long as nothing
overflows or underflows on the way. It does not: a span bounds how far factors lie from 1, and those whose products
would lie too far are taken apart into fractions and exponents first.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.gathering import ELEMENTS_PER_OUTPUT, over_columns
from app.kernels.exact.loading import READERS, TILE_ELEMENTS, TILES, load
from app.kernels.floats.result import Tentative, decided
from app.kernels.kernel import Box
from app.kernels.regions import regions
from app.kernels.rounding import FLOAT_FORMATS, Floats, Integers, cast
from app.kernels.scratch import Scratch

# Factors that are multiplied together in one go: enough, and the cache holds their rows.
_FACTORS = 32
# The widest span: powers of two to either side of 1 that float64 has, and some to spare. No narrow dtype has as many.
_WIDEST = 900
# Products of so many bits are float64s.
_EXACT_BITS = 53
# What a factor may add to the error of a product, relative to that.
_ERROR = 2.0**-52


def tentative(box: Box) -> Tentative | None:
    """The products over r1 and r2 of a box of narrow floats, and which of them are undecided; None if some element is
    no finite number."""
    o, r1, i, r2 = box.shape
    scale, count = READERS[box.dtype].scale, r1 * r2
    values = np.empty((o, i))
    with TILES.borrowed() as scratch:
        for a, b, pieces in regions(box.shape, TILE_ELEMENTS, ELEMENTS_PER_OUTPUT):
            product = None
            for piece in pieces:
                factors = _of_tile(box[piece], scratch)
                if factors is None:
                    return None
                product = factors if product is None else product.times(factors)
            assert product is not None
            region = values[a, b]
            region[...] = product.values(scale * count).reshape(region.shape)
    about = values.reshape(-1)
    if count * FLOAT_FORMATS[box.dtype].precision <= _EXACT_BITS:
        return cast(about, box.dtype), np.zeros(about.size, np.bool_)
    results, undecided = decided(about, np.abs(about) * (count * _ERROR), box.dtype)
    if np.count_nonzero(about) < about.size:
        zero = about == 0
        results[zero] = cast(about[zero], box.dtype)
        undecided &= ~zero
    return results, undecided


def _of_tile(tile: Box, scratch: Scratch) -> "_Factors | None":
    """The products of a tile; None if some element is no finite number."""
    loaded = load(tile, *over_columns(tile), READERS[tile.dtype], scratch)
    if not loaded.finite:
        return None
    factors = _Factors(loaded.y, max(loaded.top, -loaded.unit, 1))
    factors.multiply()
    return factors


class _Factors:
    """Numbers y[a, r, b] * 2^exponent, where y is within 2^-span and 2^span, or 0; once multiplied, 1-D."""

    def __init__(self, y: Floats, span: int, exponent: Integers | None = None) -> None:
        self.y = y
        self.span = span
        self.exponent = exponent

    def multiply(self) -> None:
        """Over r, to one for each output, 1-D."""
        while (r := self.y.shape[1]) > 1:
            if 2 * self.span > _WIDEST:
                self.take_apart()
            most = min(_FACTORS, _WIDEST // self.span)
            factors = max(2, r // -(-r // most))  # in groups alike, if they go into r
            self.y = _grouped(np.multiply, self.y, factors)
            if self.exponent is not None:
                self.exponent = _grouped(np.add, self.exponent, factors)
            self.span *= factors
        self.y = self.y.reshape(-1)
        self.exponent = None if self.exponent is None else self.exponent.reshape(-1)

    def times(self, other: "_Factors") -> "_Factors":
        """Each times the other's."""
        self.take_apart()
        other.take_apart()
        assert self.exponent is not None
        assert other.exponent is not None
        return _Factors(self.y * other.y, 2, self.exponent + other.exponent)

    def values(self, exponent: int) -> Floats:
        """They times 2^exponent; where that is beyond every narrow dtype, something that is, too."""
        if self.exponent is None:
            return np.ldexp(self.y, exponent) if exponent else self.y
        return np.ldexp(self.y, np.clip(self.exponent + exponent, -_WIDEST, _WIDEST).astype(np.int32))

    def take_apart(self) -> None:
        """Let y be from 1/2 to 1, or 0."""
        self.y, exponent = np.frexp(self.y)
        self.exponent = exponent + (np.int64(0) if self.exponent is None else self.exponent)
        self.span = 1


def _grouped(ufunc: np.ufunc, x: NDArray[Any], size: int) -> NDArray[Any]:
    """x[a, r, b] over r, in groups of so many elements; the few that are left over stay by themselves."""
    a, r, b = x.shape
    groups, over = divmod(r, size)
    grouped = x[:, : r - over].reshape(a, size, groups * b)
    if not over:
        return np.asarray(ufunc.reduce(grouped, axis=1)).reshape(a, groups, b)
    found = np.empty((a, groups + over, b), x.dtype)
    found[:, :groups] = ufunc.reduce(grouped, axis=1).reshape(a, groups, b)
    found[:, groups:] = x[:, r - over :]
    return found
