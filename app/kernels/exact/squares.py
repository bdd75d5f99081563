"""Squares. Those of float64 fall into digits of few enough bits that sums of their products have no rounding."""

from dataclasses import replace
from itertools import combinations_with_replacement
from math import frexp, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.elementary.double_double import two_product_of_one
from app.kernels.exact.adding import products
from app.kernels.exact.bins import Bins
from app.kernels.exact.estimates import Shape
from app.kernels.exact.loading import READERS, Loaded, range_of
from app.kernels.exact.parts import Part, Sums, exact_sums, scaled, split
from app.kernels.exact.square_estimates import ShortSquares, Squares, sample
from app.kernels.exact.terms import HIGHEST_TOP, LOWEST_UNIT, Term, count_elements, cuttable, integers
from app.kernels.rounding import FLOAT_FORMATS, Floats
from app.kernels.scratch import Scratch

# 2^5 products of two digits of 24 bits add exactly: 53 bits in all.
_DIGIT_BITS, _GROUP_BITS = 24, 5
_MOST_DIGITS = 6  # of an element; fewer than there are scratch arrays
# The square of numbers between is two float64, exactly.
_SMALLEST, _LARGEST = 2.0**-480, 2.0**480
# Bits that the largest square may have more than the largest of a sample.
_SPARE_BITS = 2


def cut_squares(loaded: Loaded, scratch: Scratch) -> list[Sums] | None:
    """x = d0 + d1 + …, x² = Σ di² + 2 Σ di·dj, each sum by itself."""
    y, top, unit = loaded.y, loaded.top, loaded.unit
    if top - unit > _MOST_DIGITS * (_DIGIT_BITS + 1) - 1 or 2 * unit < LOWEST_UNIT or 2 * top > HIGHEST_TOP:
        return None
    digits: list[Part] = []
    rest, *free = scratch.shaped(y.shape)
    while top - unit > _DIGIT_BITS:
        cut = top - _DIGIT_BITS
        digit = free[len(digits)]
        split(y, cut, digit, rest)
        y = rest
        digits.append(Part(digit, top, cut))
        top = cut - 1
    digits.append(Part(y, top, unit))
    found: list[Sums] = []
    for one, other in combinations_with_replacement(digits, 2):
        twice = one is not other
        sums = products(one.values, other.values, 1 << _GROUP_BITS)
        if twice:
            sums *= 2
        found.append(Sums(sums, one.top + other.top + _GROUP_BITS + twice, one.unit + other.unit + twice))
    return found


def count_squares(bins: Bins, y: Floats) -> None:
    """(h·2^27 + l)² as three integers, element by element."""
    mantissa, place, output = integers(y)
    size = np.abs(mantissa)
    high, low = size >> 27, size & ((1 << 27) - 1)
    place *= 2
    bins.count(high * high, place + 54, output)
    bins.count(2 * high * low, place + 27, output)
    bins.count(low * low, place, output)


def cut_short_squares(loaded: Loaded, scratch: Scratch) -> list[Sums] | None:
    """Squares of values of at most 26 bits, which float64 holds."""
    top, unit = 2 * loaded.top, 2 * loaded.unit
    if not cuttable(top, unit):
        return None
    y = np.square(loaded.y, out=loaded.y)
    return scaled(exact_sums(y, y, scratch.shaped(y.shape)[1], top, unit), 2 * loaded.scale)


def guess_squares(tile: NDArray[Any], shape: Shape, scratch: Scratch) -> list[Sums] | None:
    """The sums of the squares of a tile of float32, cut as the largest of some elements asks for: one reading less.
    None where another proves too large for that, or is no number.

    Squares are not negative. So if their heads add up to less than where sums begin to be rounded, so did every sum on
    the way, and every square is as small as it has to be.
    """
    y = scratch.shaped(tile.shape)[0]
    np.copyto(y, tile)
    np.square(y, out=y)
    smallest = float(np.minimum.reduce(y, axis=None))
    likely = float(np.maximum.reduce(sample(y)))
    if not 0.0 <= smallest <= likely < np.inf:
        return None
    form = FLOAT_FORMATS[tile.dtype]
    bits = range_of(tile, scratch)[1] if smallest == 0.0 else int(np.float32(sqrt(smallest)).view(form.bits))
    top, unit = frexp(likely)[1] + _SPARE_BITS, 2 * form.unit(bits)
    if top < unit or not cuttable(top, unit):
        return None
    y = y.reshape(shape)
    sums = exact_sums(y, y, scratch.shaped(shape)[1], top, unit)
    first, *rests = sums
    most = float(np.maximum.reduce(first.values, axis=None))
    # Squares too large to be cut, of 2^51 units of the heads or more, are multiples of 16 units: they are their heads.
    if not most < 2.0 ** (first.unit + 53):
        return None
    return [first._replace(top=frexp(most)[1]), *rests]


def count_short_squares(bins: Bins, y: Floats) -> None:
    count_elements(bins, np.square(y, out=y))


def few_squares(row: list[float]) -> list[float] | None:
    """Two numbers for each square; None where one might not be exact, as it is too large or too small."""
    if not all(_SMALLEST <= abs(x) <= _LARGEST for x in row if x):
        return None
    return [part for x in row for part in two_product_of_one(x, x)]


def few_short_squares(row: list[float]) -> list[float]:
    """Squares of at most 24 bits' numbers, which float64 holds."""
    return [x * x for x in row]


def square(dtype: np.dtype[Any]) -> Term:
    """The squares of a dtype's elements."""
    if dtype == np.float64:
        depth = 1 << _GROUP_BITS
        return Term(False, READERS[dtype], cut_squares, count_squares, few_squares, Squares(), depth=depth)
    short = Term(False, READERS[dtype], cut_short_squares, count_short_squares, few_short_squares, ShortSquares(dtype))
    return replace(short, guess=guess_squares) if dtype == np.float32 else short
