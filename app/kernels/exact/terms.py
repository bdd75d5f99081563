"""What is summed: the elements, their magnitudes, or their squares, none of them rounded."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.bins import Bins
from app.kernels.exact.estimates import Elements, Estimate, Magnitudes, Shape
from app.kernels.exact.loading import NARROW_TILE_ELEMENTS, READERS_FOR_SUMS, TILE_ELEMENTS, Loaded, Reader
from app.kernels.exact.parts import MOST_RANGE_BITS, Sums, exact_sums, scaled
from app.kernels.rounding import Floats, Integers
from app.kernels.scratch import Scratch

# Outside, cutting constants or their sums could overflow or lose bits; bins know no such bounds.
LOWEST_UNIT, HIGHEST_TOP = -900, 900


@dataclass(frozen=True, slots=True)
class Term:
    """A function of an element. `cut` makes sums of a tile's terms, or returns None where their range
    is too wide: then `count` puts them into bins one by one. `signed` terms can be -0.0 and -inf. `estimate` is the
    sums of a tile's terms within a bound, where that is quicker, for `enough` terms and more. `of_few` is numbers with
    the exact sum of the terms of a few finite elements, or None. `tile` elements are cut together, of each output
    `depth` or more where memory is then read in one run. `guess` makes the sums of a tile of numbers at less cost, or
    None; not of signed terms, as it does not tell whether they are -0.0."""

    signed: bool
    reader: Reader
    cut: Callable[[Loaded, Scratch], list[Sums] | None]
    count: Callable[[Bins, Floats], None]
    of_few: Callable[[list[float]], list[float] | None]
    estimate: Estimate | None
    enough: int = 0
    tile: int = TILE_ELEMENTS
    depth: int = 16
    guess: Callable[[NDArray[Any], Shape, Scratch], list[Sums] | None] | None = None


def cuttable(top: int, unit: int) -> bool:
    """Whether terms of this range make parts."""
    return top - unit <= MOST_RANGE_BITS and unit >= LOWEST_UNIT and top <= HIGHEST_TOP


def cut_elements(loaded: Loaded, scratch: Scratch) -> list[Sums] | None:
    if not cuttable(loaded.top + loaded.scale, loaded.unit + loaded.scale):
        return None
    rest, head, *_ = scratch.shaped(loaded.y.shape)
    return scaled(exact_sums(loaded.y, rest, head, loaded.top, loaded.unit), loaded.scale)


def cut_magnitudes(loaded: Loaded, scratch: Scratch) -> list[Sums] | None:
    return cut_elements(loaded._replace(y=np.abs(loaded.y, out=scratch.shaped(loaded.y.shape)[0])), scratch)


def count_elements(bins: Bins, y: Floats) -> None:
    mantissa, place, output = integers(y)
    bins.count(mantissa, place, output)


def count_magnitudes(bins: Bins, y: Floats) -> None:
    mantissa, place, output = integers(y)
    bins.count(np.abs(mantissa), place, output)


def integers(y: Floats) -> tuple[Integers, Integers, Integers]:
    """Values y[a, r, b] as integer * 2^place, and which of the a * b outputs they go to; 1-D."""
    a, _, b = y.shape
    fraction, exponent = np.frexp(y)
    mantissa = np.ldexp(fraction, 53).astype(np.int64)
    output = np.broadcast_to(np.arange(a * b).reshape(a, 1, b), y.shape)
    return mantissa.reshape(-1), exponent.reshape(-1).astype(np.int64) - 53, output.reshape(-1)


def few_elements(row: list[float]) -> list[float]:
    return row


def few_magnitudes(row: list[float]) -> list[float]:
    return list(map(abs, row))


# Sums of fewer terms are often exact halves between two numbers, and no bound decides those.
_ENOUGH_TERMS = 64


def _tile(dtype: np.dtype[Any]) -> int:
    """Terms of float16 are never cut, so they take one array."""
    return NARROW_TILE_ELEMENTS if dtype == np.float16 else TILE_ELEMENTS


def element(dtype: np.dtype[Any]) -> Term:
    """A dtype's elements themselves."""
    estimate = Elements() if dtype == np.float64 else None
    return Term(
        True, READERS_FOR_SUMS[dtype], cut_elements, count_elements, few_elements, estimate, _ENOUGH_TERMS, _tile(dtype)
    )


def magnitude(dtype: np.dtype[Any]) -> Term:
    """Their magnitudes."""
    estimate = Magnitudes() if dtype == np.float64 else None
    return Term(
        False,
        READERS_FOR_SUMS[dtype],
        cut_magnitudes,
        count_magnitudes,
        few_magnitudes,
        estimate,
        _ENOUGH_TERMS,
        _tile(dtype),
    )
