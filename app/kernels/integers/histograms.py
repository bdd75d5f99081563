"""Histograms of how far elements lie below the largest of their output."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.kernels.kernel import Box

DISTANCES = 139
"""Those that count: e^-138 is above 2^-200 and e^-139 below."""

_OUTPUTS_TOGETHER = 256
"""Outputs whose histograms are merged in one go."""


@dataclass(slots=True)
class Histograms:
    """The largest element of each output, and how many lie 0, 1, … 138 below it: counts[output, d] <= elements."""

    largest: NDArray[Any]
    counts: NDArray[Any]
    elements: int = 0

    @property
    def nbytes(self) -> int:
        return self.largest.nbytes + self.counts.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        self.elements += other.elements
        # A million histograms of three elements should not take eight bytes a count.
        self.counts = self.counts.astype(np.min_scalar_type(self.elements), copy=False)
        for start in range(0, other.largest.size, _OUTPUTS_TOGETHER):
            theirs = slice(start, start + _OUTPUTS_TOGETHER)
            mine = slice(at + start, at + min(start + _OUTPUTS_TOGETHER, other.largest.size))
            largest = np.maximum(self.largest[mine], other.largest[theirs])
            _move(self.counts[mine], distances(largest, self.largest[mine]))
            moved = other.counts[theirs].astype(self.counts.dtype)
            _move(moved, distances(largest, other.largest[theirs]))
            self.counts[mine] += moved
            self.largest[mine] = largest


def distances(largest: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """How far values lie below the largest; the difference of two integers of n bits takes n bits without a sign."""
    return np.subtract(largest, values).view(f"u{values.itemsize}")


def _move(counts: NDArray[Any], by: NDArray[Any]) -> None:
    """Move histograms away from 0; what leaves at the far end is dropped."""
    rows = np.flatnonzero(by)
    if rows.size:
        source = np.arange(DISTANCES) - np.minimum(by[rows], DISTANCES).astype(np.intp)[:, None]
        moved = np.take_along_axis(counts[rows], np.maximum(source, 0), axis=1)
        counts[rows] = np.where(source < 0, 0, moved)


def tally(largest: NDArray[Any], box: Box) -> NDArray[np.intp]:
    """The histograms of a box of outputs whose largest elements (o, i) are known: (o, i, 139)."""
    distance = distances(largest[:, None, :, None], box)
    near = distance < DISTANCES
    first = np.arange(0, largest.size * DISTANCES, DISTANCES).reshape(largest.shape)[:, None, :, None]
    slots = (distance.astype(np.intp) + first)[near]
    return np.bincount(slots, minlength=largest.size * DISTANCES).reshape(*largest.shape, DISTANCES)
