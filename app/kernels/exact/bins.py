"""The exact sum as a state: a few parts, and where those would be many int64 bins at fixed powers of 2^32.

A value that goes into bins is cut at multiples of 32 bits and its pieces are added to the bins of those places (Neal,
"Fast exact summation", 2015). Nothing is ever rounded, so the total is the exact sum, whatever came first; only how it
is spread over parts and bins may differ.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.layers import layered
from app.kernels.exact.parts import Part
from app.kernels.rounding import Integers

BIN_BITS = 32
"""Bits of a piece, and from the place of one bin to that of the next."""

_BIN_MASK = (1 << BIN_BITS) - 1
# Pieces are at most 2^33 in size; bins carry before 2^28 of them can have met in a bin.
_MOST_PIECES = 1 << 28

# Parts are held up to so many bytes, or so many for each output if that is more, before they are folded.
_HELD_BYTES = 1 << 20
_HELD_BYTES_AN_OUTPUT = 64
# What Python keeps for a part beside its values.
_PART_BYTES = 500

NAN, PLUS_INFINITY, MINUS_INFINITY, OTHER = 1, 2, 4, 8
"""What an output has seen: a NaN, infinities, anything that is not -0.0."""

Flags = NDArray[np.uint8]


class Bins:
    """Exact sums of n outputs: bins[k] counts units of 2^(32·(lowest + k))."""

    __slots__ = ("bins", "flags", "held", "held_bytes", "lowest", "pieces")

    def __init__(self, outputs: int) -> None:
        self.lowest = 0
        self.bins: Integers = np.zeros((0, outputs), np.int64)
        self.flags: Flags = np.zeros(outputs, np.uint8)
        self.pieces = 0
        self.held: list[tuple[int, list[Part]]] = []
        self.held_bytes = 0

    @property
    def nbytes(self) -> int:
        return self.bins.nbytes + self.flags.nbytes + self.held_bytes

    def merge(self, other: "Bins", at: int = 0) -> None:
        """Add other's sums to the outputs from `at` on."""
        outputs = slice(at, at + len(other.flags))
        self.flags[outputs] |= other.flags
        for start, parts in other.held:
            self.hold(parts, at + start)
        if not len(other.bins):
            return
        self._make_room(other.lowest, other.lowest + len(other.bins), other.pieces)
        start = other.lowest - self.lowest
        self.bins[start : start + len(other.bins), outputs] += other.bins

    def hold(self, parts: list[Part], at: int) -> None:
        """Add parts to the outputs from `at` on. They stay parts, folded into fewer where they have become many, and go
        into the bins only where their range is so wide that they do not fold."""
        self._keep(parts, at)
        allowed = max(_HELD_BYTES, _HELD_BYTES_AN_OUTPUT * len(self.flags))
        if self.held_bytes > allowed:
            folded = list(self._folded())
            for start, few in folded:
                self._keep(few, start)
            if self.held_bytes > allowed // 2:
                self.held, self.held_bytes = [], 0
                self._add_all(folded)

    def _keep(self, parts: list[Part], at: int) -> None:
        self.held.append((at, parts))
        self.held_bytes += sum([part.values.nbytes + _PART_BYTES for part in parts])

    def _folded(self) -> Iterator[tuple[int, list[Part]]]:
        """What is held, folded, and held no more."""
        held, self.held, self.held_bytes = self.held, [], 0
        return layered(held, len(self.flags))

    def _add_all(self, held: Iterable[tuple[int, list[Part]]]) -> None:
        for at, parts in held:
            for part in parts:
                self.add(part, at)

    def add(self, part: Part, at: int = 0) -> None:
        """Add one float64 to each of the outputs from `at` on; top at most 992, unit at least -1024."""
        outputs = slice(at, at + len(part.values))
        low, high = part.unit // BIN_BITS, max(part.unit // BIN_BITS, (part.top - 1) // BIN_BITS)
        self._make_room(low, high + 1, 1)
        rest = part.values.copy()
        for k in range(high, low - 1, -1):
            big = np.float64(1.5 * 2.0 ** (52 + BIN_BITS * k))
            shifted = rest + big
            # The last bits of `shifted` are the piece: as integers, its bits less those of `big`.
            piece = shifted.view(np.int64) - big.view(np.int64)
            self.bins[k - self.lowest, outputs] += piece
            shifted -= big
            rest -= shifted

    def count(self, integers: Integers, place: Integers, output: Integers) -> None:
        """Add integers * 2^place, one by one, each to its own output; |integers| < 2^62, at most 2^18 of them."""
        nonzero = np.flatnonzero(integers)
        if not len(nonzero):
            return
        integers, place, output = integers[nonzero], place[nonzero], output[nonzero]
        sign = np.sign(integers)
        size = np.abs(integers)
        k = place >> 5
        low = (size & _BIN_MASK) << (place & 31)
        high = (size >> BIN_BITS) << (place & 31)
        pieces = (low & _BIN_MASK, (low >> BIN_BITS) + (high & _BIN_MASK), high >> BIN_BITS)
        lowest, n = int(k.min()), len(self.flags)
        levels = int(k.max()) + len(pieces) - lowest
        self._make_room(lowest, lowest + levels, 1 << 20)
        at = (k - lowest) * n + output
        for depth, piece in enumerate(pieces):
            # 2^18 pieces below 2^34: their float64 sums are exact.
            sums = np.bincount(at + depth * n, weights=piece * sign, minlength=levels * n).astype(np.int64)
            self.bins[lowest - self.lowest :][:levels] += sums.reshape(levels, n)

    def normalize(self) -> None:
        """Carry, so that every bin but the last holds a digit in [0, 2^32); the last has the sign."""
        self._add_all(self._folded())
        self._carry()

    def _carry(self) -> None:
        if len(self.bins):
            carry(self.bins)
            over = self.bins[-1] >> BIN_BITS
            if ((over != 0) & (over != -1)).any():
                self.bins[-1] &= _BIN_MASK
                self._grow(self.lowest, self.lowest + len(self.bins) + 1)
                self.bins[-1] = over
        self.pieces = 1

    def exact(self, output: int) -> tuple[int, int]:
        """One output's sum as integer * 2^exponent."""
        total = 0
        for digit in self.bins[::-1, output].tolist():
            total = (total << BIN_BITS) + digit
        return total, self.lowest * BIN_BITS

    def _make_room(self, low: int, high: int, pieces: int) -> None:
        self.pieces += pieces
        if self.pieces > _MOST_PIECES:
            self._carry()
            self.pieces += pieces
        self._grow(low, high)

    def _grow(self, low: int, high: int) -> None:
        if not len(self.bins):
            self.lowest = low
        low, high = min(low, self.lowest), max(high, self.lowest + len(self.bins))
        if high - low > len(self.bins):
            grown = np.zeros((high - low, self.bins.shape[1]), np.int64)
            grown[self.lowest - low :][: len(self.bins)] = self.bins
            self.lowest, self.bins = low, grown


def carry(bins: Integers) -> None:
    """Move what is above 2^32 in a bin to the next, in place; the last keeps it, and the sign."""
    for k in range(len(bins) - 1):
        bins[k + 1] += bins[k] >> BIN_BITS
        bins[k] &= _BIN_MASK
