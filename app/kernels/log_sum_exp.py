"""LogSumExp of floats: an exact sum of exponentials on a fixed grid, then its logarithm, rounded once.

Every x belongs to the class c = rint(x/16), of its own alone, and e^x = e^(16c) * e^(x − 16c): x − 16c is exact for
every float64 there is, and within 8 of 0. Its exponential is an integer number of units of 2^-72 (`elementary`), so
sums per class are integers and do not depend on order or cuts. Only classes from the largest, C, down to C − 9 are
kept: a term left out lies 16 * 10 − 16 = 144 below the largest, a factor of 2^-207. Whether a term is left out
depends on it and the largest alone.

Error. Sums are within 2^-60.3 of themselves, their sum and its logarithm in double-double add 2^-66 * 30 at most:
before the one rounding the result is within 2^-60 in absolute terms. So float64 results of 1 and above are within 0.51
ulp, all results within 1 ulp or 2^-52, and narrower formats correctly rounded but for what no double can tell apart.
"""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.kernels.double_double import add, quick_two_sum, two_product, two_sum
from app.kernels.elementary import COARSE, COARSE_BIAS, FINE, FINE_BIAS, WIDTH, exponential, log_pair, powers
from app.kernels.kernel import Box
from app.kernels.regions import cuts, regions
from app.kernels.rounding import FORMATS, Floats, Integers, round_pair
from app.kernels.scratch import Scratch

# Classes that are kept.
_CLASSES = 10
# Elements of a tile, elements it holds of each output at least, outputs merged or finished together.
_TILE = 1 << 15
_DEPTH = 32
_OUTPUTS = 1 << 13
# Rows up to this length are transposed, so that they are summed many at a time.
_SHORT = 32
# Classes up to here are told to the exponential; beyond, x − 16c is made first.
_NEAR = 1 << 16
_LARGEST = float(np.finfo(np.float64).max)
# e^(-16j).
_SCALES, _SCALE_TAILS = (part[::-WIDTH] for part in powers(np.arange(-WIDTH * (_CLASSES - 1), 1), 1, 512))
# A sum is upper * 2^(FINE + 62) + lower * 2^FINE.
_LOWER_BITS = np.int64(62)
_LOWER = np.int64((1 << 62) - 1)
_HALF_BITS = np.int64(31)
_HALF = np.int64((1 << 31) - 1)
_SHIFT = np.int64(COARSE - FINE)
_COARSE_BITS = _LOWER_BITS - _SHIFT
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
        top = _class(largest)
        old, new = _lowered(self.sums[:, :, here], top - _class(mine)), _lowered(other.sums, top - _class(theirs))
        if max(len(old), len(new)) > len(self.sums):
            grown = np.zeros((max(len(old), len(new)), *self.sums.shape[1:]), np.int64)
            grown[: len(self.sums)] = self.sums
            self.sums = grown
        sums = self.sums[:, :, here]
        if not np.may_share_memory(old, sums):
            sums[: len(old)] = old
            sums[len(old) :] = 0
        sums[: len(new)] += new
        _carry(sums)
        self.largest[here] = largest


class LogSumExp:
    """LogSumExp of one float dtype."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype

    def identity(self, outputs: int) -> ExponentialSums:
        return ExponentialSums.nothing(outputs)

    def partial(self, box: Box, first: int = 0) -> ExponentialSums:
        state = self.identity(box.shape[0] * box.shape[2])
        for a, b, part in _regions(box):
            if len(part.largest) == len(state.largest):
                return part
            state.merge(part, a.start * box.shape[2] + b.start)
        return state

    def finish(self, state: ExponentialSums, count: int) -> NDArray[Any]:
        results = np.empty(len(state.largest), self._dtype)
        for part in cuts(len(results), _OUTPUTS):
            results[part] = self._finish(state.largest[part], state.several[part], state.sums[:, :, part])
        return results

    def whole(self, box: Box) -> NDArray[Any]:
        o, r1, i, r2 = box.shape
        results = np.empty((o, i), self._dtype)
        for a, b, part in _regions(box):
            results[a, b] = self.finish(part, r1 * r2).reshape(results[a, b].shape)
        return results.reshape(-1)

    def empty(self) -> np.generic:
        nothing: np.generic = self._dtype.type(-np.inf)
        return nothing

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return values

    def _finish(self, largest: Floats, several: NDArray[np.bool_], sums: Integers) -> NDArray[Any]:
        results = largest.astype(self._dtype)
        results[np.isnan(largest)] = FORMATS[self._dtype].quiet_nan
        summed = several & np.isfinite(largest)
        if summed.any():
            high, low = log_pair(*_total(sums[:, :, summed]), 0)
            total, error = two_sum(WIDTH * _class(largest[summed]), high)
            results[summed] = round_pair(*quick_two_sum(total, error + low), self._dtype)
        return results


def log_sum_exp(dtype: np.dtype[Any]) -> LogSumExp:
    """LogSumExp of float16, bfloat16, float32 or float64."""
    return LogSumExp(dtype)


def _regions(box: Box) -> Iterator[tuple[slice, slice, ExponentialSums]]:
    """The sums of a box's outputs, region by region."""
    scratch = Scratch(7, min(box.size, _TILE))
    for a, b, (first, *others) in regions(box.shape, _TILE, _DEPTH):
        state = _summed(box[first], scratch)
        for piece in others:
            state.merge(_summed(box[piece], scratch))
        yield a, b, state


def _summed(tile: Box, scratch: Scratch) -> ExponentialSums:
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
    top = _class(largest)
    ends = _class(np.array((largest.min(), largest.max(), x.min())))
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
        deepest = np.max(below, initial=0, where=below < _CLASSES)
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


def _class(x: Floats) -> Floats:
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
    sums[:, 0] += sums[:, 1] >> _LOWER_BITS
    sums[:, 1] &= _LOWER


def _lowered(sums: Integers, by: Floats) -> Integers:
    """Sums[class, word, output] of outputs whose largest class has risen `by` so many; what falls below 10 is gone."""
    if not by.any():
        return sums
    lowered = np.zeros((_CLASSES, *sums.shape[1:]), np.int64)
    depth = 0
    for j in range(len(sums)):
        target = by + j
        kept = np.flatnonzero(target < _CLASSES)
        to = target[kept].astype(np.intp)
        lowered[to, :, kept] = sums[j][:, kept].T
        depth = max(depth, int(to.max(initial=-1)) + 1)
    return lowered[:depth]


def _total(sums: Integers) -> tuple[Floats, Floats]:
    """The sum over classes, relative to the first, as a double-double."""
    high, low = _pair(*sums[0])
    for (upper, lower), scale, rest in zip(sums[1:], _SCALES[1:], _SCALE_TAILS[1:], strict=False):
        part, tail = _pair(upper, lower)
        product, error = two_product(part, np.full_like(part, scale))
        high, low = add(high, low, product, error + (part * rest + tail * scale))
    return high, low


def _pair(upper: Integers, lower: Integers) -> tuple[Floats, Floats]:
    """upper * 2^(FINE + 62) + lower * 2^FINE as a double-double, without error below 2^31 terms."""
    top, middle, bottom = (
        digits.astype(np.float64) * 2.0**unit
        for digits, unit in ((upper, FINE + 62), (lower >> _HALF_BITS, FINE + 31), (lower & _HALF, FINE))
    )
    high, low = two_sum(top, middle)
    return quick_two_sum(high, low + bottom)
