"""Sums to within a proven bound: in one reading, where the exact sum takes several.

The bound nearly always decides the rounding. Where it does not, or where a term is not finite, a square may overflow
or underflow, or a zero's sign is asked, so is the exact sum.
"""

from abc import ABC, abstractmethod
from math import frexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.kernels.elementary.double_double import two_sum
from app.kernels.exact import parts
from app.kernels.exact.adding import added, grouped
from app.kernels.exact.approximation import Approximation, total_of
from app.kernels.exact.loading import TILE_ELEMENTS, near
from app.kernels.exact.parts import Part, joined, split
from app.kernels.rounding import Floats
from app.kernels.scratch import Scratch

# Terms that are added one after the other: few, for every addition widens the bound, and enough to pay for a call. Of
# products, twice as many.
RUN_TERMS = 32
# Elements of sizes 2^-800 to 2^800 have rests and sums that neither overflow nor lose bits below.
_MOST_EXPONENT = 800

Shape = tuple[int, int, int]


class Rough(NamedTuple):
    """Sums of terms: exact ones as parts, and ones of rests up to `step` in size, rounded in so many `additions`."""

    exact: list[Part]
    rest: Floats
    additions: int
    step: Floats | float  # for all outputs, or one by one


class Estimate(ABC):
    """Sums of terms, tile by tile, of `tile` elements each."""

    tile: int = TILE_ELEMENTS

    @abstractmethod
    def of_tile(self, tile: NDArray[Any], shape: Shape, count: int, scratch: Scratch) -> Rough | None:
        """The sums of a tile seen as `shape`, of outputs of `count` terms in all; None where nothing is known."""

    @abstractmethod
    def closed(self, sums: Rough, count: int) -> Approximation:
        """Exact sums and sums of rests as one."""


def together(tiles: list[Rough | None], outputs: int) -> Rough:
    """The sums of several tiles of the same outputs; of an unlimited step where one of them is unknown."""
    found = [rough for rough in tiles if rough is not None]
    if len(found) < len(tiles):
        return Rough([], np.zeros(outputs), 1, np.inf)
    if len(found) == 1:
        return found[0]
    exact, rest, additions, step = found[0]
    for rough in found[1:]:
        exact = exact + rough.exact
        rest += rough.rest
        additions, step = max(additions, rough.additions), np.maximum(step, rough.step)
    return Rough(joined(exact), rest, additions + len(found), step)


def side_by_side(several: list[Rough]) -> Rough:
    """Sums of different outputs as one."""
    if len(several) == 1:
        return several[0]
    outputs = [len(sums.rest) for sums in several]
    return Rough(
        parts.side_by_side([sums.exact for sums in several], outputs),
        np.concatenate([sums.rest for sums in several]),
        max([sums.additions for sums in several]),
        np.repeat(np.array([sums.step for sums in several]), outputs),
    )


class Cut(Estimate):
    """Terms of float64, each cut in two: what is large of them adds up exactly, what is left is added as it comes."""

    def closed(self, sums: Rough, count: int) -> Approximation:
        high, low, missed, _ = total_of(sums.exact, len(sums.rest))
        missed = missed + self._bound(high, sums.step, count) * (sums.additions * 2.0**-53)
        high, over = two_sum(high, sums.rest)
        if len(sums.exact) == 1:
            return Approximation(high, over, missed)
        low = low + over
        return Approximation(*two_sum(high, low), missed + np.abs(low) * 2.0**-52)

    @abstractmethod
    def _bound(self, exact: Floats, step: Floats | float, count: int) -> Floats | float:
        """What the sizes of `count` rests up to `step` add up to at most, beside `exact` sums."""


class Elements(Cut):
    """Elements, of which some 2^-40 is left."""

    def of_tile(self, tile: NDArray[Any], shape: Shape, count: int, scratch: Scratch) -> Rough | None:
        y = self._terms(tile, scratch)
        largest = largest_size(y)
        if largest == 0:
            return Rough([], np.zeros(shape[0] * shape[2]), 0, 0.0)
        top = frexp(largest)[1]
        if not largest < np.inf or not -_MOST_EXPONENT < top < _MOST_EXPONENT:
            return None
        # The heads of all tiles add up exactly where their tops are within a factor of four.
        cut = top + 2 + max(2, count.bit_length()) - 53
        rest, head = scratch.shaped(y.shape)[:2]
        split(y, cut, head, rest)
        heads = Part(added(head.reshape(shape)).reshape(-1), top + shape[1].bit_length(), cut)
        levels = 1 + shape[1].bit_length() // 5
        return Rough([heads], _sums(rest.reshape(shape)), RUN_TERMS * levels, 2.0 ** (cut - 1))

    def _terms(self, tile: NDArray[Any], scratch: Scratch) -> Floats:
        return near(tile, scratch)

    def _bound(self, exact: Floats, step: Floats | float, count: int) -> Floats | float:
        return count * step


class Magnitudes(Elements):
    """The same for their magnitudes."""

    def _terms(self, tile: NDArray[Any], scratch: Scratch) -> Floats:
        return np.abs(tile, out=scratch.shaped(tile.shape)[0])


def largest_size(values: NDArray[Any]) -> float:
    """The largest size; NaN if there is one."""
    return max(float(np.maximum.reduce(values, axis=None)), -float(np.minimum.reduce(values, axis=None)))


def _sums(y: Floats) -> Floats:
    """Sums over r of y[a, r, b], [a * b], by runs of runs of RUN_TERMS."""
    while y.shape[1] > RUN_TERMS:
        y = grouped(y, RUN_TERMS)
    return np.add.reduce(y, axis=1).reshape(-1)
