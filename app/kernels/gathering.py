"""The terms of a region of outputs, gathered into exact sums: parts where that goes, bins where the range is wide."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.kernels.bins import MINUS_INFINITY, NAN, OTHER, PLUS_INFINITY, Bins, Flags
from app.kernels.kernel import Box
from app.kernels.loading import Loaded, load, measure, near
from app.kernels.parts import FEW, Part, Sums, collected, folded, side_by_side
from app.kernels.regions import Piece
from app.kernels.rounding import Floats
from app.kernels.scratch import Scratch
from app.kernels.terms import Term

# More parts than this are folded into fewer.
MANY = 32
# Which of the sums of a tile, heads or rests, and the a and b of [a, groups, b].
Layout = tuple[int, int, int]
# Elements of sums that wait, to be summed up together.
PENDING = 1 << 15


class Gathered:
    """Exact sums of a region: the total of all that was put, and flags for what no sum of numbers shows."""

    __slots__ = ("_bins", "done", "flags", "outputs", "size", "sums")

    def __init__(self, outputs: int) -> None:
        self.outputs = outputs
        self.size = 0  # of what is still to be summed up
        self.flags: Flags | None = None  # None where every output has seen only numbers, and one that is not -0.0
        self.sums: dict[Layout, list[Sums]] = {}
        self.done: list[Part] = []
        self._bins: Bins | None = None

    @property
    def narrow(self) -> bool:
        """Whether the parts are all there is."""
        return self._bins is None

    def put(self, several: list[Sums]) -> None:
        """Add sums, each of all the outputs. They are summed up many together: that takes as many calls as for one."""
        for kind, sums in enumerate(several):
            a, groups, b = sums.values.shape
            if groups == 1:
                self.done.append(Part(sums.values.reshape(-1), sums.top, sums.unit))
            else:
                self.sums.setdefault((kind, a, b), []).append(sums)
                self.size += sums.values.size
        if self.size > PENDING:
            self.parts()
        if len(self.done) > MANY:
            self.done = folded(self.done)
            if len(self.done) > MANY:
                self.spill()

    def parts(self) -> list[Part]:
        """What was put, apart from the bins, as a few parts."""
        for several in self.sums.values():
            self.done += collected(several)
        self.sums, self.size = {}, 0
        return self.done

    def few(self) -> list[Part]:
        """The same as fewer parts, where there are many."""
        parts = self.parts()
        return folded(parts) if len(parts) > FEW else parts

    def spill(self) -> Bins:
        """The bins, with all parts in them."""
        if self._bins is None:
            self._bins = Bins(self.outputs)
        for part in self.parts():
            self._bins.add(part)
        self.done = []
        return self._bins

    def layout(self) -> tuple[object, ...]:
        """How the sums lie; those of several regions can be stacked if all lie alike."""
        return tuple((key, *[sums.values.shape[1] for sums in several]) for key, several in self.sums.items())

    def add_to(self, state: Bins, at: int) -> None:
        """Give all to the outputs of a state from `at` on."""
        if not self.narrow:
            state.merge(self.in_bins(), at)
            return
        state.flags[at : at + self.outputs] |= np.uint8(OTHER) if self.flags is None else self.flags
        state.hold(self.few(), at)

    def in_bins(self) -> Bins:
        """Everything as bins; nothing may be put here after."""
        bins = self.spill()
        bins.flags |= np.uint8(OTHER) if self.flags is None else self.flags
        return bins

    @classmethod
    def side_by_side(cls, several: list[Self]) -> Self:
        """Regions one after the other, none of which has bins."""
        if len(several) == 1:
            return several[0]
        joined = cls(sum([gathered.outputs for gathered in several]))
        if len({gathered.layout() for gathered in several}) == 1:
            for (kind, a, b), sums in several[0].sums.items():
                layers = zip(*[gathered.sums[kind, a, b] for gathered in several], strict=True)
                joined.sums[kind, a * len(several), b] = [_stacked(layer) for layer in layers]
                joined.size += len(several) * sum(one.values.size for one in sums)
            every = [gathered.done for gathered in several]
        else:
            every = [gathered.parts() for gathered in several]
        outputs = [gathered.outputs for gathered in several]
        joined.done = side_by_side(every, outputs)
        if any(gathered.flags is not None for gathered in several):
            flags = [np.full(g.outputs, OTHER, np.uint8) if g.flags is None else g.flags for g in several]
            joined.flags = np.concatenate(flags)
        return joined


def _stacked(several: tuple[Sums, ...]) -> Sums:
    """Sums of different outputs, of one layout, as one."""
    top, unit = max([sums.top for sums in several]), min([sums.unit for sums in several])
    return Sums(np.concatenate([sums.values for sums in several]), top, unit)


def gather(box: Box, pieces: list[Piece], term: Term, scratch: Scratch) -> Gathered:
    """The exact sums of a region's terms."""
    a, _, b, _ = pieces[0]
    gathered = Gathered((a.stop - a.start) * (b.stop - b.start))
    for index, piece in enumerate(pieces):
        cut = box[piece] if box.shape[3] > 1 else near(box[piece], scratch)
        tile, shape = summed_in_the_middle(cut)
        guessed = term.guess(tile, shape, scratch) if term.guess else None
        if guessed is not None:
            gathered.put(guessed)
            if gathered.flags is not None:
                gathered.flags |= np.uint8(OTHER)
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
