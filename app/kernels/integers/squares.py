"""Sums of squares of integers that neither wrap nor round."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.integers.sums import LARGE, in_runs, largest, runs_of
from app.kernels.integers.wide import Int64s, WideIntegers
from app.kernels.integers.wrapping import wrapped_square_sum, wrapped_sum
from app.kernels.kernel import Box
from app.kernels.regions import pieces

SQUARE_WIDTH = 21
"""Bits of a limb, and of a digit of an element: three digits hold the 64 bits of any."""

SQUARE_LENGTH = 1 << 16
"""Elements an output may have in a box that `exact_square_sum` takes: so many products of two digits, at most 2^45 to a
limb, stay below 2^61."""

_MOST_A_LIMB = 1 << 45
"""The largest sum of squares that may go to one limb: what a single element may add to it."""


def exact_square_sum(box: Box, memory: Int64s) -> WideIntegers:
    """The sums of the squares of a box of integers, up to SQUARE_LENGTH elements each."""
    o, r1, i, r2 = box.shape
    limbs = np.zeros((1, o, i), np.int64)
    for large in pieces(box.shape, LARGE):
        part = box[large]
        bound = largest(part)
        most = bound**2 * part.shape[1] * part.shape[3]
        sums = limbs[:, large[0], large[2]]
        if most <= min(np.iinfo(part.dtype).max, _MOST_A_LIMB):
            sums[0] += wrapped_square_sum(part).astype(np.int64, copy=False)
        elif part.itemsize < 8 and most <= _MOST_A_LIMB:
            runs = runs_of(part, bound**2)
            if runs:
                found = wrapped_square_sum(in_runs(part, runs)).reshape(*sums.shape[1:], runs)
                sums[0] += found.sum(axis=2, dtype=np.int64)
            else:
                for piece in pieces(part.shape):
                    sums[0, piece[0], piece[2]] += wrapped_square_sum(_copied(part[piece], memory[0]))
        else:
            missing = (2 if part.itemsize < 8 else 2 * _digits_of(bound) - 1) - len(limbs)
            if missing > 0:
                limbs = np.concatenate([limbs, np.zeros((missing, o, i), np.int64)])
                sums = limbs[:, large[0], large[2]]
            for piece in pieces(part.shape):
                if part.itemsize < 8:
                    _add_products(part[piece], sums[:, piece[0], piece[2]], memory[0])
                else:
                    _add_squares(part[piece], bound, sums[:, piece[0], piece[2]], memory)
    return WideIntegers(limbs.reshape(len(limbs), -1), SQUARE_WIDTH, r1 * r2 << 45)


def _copied(part: Box, memory: Int64s) -> Int64s:
    copy = memory[: part.size].reshape(part.shape)
    np.copyto(copy, part)
    return copy


def _add_products(part: Box, sums: Int64s, memory: Int64s) -> None:
    """Add up the squares of integers of 32 bits in two limbs: the lower halves and the higher."""
    products = _copied(part, memory).view(np.uint64)
    products *= products
    low = wrapped_sum(products).view(np.int64)
    products >>= 32
    high = wrapped_sum(products).view(np.int64)
    sums[0] += low - (high << 32)
    sums[1] += high << 32 - SQUARE_WIDTH


def _add_squares(part: Box, bound: int, sums: Int64s, memory: Int64s) -> None:
    """Add up the squares of integers of up to `bound` in size, in as many limbs as their digits take."""
    digits = _digits(part, bound, memory)
    for j, a in enumerate(digits):
        sums[2 * j] += np.einsum("arbs,arbs->ab", a, a)
        for k, b in enumerate(digits[:j]):
            sums[j + k] += np.einsum("arbs,arbs->ab", a, b) << 1


def _digits_of(bound: int) -> int:
    """How many digits `_digits` makes."""
    return 1 + max(0, -(-(bound.bit_length() - SQUARE_WIDTH - 1) // SQUARE_WIDTH))


def _digits(part: Box, bound: int, memory: Int64s) -> list[NDArray[Any]]:
    """Integers as the fewest digits of 21 bits, least first, of which the top one is signed and has up to 22."""
    scratch, *free = memory[:, : part.size].reshape(len(memory), *part.shape)
    rest: NDArray[Any] = part
    digits = []
    while bound >= 1 << SQUARE_WIDTH + 1:
        digit = np.bitwise_and(rest, (1 << SQUARE_WIDTH) - 1, out=free.pop().view(rest.dtype))
        digits.append(digit.view(np.int64))
        rest = np.right_shift(rest, SQUARE_WIDTH, out=scratch.view(rest.dtype))
        bound >>= SQUARE_WIDTH
    return [*digits, rest.view(np.int64)]
