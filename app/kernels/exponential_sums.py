"""Exact sums of exponentials, as integers per class of 16.

Every x belongs to the class c = rint(x/16), of its own alone, and e^x = e^(16c) * e^(x − 16c): x − 16c is exact for
every float64 there is, and within 8 of 0. Its exponential is an integer number of units of 2^-72 (`elementary`), so
sums per class are integers and do not depend on order or cuts. Only classes from the largest, C, down to C − 9 are
kept: a term left out lies 16 * 10 − 16 = 144 below the largest, a factor of 2^-207. Whether a term is left out
depends on it and the largest alone.
"""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.kernels.elementary import COARSE, COARSE_BIAS, FINE, FINE_BIAS, WIDTH, exponential
from app.kernels.kernel import Box
from app.kernels.rounding import Floats, Integers
from app.kernels.scratch import Scratch

CLASSES = 10
"""As many classes are kept."""

# Rows up to this length are transposed, so that they are summed many at a time.
_SHORT = 32
# Classes up to here are told to the exponential; beyond, x − 16c is made first.
_NEAR = 1 << 16
_LARGEST = float(np.finfo(np.float64).max)
# A sum is upper * 2^(FINE + 62) + lower * 2^FINE, 0 <= lower < 2^62.
LOWER_BITS = np.int64(62)
_LOWER = np.int64((1 << 62) - 1)
_SHIFT = np.int64(COARSE - FINE)
_COARSE_BITS = LOWER_BITS - _SHIFT
_COARSE = np.int64((1 << int(_COARSE_BITS)) - 1)


class ExponentialSums:
    """Per output: the largest element, whether there are several above -inf, and sums[class, word] from its class down.

    words: upper and lower, the exact sum of e^(x − 16c) over the elements of the class. As many classes as were met.
    NaN and infinities show in the largest element and leave the sums alone.
    """

    def __init__(self, largest: Floats, several: NDArray[np.bool_], sums: Integers) -> None:
        self.largest = largest
        self.several = several
        self.sums = sums

    @classmethod
    def nothing(cls, outputs: int) -> Self:
        """Sums without a term."""
        return cls(np.full(outputs, -np.inf), np.zeros(outputs, np.bool_), np.zeros((0, 2, outputs), np.int64))

    @property
    def nbytes(self) -> int:
        return self.largest.nbytes + self.several.nbytes + self.sums.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        """Add the sums, class by class."""
        here = slice(at, at + len(other.largest))
        mine, theirs = self.largest[here], other.largest
        largest = np.maximum(mine, theirs)
        self.several[here] |= other.several | ((mine > -np.inf) & (theirs > -np.inf))
        top, own, others = class_of(np.stack((largest, mine, theirs)))
        old, new = _lowered(self.sums[:, :, here], top - own), _lowered(other.sums, top - others)
        self._deepen(max(len(old), len(new)))
        sums = self.sums[:, :, here]
        if not np.may_share_memory(old, sums):
            sums[: len(old)] = old
            sums[len(old) :] = 0
        sums[: len(new)] += new
        _carry(sums)
        self.largest[here] = largest

    def put(self, other: Self, at: int) -> None:
        """Take over all that is known of outputs that had no term here."""
        here = slice(at, at + len(other.largest))
        self.largest[here], self.several[here] = other.largest, other.several
        self._deepen(len(other.sums))
        self.sums[: len(other.sums), :, here] = other.sums

    def _deepen(self, depth: int) -> None:
        if depth > len(self.sums):
            more = np.zeros((depth - len(self.sums), *self.sums.shape[1:]), np.int64)
            self.sums = np.concatenate((self.sums, more))


def exponential_sums(tile: Box, scratch: Scratch) -> ExponentialSums:
    """The sums of tile[o, r1, i, r2] over r1 and r2."""
    o, r1, i, r2 = tile.shape
    rows = r1 == 1 and (r2 > _SHORT or o * i == 1)
    # Summed over the last axis, or else the first, of x.
    x = tile.reshape(o * i, r2) if rows else tile.transpose(1, 3, 0, 2).reshape(r1 * r2, o * i)
    axis = 1 if rows else 0
    if x.dtype != np.float64:
        wide = scratch.shaped(x.shape)[6]
        wide[...] = x
        x = wide
    largest: Floats = np.maximum.reduce(x, axis=axis)
    top = class_of(largest)
    ends = class_of(np.array((largest.min(), largest.max(), x.min())))
    if ends[0] == ends[1] == ends[2] and abs(ends[0]) <= _NEAR:
        coarse, fine = exponential(x, int(ends[0]), scratch)
        return ExponentialSums(largest, np.full(o * i, r1 * r2 > 1), _words(coarse, fine, axis, r1 * r2)[None])
    several = np.add.reduce(x > -np.inf, axis=axis) > 1
    r, below = scratch.shaped(x.shape)[4:6]
    with np.errstate(invalid="ignore"):  # what comes of NaN and infinities belongs to no class
        np.multiply(x, 1 / WIDTH, out=below)
        np.rint(below, out=below)
        np.multiply(below, WIDTH, out=r)
        np.subtract(x, r, out=r)
        np.subtract(np.expand_dims(top, axis), below, out=below)
        coarse, fine = exponential(r, 0, scratch)
        deepest = np.max(below, initial=0, where=below < CLASSES)
    coarse -= COARSE_BIAS
    fine -= FINE_BIAS
    sums = np.zeros((int(deepest) + 1, 2, o * i), np.int64)
    for j in range(len(sums)):
        # All ones where the element is of this class, else zeros.
        _, masked, _, mask = (array.view(np.int64) for array in scratch.shaped(x.shape)[:4])
        mask[...] = below == j
        np.negative(mask, out=mask)
        parts = [np.add.reduce(np.bitwise_and(digits, mask, out=masked), axis=axis) for digits in (coarse, fine)]
        sums[j] = _words_of(*parts)
    return ExponentialSums(largest, several, sums)


def class_of(x: Floats) -> Floats:
    """rint(x / 16), a finite one for the infinities."""
    bounded = np.minimum(np.maximum(x, -_LARGEST), _LARGEST)
    bounded *= 1 / WIDTH
    return np.rint(bounded, out=bounded)


def _words(coarse: Integers, fine: Integers, axis: int, terms: int) -> Integers:
    """The sums of biased digits as words. Integers wrap, so biases may be taken off the sums."""
    biases = np.array((terms * COARSE_BIAS, terms * FINE_BIAS), np.object_) % (1 << 64)
    coarse_bias, fine_bias = biases.astype(np.uint64).view(np.int64)
    return _words_of(np.add.reduce(coarse, axis=axis) - coarse_bias, np.add.reduce(fine, axis=axis) - fine_bias)


def _words_of(coarse: Integers, fine: Integers) -> Integers:
    """coarse * 2^COARSE + fine * 2^FINE as upper and lower words."""
    words = np.stack((coarse >> _COARSE_BITS, ((coarse & _COARSE) << _SHIFT) + fine))
    _carry(words[None])
    return words


def _carry(sums: Integers) -> None:
    sums[:, 0] += sums[:, 1] >> LOWER_BITS
    sums[:, 1] &= _LOWER


def _lowered(sums: Integers, by: Floats) -> Integers:
    """Sums[class, word, output] of outputs whose largest class has risen `by` so many; what falls below 10 is gone."""
    if not by.any():
        return sums
    lowered = np.zeros((CLASSES, *sums.shape[1:]), np.int64)
    depth = 0
    for j in range(len(sums)):
        target = by + j
        kept = np.flatnonzero(target < CLASSES)
        to = target[kept].astype(np.intp)
        lowered[to, :, kept] = sums[j][:, kept].T
        depth = max(depth, int(to.max(initial=-1)) + 1)
    return lowered[:depth]
