"""How a reduction lies along the row-major order of its tensor.

Dimensions fold into groups that are kept and reduced in turn. Leading kept dimensions make *rows*: consecutive
elements that hold all their outputs need. Any range of elements falls apart into a few *pieces*, each of which is
a box of whole groups and belongs to consecutive outputs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.kernel import Box


@dataclass(frozen=True, slots=True)
class RowPiece:
    """Elements [start, stop) of a row: a box of `rows` x `groups` for the row's outputs from `output` on."""

    start: int
    stop: int
    rows: int
    groups: tuple[int, ...]
    output: int
    first: int  # where it starts along the reduced axis, if there is one such axis


@dataclass(frozen=True, slots=True)
class Geometry:
    """`rows` independent rows; `groups` are the sizes within one, reduced, kept, reduced, … in turn."""

    rows: int
    groups: tuple[int, ...]

    @classmethod
    def of(cls, shape: Sequence[int], axes: Sequence[int]) -> "Geometry":
        """The geometry of a tensor without a dimension of 0, reduced over `axes` (non-negative)."""
        dimensions = [(axis in axes, size) for axis, size in enumerate(shape) if size != 1]
        folded = [(reduced, prod(size for _, size in run)) for reduced, run in groupby(dimensions, lambda d: d[0])]
        rows = folded.pop(0)[1] if folded and not folded[0][0] else 1
        return cls(rows, tuple(size for _, size in folded))

    @property
    def row_size(self) -> int:
        """Elements in a row."""
        return prod(self.groups)

    @property
    def outputs(self) -> int:
        """Outputs of a row."""
        return prod(self.groups[1::2])

    @property
    def count(self) -> int:
        """Elements of an output."""
        return prod(self.groups[0::2])

    def pieces(self, start: int, stop: int) -> Iterator[RowPiece]:
        """The range [start, stop) of one row, cut where groups begin and end."""
        return _pieces(self.groups, start, stop)


def _pieces(
    groups: tuple[int, ...], start: int, stop: int, offset: int = 0, output: int = 0, first: int = 0, depth: int = 0
) -> Iterator[RowPiece]:
    """Pieces of [start, stop), `groups` being those from `depth` on, `offset` the elements before them."""
    if start == stop:
        return
    size = prod(groups[1:])
    reduced = depth % 2 == 0
    step = 0 if reduced else prod(groups[2::2])  # outputs from one index of this group to the next

    def inner(index: int, begin: int, end: int) -> Iterator[RowPiece]:
        along = index if depth == 0 else first
        return _pieces(groups[1:], begin, end, offset + index * size, output + index * step, along, depth + 1)

    head, begin = divmod(start, size)
    tail, end = divmod(stop, size)
    if begin:
        yield from inner(head, begin, end if head == tail else size)
        if head == tail:
            return
        head += 1
    if head < tail:
        rows, whole = (1, (tail - head, *groups[1:])) if reduced else (tail - head, groups[1:])
        along = head if depth == 0 else first
        yield RowPiece(offset + head * size, offset + tail * size, rows, whole, output + head * step, along)
    if end:
        yield from inner(tail, 0, end)


def box(values: NDArray[Any], rows: int, groups: tuple[int, ...]) -> Box:
    """Consecutive elements as a box [o, r1, i, r2]; a view, but for patterns of more than two reduced groups."""
    match groups:
        case ():
            return values.reshape(1, 1, rows, 1)
        case (reduced,):
            return values.reshape(1, 1, rows, reduced)
        case (reduced, kept):
            return values.reshape(rows, reduced, kept, 1)
        case (reduced, kept, last):
            return values.reshape(rows, reduced, kept, last)
    order = [0, *range(2, len(groups) + 1, 2), *range(1, len(groups) + 1, 2)]
    together = np.ascontiguousarray(values.reshape(rows, *groups).transpose(order))
    return together.reshape(1, 1, rows * prod(groups[1::2]), prod(groups[0::2]))
