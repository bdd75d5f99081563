"""Sums of integers that neither wrap nor round, and what sums of their squares share with them."""

import numpy as np

from app.kernels.integers.narrow import wide_sum
from app.kernels.integers.wide import Int64s, WideIntegers
from app.kernels.integers.wrapping import wrapped_sum
from app.kernels.kernel import Box
from app.kernels.regions import PIECE, pieces
from app.kernels.scratch import aligned

SUM_WIDTH = 32
SUM_LENGTH = 1 << 29
"""Elements an output may have in a box that `exact_sum` takes: so many digits of 32 bits stay below 2^61."""

_DIGIT = (1 << SUM_WIDTH) - 1

_RUN = 512
"""Elements in a run that make its sum a small part of the work."""

LARGE = 1 << 17
"""Elements of a piece that is only read."""

_SIGNED = {np.dtype(f"i{size}"): (np.dtype(f"u{size}"), (1 << 8 * size - 1) - 1) for size in (1, 2, 4, 8)}
"""Signed dtypes: the unsigned one of the same width, and the largest element."""


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
            if part.itemsize < 8:  # then others are not looked at, and all at once are less work
                return WideIntegers(wide_sum(box).reshape(1, -1), SUM_WIDTH, r1 * r2 << 32)
            wide = not runs  # what follows holds for any
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
