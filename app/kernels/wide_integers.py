"""Integers of any width, one per output: sums that neither wrap nor round.

An integer is the sum of limb[k]·2^(width·k) over its limbs, each an int64. Limbs are digits that may be too large, so
adding needs no carry; a bound known without looking at them tells when one is due. Most sums stay in one limb and get
more only where they need them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype
from app.kernels.kernel import Box
from app.kernels.narrow_integers import wide_sum
from app.kernels.regions import PIECE, pieces
from app.kernels.scratch import aligned
from app.kernels.wrapping import wrapped_sum

Int64s = NDArray[np.int64]

SUM_WIDTH = 32
SUM_LENGTH = 1 << 29
"""Elements an output may have in a box that `exact_sum` takes: so many digits of 32 bits stay below 2^61."""

_DIGIT = (1 << SUM_WIDTH) - 1

_RUN = 512
"""Elements in a run that make its sum a small part of the work."""

_LARGEST = 1 << 62
"""No limb is larger than this and a carry, so that adding the carry of another limb does not wrap."""

LARGE = 1 << 17
"""Elements of a piece that is only read."""

_SIGNED = {np.dtype(f"i{size}"): (np.dtype(f"u{size}"), (1 << 8 * size - 1) - 1) for size in (1, 2, 4, 8)}
"""Signed dtypes: the unsigned one of the same width, and the largest element."""

_CARRIED = 1 << 43
"""No limb is larger than this after a carry; the top one has then been cut into two where it was."""


@dataclass(slots=True)
class WideIntegers:
    """`limbs` (k, outputs), the least significant first; none is larger than `bound` in size."""

    limbs: Int64s
    width: int
    bound: int = 0

    @property
    def nbytes(self) -> int:
        return self.limbs.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        if self.bound + other.bound > _LARGEST:
            self.carry()
        if self.bound + other.bound > _LARGEST:
            other.carry()
        while len(self.limbs) < len(other.limbs):
            self._widen()
        self.limbs[: len(other.limbs), at : at + other.limbs.shape[1]] += other.limbs
        self.bound += other.bound

    def carry(self) -> None:
        """Bring every limb but the top one into [0, 2^width), and the top one below 2^43."""
        top = len(self.limbs) - 1
        for k in range(top):
            self._carry_from(k)
        if self.limbs[top].max() > _CARRIED or self.limbs[top].min() < -_CARRIED:
            self._widen()
            self._carry_from(top)
        self.bound = _CARRIED

    def _carry_from(self, k: int) -> None:
        self.limbs[k + 1] += self.limbs[k] >> self.width
        self.limbs[k] &= (1 << self.width) - 1

    def _widen(self) -> None:
        self.limbs = np.concatenate([self.limbs, np.zeros_like(self.limbs[:1])])

    def modulo(self) -> Int64s:
        """The integers modulo 2^64."""
        low: Int64s = self.limbs[0]
        for k in range(1, len(self.limbs)):
            if self.width * k < 64:
                low = low + (self.limbs[k] << self.width * k)
        return low

    def estimate(self) -> NDArray[np.float64]:
        """The integers to within len(limbs) roundings of float64; of the right sign, and exact below 2^53."""
        if len(self.limbs) > 1:
            self.carry()
        value: NDArray[np.float64] = self.limbs[-1].astype(np.float64)
        for limb in self.limbs[-2::-1]:
            value = value * 2.0**self.width + limb
        return value

    def narrow(self) -> Int64s | None:
        """The integers themselves if all of them are well inside the range of int64."""
        if len(self.limbs) > 1:
            estimate = self.estimate()
            if max(estimate.max(), -estimate.min()) >= _LARGEST:
                return None
        return self.modulo()

    def exact(self, outputs: slice) -> list[int]:
        """The integers of some outputs."""
        digits = self.limbs[:, outputs].T.tolist()
        return [sum(digit << self.width * k for k, digit in enumerate(row)) for row in digits]


def working_memory() -> Int64s:
    """What sums of elements or of squares compute in: fresh memory for every box would cost more than they do."""
    return aligned(3 * PIECE).view(np.int64).reshape(3, PIECE)


def exact_sum(box: Box, memory: Int64s) -> WideIntegers:
    """The sums of a box of integers, up to SUM_LENGTH elements each."""
    o, r1, i, r2 = box.shape
    limbs = np.zeros((1, o, i), np.int64)
    runs, wide = 0, False
    for large in pieces(box.shape, LARGE * 8 // box.itemsize):
        part = box[large]
        if not wide:
            bound = largest(part)
            runs = runs_of(part, bound)
            if runs == 1 and bound < 1 << SUM_WIDTH:
                limbs[0, large[0], large[2]] += wrapped_sum(part).astype(np.int64, copy=False)
                continue
            wide = part.itemsize < 8 or not runs  # then others are not looked at: what follows holds for any
        if part.itemsize < 8:
            limbs[0, large[0], large[2]] += wide_sum(part)
            continue
        if len(limbs) == 1:
            limbs = np.concatenate([limbs, np.zeros_like(limbs)])
        sums = limbs[:, large[0], large[2]]
        if runs:
            _add_runs(part, runs, sums)
            continue
        for piece in pieces(part.shape):
            _add(part[piece], sums[:, piece[0], piece[2]], memory[0])
    return WideIntegers(limbs.reshape(len(limbs), -1), SUM_WIDTH, r1 * r2 << 32)


def runs_of(part: Box, bound: int) -> int:
    """In how many equal runs terms up to `bound` in size add up in the dtype of the elements; 0 where those were too
    short."""
    _, r1, _, r2 = part.shape
    width = 8 * part.itemsize - (part.dtype.kind == "i")
    runs = 1 << (bound * r1 * r2 >> width).bit_length()
    return runs if runs == 1 or (r1 == 1 and r2 % runs == 0 and r2 // runs >= _RUN) else 0


def in_runs(part: Box, runs: int) -> Box:
    """A box (o, 1, i, r2) with each output in so many runs, as outputs of their own."""
    o, _, i, r2 = part.shape
    return part.reshape(o, 1, i * runs, r2 // runs)


def _add_runs(part: Box, runs: int, sums: Int64s) -> None:
    """Add up integers of 64 bits, each output in as many runs as do not wrap, in two limbs."""
    o, _, i, _ = part.shape
    totals = wrapped_sum(part) if runs == 1 else wrapped_sum(in_runs(part, runs))
    for limb, digits in zip(sums, (totals & _DIGIT, totals >> SUM_WIDTH), strict=True):
        limb += digits.reshape(o, i, runs).sum(axis=2).view(np.int64)


def _add(part: Box, sums: Int64s, memory: Int64s) -> None:
    """Add up integers of 64 bits in two limbs."""
    temporary = memory[: part.size].view(part.dtype).reshape(part.shape)
    # The high halves add up exactly, and the low halves to less than 2^48: what the sum modulo 2^64 leaves.
    np.right_shift(part, 32, out=temporary)
    high = wrapped_sum(temporary).view(np.int64)
    sums[0] += wrapped_sum(part).view(np.int64) - (high << 32)
    sums[1] += high


def largest(part: Box) -> int:
    """The size of the largest element."""
    if part.dtype.kind == "u":
        return int(np.maximum.reduce(part, axis=None))
    if np.minimum.reduce(part[0, 0, :8, :8], axis=None) >= 0:  # perhaps all are positive: then one pass tells
        unsigned, most = _SIGNED[part.dtype]
        top = int(np.maximum.reduce(part.view(unsigned), axis=None))
        if top <= most:
            return top
    return max(int(np.maximum.reduce(part, axis=None)), -int(np.minimum.reduce(part, axis=None)))


def wrapped(values: Iterable[int], dtype: NumpyDtype) -> NDArray[Any]:
    """Integers modulo 2^n as an array of an n-bit dtype."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    mask = (1 << 8 * dtype.itemsize) - 1
    return np.array([value & mask for value in values], unsigned).view(dtype)
