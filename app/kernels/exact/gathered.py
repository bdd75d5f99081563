"""Exact sums of a region of outputs: parts where that goes, bins where the range is wide."""

from typing import Self

import numpy as np

from app.kernels.exact.bins import OTHER, Bins, Flags
from app.kernels.exact.parts import FEW_PARTS, Part, Sums, collected, folded, side_by_side

# More parts than this are folded into fewer.
_MOST_PARTS = 32
# Which of the sums of a tile, heads or rests, and the a and b of [a, groups, b].
Layout = tuple[int, int, int]
PENDING_ELEMENTS = 1 << 15
"""Elements that sums [a, groups, b] may have while they wait to be summed up together: a quarter of a megabyte."""


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
        if self.size > PENDING_ELEMENTS:
            self.parts()
        if len(self.done) > _MOST_PARTS:
            self.done = folded(self.done)
            if len(self.done) > _MOST_PARTS:
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
        return folded(parts) if len(parts) > FEW_PARTS else parts

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
