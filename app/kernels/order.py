"""Which element of a set is the extreme, and which elements are as extreme, dtype by dtype.

Minimum and maximum are those of IEEE 754-2019: -0.0 lies below +0.0, and a NaN, which comes out in its canonical
quiet form, beats every number. To tie is weaker: +0.0 ties with -0.0, and any NaN with any other.

An order looks at elements in its `storage` dtype, of the same width: integers as themselves, bool as bytes,
16-bit floats as their bits, for which NumPy has no fast loops otherwise.
"""

from typing import Any, Protocol

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from app.kernels.folding import fold

SIGN = np.uint16(0x8000)


class Order(Protocol):
    """The smallest, or the largest, of a dtype."""

    storage: np.dtype[Any]
    last: np.generic  # the element that no other gives way to, in storage; the extreme of the empty set

    def rereads(self, sample: NDArray[Any]) -> bool:
        """Whether `extremes` is likely to look at elements like these more than once."""

    def extremes(self, box: NDArray[Any]) -> NDArray[Any]:
        """The extreme over r1 and r2 of a tile, 1-D by output."""

    def ties(self, box: NDArray[Any], extremes: NDArray[Any]) -> NDArray[np.bool_]:
        """Where the elements of a tile tie with their output's extreme, which is none below them."""


class IntegerOrder:
    """Integers of any width, and bool as the bytes 0 and 1."""

    def __init__(self, dtype: np.dtype[Any], largest: bool) -> None:
        self.storage = np.dtype(np.uint8) if dtype.kind == "b" else dtype
        self._ufunc: np.ufunc = np.maximum if largest else np.minimum
        bounds = np.iinfo(self.storage)
        smallest, greatest = (0, 1) if dtype.kind == "b" else (bounds.min, bounds.max)
        self.last: np.generic = self.storage.type(smallest if largest else greatest)

    def rereads(self, sample: NDArray[Any]) -> bool:
        return False

    def extremes(self, box: NDArray[Any]) -> NDArray[Any]:
        return fold(self._ufunc, box)

    def ties(self, box: NDArray[Any], extremes: NDArray[Any]) -> NDArray[np.bool_]:
        o, _, i, _ = box.shape
        return np.equal(box, extremes.reshape(o, 1, i, 1))


class FloatOrder:
    """float32 and float64: NumPy's minimum and maximum carry a NaN along, but take either zero for the other."""

    def __init__(self, dtype: np.dtype[Any], largest: bool) -> None:
        self.storage = dtype
        self.last: np.generic = dtype.type(-np.inf if largest else np.inf)
        self._ufunc: np.ufunc = np.maximum if largest else np.minimum
        self._bits = np.dtype(f"i{dtype.itemsize}")

    def rereads(self, sample: NDArray[Any]) -> bool:
        return not np.all(fold(self._ufunc, sample))

    def extremes(self, box: NDArray[Any]) -> NDArray[Any]:
        found = fold(self._ufunc, box)
        nans = np.isnan(found)
        if np.count_nonzero(nans):
            found[nans] = np.nan
        zeros = np.equal(found, 0)
        if np.count_nonzero(zeros):
            self._sign_zeros(found, zeros, box.view(self._bits))
        return found

    def _sign_zeros(self, found: NDArray[Any], zeros: NDArray[np.bool_], bits: NDArray[Any]) -> None:
        """Give every zero found the sign it should have.

        Under a minimum of 0 only -0.0 has a sign bit: the bits, as integers, have a negative minimum if there is one.
        Under a maximum of 0 only +0.0 has none: their maximum is negative unless there is one.
        """
        found += 0.0  # -0.0 becomes +0.0, all else stays
        if np.minimum.reduce(bits, axis=None) < 0:
            signs = fold(self._ufunc, bits)
            signs &= zeros.astype(self._bits) << (8 * self._bits.itemsize - 1)
            np.bitwise_or(found.view(self._bits), signs, out=found.view(self._bits))

    def ties(self, box: NDArray[Any], extremes: NDArray[Any]) -> NDArray[np.bool_]:
        o, _, i, _ = box.shape
        extremes = extremes.reshape(o, 1, i, 1)
        tied = np.equal(box, extremes)
        nans = np.isnan(extremes)
        if np.count_nonzero(nans):
            np.isnan(box, out=tied, where=nans)
        return tied


class HalfOrder:
    """float16 and bfloat16, as bits: sign and magnitude.

    Their maximum as unsigned integers is the most negative number, or a negative NaN, where there is a sign bit at
    all; as signed integers it is the largest number, or a positive NaN, where one has none. The unsigned minimum
    is the number nearest to zero, wanted where all have the wrong sign.
    """

    storage: np.dtype[Any] = np.dtype(np.uint16)

    def __init__(self, dtype: np.dtype[Any], largest: bool) -> None:
        self._largest = largest
        info = ml_dtypes.finfo(dtype)
        self._infinity = np.uint16(((1 << info.nexp) - 1) << info.nmant)
        self._minus_infinity = np.uint16(self._infinity | SIGN)
        self._nan = np.uint16(self._infinity | 1 << (info.nmant - 1))
        self.last: np.generic = self._minus_infinity if largest else self._infinity

    def rereads(self, sample: NDArray[Any]) -> bool:
        return True

    def extremes(self, box: NDArray[Any]) -> NDArray[Any]:
        lowest = fold(np.maximum, box)
        highest = fold(np.maximum, box.view(np.int16)).view(np.uint16)
        nans = np.greater(lowest, self._minus_infinity)
        nans |= np.greater(highest.view(np.int16), self._infinity.view(np.int16))
        found, wrong = (highest, highest) if self._largest else (lowest, ~lowest)
        if np.minimum.reduce(wrong.view(np.int16)) < 0:
            # A masked copy costs up to 6 ns an element, four passes over bits one.
            blend = fold(np.minimum, box)
            blend ^= found
            blend &= (wrong.view(np.int16) >> 15).view(np.uint16)
            found ^= blend
        if np.count_nonzero(nans):
            found[nans] = self._nan
        return found

    def ties(self, box: NDArray[Any], extremes: NDArray[Any]) -> NDArray[np.bool_]:
        o, _, i, _ = box.shape
        extremes = extremes.reshape(o, 1, i, 1)
        tied = np.equal(box, extremes)
        magnitudes = extremes & ~SIGN
        zeros = np.equal(magnitudes, 0)
        if np.count_nonzero(zeros):
            tied |= np.equal(box, extremes ^ (zeros.astype(np.uint16) << 15))
        nans = np.greater(magnitudes, self._infinity)
        if np.count_nonzero(nans):
            np.greater(box & ~SIGN, self._infinity, out=tied, where=nans)
        return tied


def order(dtype: np.dtype[Any], largest: bool) -> Order:
    """The order of a dtype, by its largest or its smallest element."""
    if dtype.kind in "biu":
        return IntegerOrder(dtype, largest)
    return HalfOrder(dtype, largest) if dtype.itemsize == 2 else FloatOrder(dtype, largest)
