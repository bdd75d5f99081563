"""Where the extremes of narrow floats stand, by a search of their bits as integers.

As signed integers the largest is the most positive number, as unsigned ones the most negative. That is the extreme
of nearly every output; where it is not, where it is a zero, which has two forms, and where there may be a NaN, bits do
not tell.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.extremes.columns import Found
from app.kernels.extremes.search import Search
from app.kernels.kernel import elements_of
from app.kernels.rounding import FLOAT_FORMATS

# Elements of an output that, of numbers of both signs, are hardly ever all of one.
MANY = 16
# One output in so many that bits do not tell is searched by itself.
RARE = 16
# Elements that are looked at to guess which signs there are.
SAMPLE = 64


class NarrowSearch(Search):
    """The first, or the last, extreme of floats of 16 bits."""

    def __init__(self, dtype: np.dtype[Any], largest: bool, last: bool) -> None:
        super().__init__(dtype, largest, last)
        unsigned, signed = np.dtype(np.uint16), np.dtype(np.int16)
        self._infinity = FLOAT_FORMATS[dtype].infinity
        self._sign = 1 << 15
        self._largest = largest
        # With no number beyond zero, the extreme is the nearest to it; else it is the farthest with the right sign.
        self._nearest = Search(unsigned, False, last)
        self._farthest = Search(signed if largest else unsigned, True, last)
        self._others = unsigned if largest else signed  # the largest of these is the farthest with the wrong sign

    def tile(self, box: NDArray[Any]) -> Found:
        found = self._by_bits(box) if box.shape[1] * box.shape[3] >= MANY else None
        return super().tile(box) if found is None else found

    def _by_bits(self, box: NDArray[Any]) -> Found | None:
        """As `tile`; None where there are NaNs, or too many outputs that bits do not tell."""
        sample = box[0, :SAMPLE, 0, :SAMPLE]
        one_sign = np.minimum.reduce(sample, axis=None) > self._sign if self._largest else sample.max() < self._sign
        if one_sign:
            least, most = (self._sign + 1, self._sign + self._infinity) if self._largest else (0, self._infinity)
            if int(np.maximum.reduce(box, axis=None)) <= most and int(np.minimum.reduce(box, axis=None)) >= least:
                return self._nearest.tile(box)
        beyond = self._infinity + (self._sign if self._largest else 0)
        if int(np.maximum.reduce(box.view(self._others), axis=None)) > beyond:
            return None
        values, along = self._farthest.tile(box.view(self._farthest.order.storage))
        zero = 0 if self._largest else self._sign
        if int(values.max()) > zero + self._infinity:
            return None
        told = int(values.min()) > zero or np.greater(values, zero)
        values = values.view(self.order.storage)
        return (values, along) if told is True else self._completed(box, values, along, told)

    def _completed(
        self, box: NDArray[Any], values: NDArray[Any], along: NDArray[Any], told: NDArray[np.bool_]
    ) -> Found | None:
        """Search again the outputs that bits did not tell; None where those are many."""
        at = np.flatnonzero(~told)
        if len(at) * RARE > len(told):
            return None
        values[at], along[at] = super().tile(elements_of(box, at))
        return values, along
