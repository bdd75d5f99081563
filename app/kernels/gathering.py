"""The terms of a region of outputs, gathered into exact sums: parts where that goes, bins where the range is wide."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.bins import MINUS_INFINITY, NAN, OTHER, PLUS_INFINITY, Bins, Flags
from app.kernels.kernel import Box
from app.kernels.loading import Loaded, Workspace, load, measure
from app.kernels.parts import Part, folded
from app.kernels.regions import Piece
from app.kernels.terms import Term

# Rows up to this length are summed across, many at a time.
SHORT = 32
# More parts than this are folded into fewer.
MANY = 32


class Gathered:
    """Exact sums of a region: the total of its parts and of its bins, and flags for what no sum of numbers shows."""

    __slots__ = ("_bins", "flags", "outputs", "parts")

    def __init__(self, outputs: int) -> None:
        self.outputs = outputs
        self.parts: list[Part] = []
        self.flags: Flags | None = None  # None where every output has seen only numbers, and one that is not -0.0
        self._bins: Bins | None = None

    @property
    def narrow(self) -> bool:
        """Whether the parts are all there is."""
        return self._bins is None

    def put(self, parts: list[Part]) -> None:
        """Add parts, folding them when they have become many."""
        self.parts += parts
        if len(self.parts) > MANY:
            self.parts = folded(self.parts)
            if len(self.parts) > MANY:
                self.spill()

    def spill(self) -> Bins:
        """The bins, with all parts in them."""
        if self._bins is None:
            self._bins = Bins(self.outputs)
        for part in self.parts:
            self._bins.add(part)
        self.parts = []
        return self._bins

    def add_to(self, state: Bins, at: int) -> None:
        """Give all to the outputs of a state from `at` on."""
        if not self.narrow:
            state.merge(self.in_bins(), at)
            return
        state.flags[at : at + self.outputs] |= np.uint8(OTHER) if self.flags is None else self.flags
        state.hold(self.parts, at)

    def in_bins(self) -> Bins:
        """Everything as bins; nothing may be put here after."""
        bins = self.spill()
        bins.flags |= np.uint8(OTHER) if self.flags is None else self.flags
        return bins


def gather(box: Box, pieces: list[Piece], term: Term, workspace: Workspace) -> Gathered:
    """The exact sums of a region's terms."""
    a, _, b, _ = pieces[0]
    gathered = Gathered((a.stop - a.start) * (b.stop - b.start))
    for index, piece in enumerate(pieces):
        tile, shape = summed_in_the_middle(box[piece])
        loaded = load(box[piece], tile, shape, workspace)
        flags = _flags(tile, shape, loaded, term.signed)
        if flags is not None and gathered.flags is None:
            gathered.flags = np.full(gathered.outputs, OTHER if index else 0, np.uint8)
        if gathered.flags is not None:
            gathered.flags |= np.uint8(OTHER) if flags is None else flags
        if not loaded.finite:
            values = tile.astype(np.float64).reshape(shape)
            y = workspace.values(shape)
            np.copyto(y, np.where(np.isfinite(values), values, 0.0))
            loaded = measure(y, workspace, tile.dtype)
        if loaded.top == loaded.unit:  # nothing but zeros
            continue
        parts = term.cut(loaded, workspace)
        if parts is None:
            term.count(gathered.spill(), loaded.y)
        else:
            gathered.put(parts)
    return gathered


def summed_in_the_middle(tile: NDArray[Any]) -> tuple[NDArray[Any], tuple[int, int, int]]:
    """A tile [o, r1, i, r2] in an order in which it is [a, r, b], summed over r, its outputs (o, i) in order."""
    o, r1, i, r2 = tile.shape
    if r2 == 1:
        return tile, (o, r1, i)
    if r1 * r2 > SHORT:
        return tile.transpose(0, 2, 1, 3), (o * i, r1 * r2, 1)
    return tile.transpose(1, 3, 0, 2), (1, r1 * r2, o * i)


def _flags(tile: NDArray[Any], shape: tuple[int, int, int], loaded: Loaded, signed: bool) -> Flags | None:
    """What a tile's outputs have seen; None where that is numbers, and at least one that is not -0.0."""
    bits = tile.view(f"i{tile.itemsize}")
    minus_zero = -(1 << (8 * tile.itemsize - 1))
    unusual = signed and loaded.zeros and np.minimum.reduce(bits, axis=None) == minus_zero
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


def join(several: list[Gathered]) -> Gathered:
    """Regions side by side, none of which has bins."""
    if len(several) == 1:
        return several[0]
    joined = Gathered(sum(gathered.outputs for gathered in several))
    for depth in range(max(len(gathered.parts) for gathered in several)):
        parts = [gathered.parts[depth] for gathered in several if depth < len(gathered.parts)]
        values = [
            gathered.parts[depth].values if depth < len(gathered.parts) else np.zeros(gathered.outputs)
            for gathered in several
        ]
        top, unit = max(part.top for part in parts), min(part.unit for part in parts)
        joined.parts.append(Part(np.concatenate(values), top, unit))
    if any(gathered.flags is not None for gathered in several):
        flags = [np.full(g.outputs, OTHER, np.uint8) if g.flags is None else g.flags for g in several]
        joined.flags = np.concatenate(flags)
    return joined
