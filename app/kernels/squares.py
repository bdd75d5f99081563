"""Squares. Those of float64 fall into digits of few enough bits that sums of their products have no rounding."""

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from app.kernels.bins import Bins
from app.kernels.estimates import estimate_short_squares, estimate_squares
from app.kernels.loading import Loaded, Workspace
from app.kernels.parts import WIDEST, Part, exact_parts
from app.kernels.rounding import Floats
from app.kernels.terms import HIGHEST_TOP, LOWEST_UNIT, Term, count_elements, cut_terms, integers

# 32 products of two 24-bit digits add exactly.
DIGIT, GROUP_BITS = 24, 5
MOST_DIGITS = 6


def cut_squares(loaded: Loaded, workspace: Workspace) -> list[Part] | None:
    """x = d0 + d1 + …, x² = Σ di² + 2 Σ di·dj, each sum by itself."""
    y, top, unit = loaded.y, loaded.top, loaded.unit
    if top - unit > MOST_DIGITS * (DIGIT + 1) - 1 or 2 * unit < LOWEST_UNIT or 2 * top > HIGHEST_TOP:
        return None
    digits: list[Part] = []
    while top - unit > DIGIT:
        cut = top - DIGIT
        digit = np.add(y, 1.5 * 2.0 ** (52 + cut), out=workspace.scratch(y.shape, nth=1 + len(digits)))
        digit -= 1.5 * 2.0 ** (52 + cut)
        y -= digit
        digits.append(Part(digit, top, cut))
        top = cut - 1
    digits.append(Part(y, top, unit))
    parts: list[Part] = []
    for one, other in combinations_with_replacement(digits, 2):
        twice = one is not other
        sums = _products(one.values, other.values)
        if twice:
            sums *= 2
        top, unit = one.top + other.top + GROUP_BITS + twice, one.unit + other.unit + twice
        parts += exact_parts(sums, np.empty_like(sums), top, unit)
    return parts


def _products(x: Floats, y: Floats) -> Floats:
    """Sums over r of at most 32 products x[a, r, b]·y[a, r, b] each, as [a, groups, b]."""
    a, r, b = x.shape
    groups = -(-r // (1 << GROUP_BITS))
    whole = r - r % groups
    shape = (a, whole // groups, groups * b)
    sums: Floats = np.einsum("agb,agb->ab", x[:, :whole].reshape(shape), y[:, :whole].reshape(shape))
    sums = sums.reshape(a, groups, b)
    if whole < r:
        sums[:, : r - whole] += x[:, whole:] * y[:, whole:]
    return sums


def count_squares(bins: Bins, y: Floats) -> None:
    """(h·2^27 + l)² as three integers, element by element."""
    mantissa, place, output = integers(y)
    size = np.abs(mantissa)
    high, low = size >> 27, size & ((1 << 27) - 1)
    place *= 2
    bins.count(high * high, place + 54, output)
    bins.count(2 * high * low, place + 27, output)
    bins.count(low * low, place, output)


def cut_short_squares(loaded: Loaded, workspace: Workspace) -> list[Part] | None:
    """Squares of values of at most 26 bits, which float64 holds."""
    if 2 * loaded.top - 2 * loaded.unit > WIDEST:
        return None
    return cut_terms(np.square(loaded.y, out=loaded.y), 2 * loaded.top, 2 * loaded.unit, workspace)


def count_short_squares(bins: Bins, y: Floats) -> None:
    count_elements(bins, np.square(y, out=y))


def square(dtype: np.dtype[Any]) -> Term:
    """The squares of a dtype's elements."""
    if dtype == np.float64:
        return Term(False, cut_squares, count_squares, estimate_squares)
    return Term(False, cut_short_squares, count_short_squares, estimate_short_squares)
