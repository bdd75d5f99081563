"""The terms of a box, gathered into exact sums region by region."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.bins import MINUS_INFINITY, NAN, OTHER, PLUS_INFINITY, Flags
from app.kernels.exact.gathered import PENDING_ELEMENTS, Gathered
from app.kernels.exact.loading import TILES, Loaded, load, measure, near
from app.kernels.exact.terms import Term
from app.kernels.kernel import Box
from app.kernels.regions import Piece, regions
from app.kernels.rounding import Floats
from app.kernels.scratch import Scratch

ELEMENTS_PER_OUTPUT = 64
"""Elements that a piece of a wide box holds of each of its outputs at least: what is done once per output is little."""

# Elements of a row that is turned into a column.
_SHORT_ROW = 1024

OUTPUTS_TOGETHER = 4096
"""Outputs that are finished together: a call of NumPy costs little then, and what it makes stays in the cache."""


def gather(box: Box, term: Term) -> Iterator[tuple[int, Gathered]]:
    """The exact sums of a box's terms, many outputs together, and where they start."""
    waiting: list[Gathered] = []
    start = stop = size = 0
    _, r1, i, r2 = box.shape
    depth = term.depth if r1 > term.depth and term.depth * i * r2 <= term.tile else ELEMENTS_PER_OUTPUT
    with TILES.borrowed() as scratch:
        for _, _, pieces in regions(box.shape, term.tile, depth):
            gathered = _of_region(box, pieces, term, scratch)
            full = stop - start + gathered.outputs > OUTPUTS_TOGETHER or size + gathered.size > PENDING_ELEMENTS
            if waiting and (full or not gathered.narrow):
                yield start, Gathered.side_by_side(waiting)
                waiting, start, size = [], stop, 0
            stop += gathered.outputs
            if gathered.narrow:
                waiting.append(gathered)
                size += gathered.size
            else:
                yield start, gathered
                start = stop
    if waiting:
        yield start, Gathered.side_by_side(waiting)


def _of_region(box: Box, pieces: list[Piece], term: Term, scratch: Scratch) -> Gathered:
    """The exact sums of a region's terms."""
    a, _, b, _ = pieces[0]
    gathered = Gathered((a.stop - a.start) * (b.stop - b.start))
    for index, piece in enumerate(pieces):
        # A copy near at hand lies where the elements are read to: no place to bring them into another order.
        cut = box[piece] if box.shape[3] > 1 else near(box[piece], scratch)
        tile, shape = summed_in_the_middle(cut)
        guessed = term.guess(tile, shape, scratch) if term.guess else None
        if guessed is not None:
            gathered.put(guessed)
            continue
        loaded = load(cut, tile, shape, term.reader, scratch)
        late = loaded.zeros is None and loaded.finite and term.signed  # the sums may tell more quickly
        flags = None if late else _flags(tile, shape, loaded, term.signed)
        if not loaded.finite:
            values = tile.astype(np.float64).reshape(shape)
            y = scratch.shaped(shape)[0]
            np.copyto(y, np.where(np.isfinite(values), values, 0.0))
            loaded = measure(y, scratch, tile.dtype)
        sums = [] if loaded.top == loaded.unit else term.cut(loaded, scratch)  # [] for nothing but zeros
        if late and not (sums and _tell(sums[0].values[:, 0], cut.size)):
            flags = _flags(tile, shape, loaded, term.signed)
        if flags is not None and gathered.flags is None:
            gathered.flags = np.full(gathered.outputs, OTHER if index else 0, np.uint8)
        if gathered.flags is not None:
            gathered.flags |= np.uint8(OTHER) if flags is None else flags
        if sums is None:
            term.count(gathered.spill(), loaded.y)
        elif sums:
            gathered.put(sums)
    return gathered


def _tell(sums: Floats, elements: int) -> bool:
    """Whether sums of some elements tell at once that every output has seen one that is not zero."""
    return sums.size * 8 <= elements and np.count_nonzero(sums) == sums.size


def summed_in_the_middle(tile: NDArray[Any]) -> tuple[NDArray[Any], tuple[int, int, int]]:
    """A tile [o, r1, i, r2] in an order in which it is [a, r, b], summed over r, its outputs (o, i) in order."""
    o, r1, i, r2 = tile.shape
    if r2 == 1:
        return tile, (o, r1, i)
    return tile.transpose(0, 2, 1, 3), (o * i, r1 * r2, 1)


def over_columns(tile: NDArray[Any]) -> tuple[NDArray[Any], tuple[int, int, int]]:
    """As `summed_in_the_middle`, but short rows become columns: NumPy would fold a few elements at a time."""
    o, r1, i, r2 = tile.shape
    if r2 > 1 and o * i > 1 and r1 * r2 <= _SHORT_ROW:
        return tile.transpose(1, 3, 0, 2), (1, r1 * r2, o * i)
    return summed_in_the_middle(tile)


def _flags(tile: NDArray[Any], shape: tuple[int, int, int], loaded: Loaded, signed: bool) -> Flags | None:
    """What a tile's outputs have seen; None where that is numbers, and at least one that is not -0.0."""
    if loaded.finite and not (signed and loaded.zeros is not False):
        return None
    bits = tile.view(f"i{tile.itemsize}")
    minus_zero = -(1 << (8 * tile.itemsize - 1))
    unusual = signed and loaded.zeros is not False and np.minimum.reduce(bits, axis=None) == minus_zero
    if loaded.finite and not unusual:
        return None
    flags = np.full(shape[0] * shape[2], OTHER, np.uint8)
    if unusual:
        flags[~(bits.reshape(shape) != minus_zero).any(axis=1).reshape(-1)] = 0
    if not loaded.finite:
        values = tile.astype(np.float64).reshape(shape)
        for flag, seen in (
            (NAN, np.isnan(values)),
            (PLUS_INFINITY, values == np.inf if signed else np.isinf(values)),
            (MINUS_INFINITY, (values == -np.inf) & signed),
        ):
            flags |= np.where(seen.any(axis=1).reshape(-1), flag, 0).astype(np.uint8)
    return flags
