"""Exact sums of exponentials, as integers per class of 16.

Every x belongs to the class c = rint(x/16), of its own alone, and e^x = e^(16c) * e^(x − 16c): x − 16c is exact for
every float64 there is, and within 8 of 0. Its exponential is an integer number of units of 2^-72 (`exponential`), so
sums per class are integers and do not depend on order or cuts. Only classes from the largest, C, down to C − 9 are
kept: a term left out lies 16 * 10 − 16 = 144 below the largest, a factor of 2^-207. Whether a term is left out
depends on it and the largest alone.
"""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.kernels.elementary.exponential import COARSE_BIAS, COARSE_UNIT, FINE_BIAS, FINE_UNIT, INTERVAL, exponential
from app.kernels.kernel import Box
from app.kernels.rounding import Floats, Integers
from app.kernels.scratch import Scratch

CLASSES = 10
"""As many classes are kept."""

# Rows of so few elements are transposed, so that they are summed many at a time.
_SHORT_ROW_ELEMENTS = 32
# Classes up to here are told to the exponential, which takes |x| < 2^40; beyond, x − 16c is made first.
_MOST_TOLD_CLASS = 1 << 16
# The members of a class are picked out one by one where there are so many elements or more to each.
_ELEMENTS_PER_MEMBER = 16
_LARGEST = float(np.finfo(np.float64).max)
# A sum is upper * 2^(FINE_UNIT + 62) + lower * 2^FINE_UNIT, 0 <= lower < 2^62.
LOWER_BITS = np.int64(62)
_LOWER_MASK = np.int64((1 << 62) - 1)
_COARSE_SHIFT = np.int64(COARSE_UNIT - FINE_UNIT)
_COARSE_BITS = LOWER_BITS - _COARSE_SHIFT
_COARSE_MASK = np.int64((1 << int(_COARSE_BITS)) - 1)


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

    @classmethod
    def side_by_side(cls, parts: list[Self]) -> Self:
        """The sums of all outputs of the parts."""
        if len(parts) == 1:
            return parts[0]
        largest = np.concatenate([part.largest for part in parts])
        sums = np.zeros((max(len(part.sums) for part in parts), 2, len(largest)), np.int64)
        at = 0
        for part in parts:
            sums[: len(part.sums), :, at : at + len(part.largest)] = part.sums
            at += len(part.largest)
        return cls(largest, np.concatenate([part.several for part in parts]), sums)

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

    def _deepen(self, depth: int) -> None:
        if depth > len(self.sums):
            more = np.zeros((depth - len(self.sums), *self.sums.shape[1:]), np.int64)
            self.sums = np.concatenate((self.sums, more))


def exponential_sums(tile: Box, scratch: Scratch) -> ExponentialSums:
    """The sums of tile[o, r1, i, r2] over r1 and r2."""
    o, r1, i, r2 = tile.shape
    rows = r1 == 1 and (r2 > _SHORT_ROW_ELEMENTS or o * i == 1)
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
    if ends[0] == ends[1] == ends[2] and abs(ends[0]) <= _MOST_TOLD_CLASS:
        coarse, fine = exponential(x, int(ends[0]), scratch)
        sums = _words(*(_unbiased(x, axis, b).reshape(1, -1) for x, b in ((coarse, COARSE_BIAS), (fine, FINE_BIAS))))
        return ExponentialSums(largest, np.full(o * i, r1 * r2 > 1), sums)
    infinite = not ends[2] >= -_MOST_TOLD_CLASS  # a NaN may hide them
    several = np.add.reduce(x > -np.inf, axis=axis) > 1 if infinite else np.full(o * i, r1 * r2 > 1)
    sums = _over_classes(x, axis, top, scratch)
    largest[np.isnan(largest)] = np.nan  # quiet
    return ExponentialSums(largest, several, sums)


def _over_classes(x: Floats, axis: int, top: Floats, scratch: Scratch) -> Integers:
    """The sums of x over one axis where it falls into several classes, or has NaN or infinities in it."""
    r, below = scratch.shaped(x.shape)[4:6]
    # What comes of NaN and infinities is no number from 0 to 9.
    np.multiply(x, 1 / INTERVAL, out=below)
    np.rint(below, out=below)
    np.multiply(below, INTERVAL, out=r)
    np.subtract(x, r, out=r)
    np.subtract(np.expand_dims(top, axis), below, out=below)
    coarse, fine = exponential(r, 0, scratch)
    coarse -= COARSE_BIAS
    fine -= FINE_BIAS
    digits = coarse, fine
    spare, mask = (scratch.shaped(x.shape)[k].view(np.int64) for k in (1, 3))
    sums = np.zeros((2, CLASSES, len(top)), np.int64)
    left, depth = np.count_nonzero(below < CLASSES), 0
    while left and depth < CLASSES:
        members = below == depth
        found = np.count_nonzero(members)
        if found < x.size // _ELEMENTS_PER_MEMBER:
            at = np.flatnonzero(members)
            output = at // x.shape[1] if axis else at % x.shape[1]
            for k in (0, 1):
                np.add.at(sums[k, depth], output, digits[k].reshape(-1)[at])
        else:
            np.negative(members, out=mask, dtype=np.int64)
            for k in (0, 1):
                np.add.reduce(np.bitwise_and(digits[k], mask, out=spare), axis=axis, out=sums[k, depth])
        left, depth = left - found, depth + 1
    return _words(sums[0, :depth], sums[1, :depth])


def class_of(x: Floats) -> Floats:
    """rint(x / 16), a finite one for the infinities."""
    bounded = np.minimum(np.maximum(x, -_LARGEST), _LARGEST)
    bounded *= 1 / INTERVAL
    return np.rint(bounded, out=bounded)


def _unbiased(digits: Integers, axis: int, bias: int) -> Integers:
    """The sums of biased digits, without the biases. Integers wrap, so those may go in the end."""
    total = digits.shape[axis] * bias
    return np.add.reduce(digits, axis=axis, keepdims=True) - np.int64((total + (1 << 63)) % (1 << 64) - (1 << 63))


def _words(coarse: Integers, fine: Integers) -> Integers:
    """coarse * 2^COARSE_UNIT + fine * 2^FINE_UNIT, both [class, output], as upper and lower words."""
    words = np.stack((coarse >> _COARSE_BITS, ((coarse & _COARSE_MASK) << _COARSE_SHIFT) + fine), axis=1)
    _carry(words)
    return words


def _carry(sums: Integers) -> None:
    sums[:, 0] += sums[:, 1] >> LOWER_BITS
    sums[:, 1] &= _LOWER_MASK


def _lowered(sums: Integers, by: Floats) -> Integers:
    """Sums[class, word, output] of outputs whose largest class has risen `by` so many; what falls below 10 is gone."""
    if not by.any():
        return sums
    lowered = np.zeros((CLASSES, *sums.shape[1:]), np.int64)
    depth = 0
    for rise in range(CLASSES):
        risen = by == rise
        if len(sums) and risen.any():
            moved = sums[: CLASSES - rise] * risen
            lowered[rise : rise + len(moved)] += moved
            depth = rise + len(moved)
    return lowered[:depth]
