"""Which element of a set is the extreme, and which elements are as extreme, dtype by dtype.

Minimum and maximum are those of IEEE 754-2019: -0.0 lies below +0.0, and a NaN, which comes out in its canonical
quiet form, beats every number. To tie is weaker: +0.0 ties with -0.0, and any NaN with any other.

An order looks at elements in its `storage` dtype, of the same width: integers and bool as themselves, floats where
NumPy has fast loops for them, else as bits.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from app.kernels.extremes.bit_order import BitOrder, Duel, across
from app.kernels.extremes.folding import fold
from app.kernels.kernel import elements_of

# One output in so many that is to be looked at again is looked at by itself.
RARE = 8


class Order(Protocol):
    """The smallest, or the largest, of a dtype."""

    storage: np.dtype[Any]
    weakest: np.generic  # the element that gives way to any other; the extreme of the empty set
    passes: int  # how often `extremes` looks at most elements

    def suited(self, sample: NDArray[Any]) -> "Order":
        """An order with the same answers, maybe in another storage, that is quick on elements like these."""

    def extremes(self, box: NDArray[Any], into: NDArray[Any] | None = None) -> NDArray[Any]:
        """The extreme over r1 and r2, 1-D by output; a NaN in any form. `into` may be used for them, as by `fold`."""

    def further(self, some: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
        """The extreme of each pair."""

    def canonical(self, extremes: NDArray[Any]) -> NDArray[Any]:
        """Extremes with NaN in its one form, in place."""

    def rivals(self, box: NDArray[Any]) -> NDArray[Any]:
        """Something that ties with the extreme over r1 and r2, 1-D by output; easier to find than the extreme."""

    def duel(self, some: NDArray[Any], others: NDArray[Any]) -> Duel:
        """Something that ties with the extreme of each pair, and where one and where the other ties with it."""

    def comparable(self, elements: NDArray[Any]) -> NDArray[Any] | None:
        """Numbers in the order of the elements, 1-D, equal where those tie; None where some are NaN."""

    def ties(self, box: NDArray[Any], rivals: NDArray[Any]) -> NDArray[np.bool_]:
        """Where the elements of a tile tie with their output's extreme, or what ties with that."""


class IntegerOrder:
    """Integers of any width, and bool, of which true is the larger."""

    passes = 1

    def __init__(self, dtype: np.dtype[Any], largest: bool) -> None:
        self.storage = dtype
        self._ufunc: np.ufunc = np.maximum if largest else np.minimum
        if dtype.kind == "b":
            self._ufunc = np.logical_or if largest else np.logical_and  # the same, but they stop at the first hit
            self.weakest: np.generic = np.bool_(not largest)
        else:
            bounds = np.iinfo(dtype)
            self.weakest = dtype.type(bounds.min if largest else bounds.max)

    def suited(self, sample: NDArray[Any]) -> Order:
        return self

    def extremes(self, box: NDArray[Any], into: NDArray[Any] | None = None) -> NDArray[Any]:
        return fold(self._ufunc, box, into)

    rivals = extremes

    def further(self, some: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self._ufunc(some, others))

    def canonical(self, extremes: NDArray[Any]) -> NDArray[Any]:
        return extremes

    def duel(self, some: NDArray[Any], others: NDArray[Any]) -> Duel:
        rivals = self._ufunc(some, others)
        return rivals, np.equal(some, rivals), np.equal(others, rivals)

    def comparable(self, elements: NDArray[Any]) -> NDArray[Any] | None:
        return elements

    def ties(self, box: NDArray[Any], rivals: NDArray[Any]) -> NDArray[np.bool_]:
        return np.equal(box, across(box, rivals))


class FloatOrder:
    """float32 and float64: NumPy's minimum and maximum carry a NaN along, but take either zero for the other."""

    passes = 1

    def __init__(self, dtype: np.dtype[Any], largest: bool) -> None:
        self.storage = dtype
        self.weakest: np.generic = dtype.type(-np.inf if largest else np.inf)
        self._ufunc: np.ufunc = np.maximum if largest else np.minimum
        self._bits = BitOrder(dtype, largest)
        self._both: np.ufunc = np.bitwise_and if largest else np.bitwise_or
        # A zero of the extreme's own sign is right. One of the other sign is the least of all integers of its bits.
        self._doubted, self._other = (np.dtype(f"{kind}{dtype.itemsize}") for kind in ("iu" if largest else "ui"))
        self._doubtful = self._doubted.type(np.iinfo(self._doubted).min)

    def suited(self, sample: NDArray[Any]) -> Order:
        bits = self.rivals(sample).view(self._doubted)
        return self._bits if np.minimum.reduce(bits) == self._doubtful else self

    def extremes(self, box: NDArray[Any], into: NDArray[Any] | None = None) -> NDArray[Any]:
        found = self.rivals(box, into)
        o, r1, i, r2 = box.shape
        if r1 * r2 == 1:
            return found
        doubted = found.view(self._doubted)
        if np.minimum.reduce(doubted) == self._doubtful:
            bits = box.view(self._bits.storage)
            if not self._has_other_zero(bits):
                return found
            doubts = np.equal(doubted, self._doubtful)
            if np.count_nonzero(doubts) * RARE > o * i:
                return np.copysign(found, self._signs(bits), out=found)
            at = np.flatnonzero(doubts)
            found[at] = np.copysign(found[at], self._signs(elements_of(bits, at)))
        return found

    def _signs(self, bits: NDArray[Any]) -> NDArray[Any]:
        """Numbers with the signs of the extremes, where those are no NaNs. A minimum has a sign if any element has, a
        maximum if all have: only for zeros is this any news."""
        return fold(self._both, bits).view(self.storage)

    def _has_other_zero(self, bits: NDArray[Any]) -> bool:
        """Whether any element is a zero of the extreme's own sign."""
        view = bits.view(self._other)
        return bool(np.minimum.reduce(view, axis=None) == np.iinfo(self._other).min)

    def further(self, some: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
        found: NDArray[Any] = self._ufunc(some, others)
        if np.logical_or.reduce(np.equal(found, 0)):
            signs = self._both(some.view(self._bits.storage), others.view(self._bits.storage))
            found = np.copysign(found, signs.view(self.storage))
        return found

    def canonical(self, extremes: NDArray[Any]) -> NDArray[Any]:
        if np.isnan(self._ufunc.reduce(extremes)):
            extremes[np.isnan(extremes)] = np.nan
        return extremes

    def rivals(self, box: NDArray[Any], into: NDArray[Any] | None = None) -> NDArray[Any]:
        return fold(self._ufunc, box, into)

    def duel(self, some: NDArray[Any], others: NDArray[Any]) -> Duel:
        rivals = self._ufunc(some, others)
        stays, comes = np.equal(some, rivals), np.equal(others, rivals)
        if np.isnan(self._ufunc.reduce(rivals)):
            nans = np.isnan(rivals)
            np.isnan(some, out=stays, where=nans)
            np.isnan(others, out=comes, where=nans)
        return rivals, stays, comes

    def comparable(self, elements: NDArray[Any]) -> NDArray[Any] | None:
        return None if np.isnan(self._ufunc.reduce(elements)) else elements

    def ties(self, box: NDArray[Any], rivals: NDArray[Any]) -> NDArray[np.bool_]:
        rivals = across(box, rivals)
        tied = np.equal(box, rivals)
        if np.isnan(self._ufunc.reduce(rivals, axis=None)):
            np.isnan(box, out=tied, where=np.isnan(rivals))
        return tied


def order(dtype: np.dtype[Any], largest: bool) -> Order:
    """The order of a dtype, by its largest or its smallest element."""
    if dtype.kind in "biu":
        return IntegerOrder(dtype, largest)
    # NumPy takes float16 and bfloat16 one by one, through float32.
    return BitOrder(dtype, largest) if dtype.itemsize == 2 else FloatOrder(dtype, largest)
