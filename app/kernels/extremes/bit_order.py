"""The order of floats by their bits, for those that NumPy would take one by one, and where zeros have signs to tell."""

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from app.kernels.extremes.folding import fold
from app.kernels.kernel import elements_of

Duel = tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.bool_]]

# One output in so many that is to be looked at again is looked at by itself.
RARE = 64


class BitOrder:
    """Floats as bits, sign and magnitude.

    Their maximum as unsigned integers is the most negative number, or a negative NaN, where there is a sign bit at
    all; as signed integers it is the largest number, or a positive NaN, where one has none. The unsigned minimum
    is the number nearest to zero, wanted where all have the other sign.
    """

    passes = 2

    def __init__(self, dtype: np.dtype[Any], largest: bool) -> None:
        self._largest = largest
        info = ml_dtypes.finfo(dtype)
        self.storage: np.dtype[Any] = np.dtype(f"u{dtype.itemsize}")
        self._signed = np.dtype(f"i{dtype.itemsize}")
        self._width = 8 * dtype.itemsize
        self._sign = self.storage.type(1 << (self._width - 1))
        self._infinity = self.storage.type(((1 << info.nexp) - 1) << info.nmant)
        self._minus_infinity = self._infinity | self._sign
        self._nan = self._infinity | self.storage.type(1 << (info.nmant - 1))
        self.weakest: np.generic = self._minus_infinity if largest else self._infinity

    def suited(self, sample: NDArray[Any]) -> "BitOrder":
        return self

    def extremes(self, box: NDArray[Any], into: NDArray[Any] | None = None) -> NDArray[Any]:
        if box[0, 0, 0, :64].max() < self._sign:  # then it is worth a look at all
            top = np.maximum.reduce(box, axis=None)
            if top < self._sign:
                return self._without_signs(box, top)
        signed = box.view(self._signed)
        found = fold(np.maximum, signed if self._largest else box).view(self.storage)
        farthest = np.maximum.reduce(box if self._largest else signed, axis=None)
        nearest = np.maximum.reduce(found.view(self._signed) if self._largest else found)
        lowest, highest = (farthest, nearest) if self._largest else (nearest, farthest)
        if lowest > self._minus_infinity or highest > self._infinity.view(self._signed):
            return self._with_nans(box)
        wanting = np.less(found.view(self._signed), 0) if self._largest else np.less(found, self._sign)
        count = np.count_nonzero(wanting)
        if count * RARE > len(found):
            # Where all have the other sign, the nearest to zero: a blend, for a masked copy takes 6 ns an element.
            self._blend(found, fold(np.minimum, box), found if self._largest else ~found)
        elif count:
            at = np.flatnonzero(wanting)
            found[at] = fold(np.minimum, elements_of(box, at))
        return found

    def _with_nans(self, box: NDArray[Any]) -> NDArray[Any]:
        """As `extremes`, where some elements are NaN."""
        lowest = fold(np.maximum, box)
        highest = fold(np.maximum, box.view(self._signed)).view(self.storage)
        nans = np.greater(lowest, self._minus_infinity)
        nans |= np.greater(highest.view(self._signed), self._infinity.view(self._signed))
        found, other_sign = (highest, highest) if self._largest else (lowest, ~lowest)
        self._blend(found, fold(np.minimum, box), other_sign)
        found[nans] = self._nan
        return found

    def _blend(self, found: NDArray[Any], others: NDArray[Any], where: NDArray[Any]) -> None:
        """Put the others into `found` where `where` has its sign bit."""
        others ^= found
        others &= (where.view(self._signed) >> (self._width - 1)).view(self.storage)
        found ^= others

    def _without_signs(self, box: NDArray[Any], top: np.unsignedinteger[Any]) -> NDArray[Any]:
        """As `extremes`, where no element has a sign bit and all are integers up to `top`."""
        if top == 0:
            return np.zeros(box.shape[0] * box.shape[2], self.storage)
        found = fold(np.maximum if self._largest else np.minimum, box)
        if top > self._infinity:
            highest = found if self._largest else fold(np.maximum, box)
            found[highest > self._infinity] = self._nan
        return found

    rivals = extremes

    def further(self, some: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
        return self.extremes(np.concatenate([some, others]).reshape(1, 2, -1, 1))

    def canonical(self, extremes: NDArray[Any]) -> NDArray[Any]:
        lowest, highest = np.maximum.reduce(extremes), np.maximum.reduce(extremes.view(self._signed))
        if lowest > self._minus_infinity or highest > self._infinity.view(self._signed):
            extremes[np.greater(extremes & ~self._sign, self._infinity)] = self._nan
        return extremes

    def duel(self, some: NDArray[Any], others: NDArray[Any]) -> Duel:
        box = np.concatenate([some, others]).reshape(1, 2, -1, 1)
        rivals = self.rivals(box)
        tied = self.ties(box, rivals)
        return rivals, tied[0, 0, :, 0], tied[0, 1, :, 0]

    def comparable(self, elements: NDArray[Any]) -> NDArray[Any] | None:
        magnitudes = elements & ~self._sign
        if np.maximum.reduce(magnitudes) > self._infinity:
            return None
        numbers, signs = magnitudes.view(self._signed), elements.view(self._signed) >> (self._width - 1)
        numbers ^= signs
        numbers -= signs  # the negative of a magnitude where there is a sign
        return numbers

    def ties(self, box: NDArray[Any], rivals: NDArray[Any]) -> NDArray[np.bool_]:
        rivals = across(box, rivals)
        tied = np.equal(box, rivals)
        magnitudes = rivals & ~self._sign
        zeros = np.equal(magnitudes, 0)
        if np.count_nonzero(zeros):
            tied |= np.equal(box, rivals ^ (zeros.astype(self.storage) << (self._width - 1)))
        nans = np.greater(magnitudes, self._infinity)
        if np.count_nonzero(nans):
            np.greater(box & ~self._sign, self._infinity, out=tied, where=nans)
        return tied


def across(box: NDArray[Any], outputs: NDArray[Any]) -> NDArray[Any]:
    """One value per output, to broadcast against the box."""
    return outputs.reshape(box.shape[0], 1, box.shape[2], 1)
