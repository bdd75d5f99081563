"""Min and Max: the state of an output is the extreme so far."""

from math import copysign
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.kernels.extremes.folding import DEPTH, in_one_pass, shallow, tile_bytes, tiles
from app.kernels.extremes.order import Order, order
from app.kernels.few import rows
from app.kernels.kernel import Box, filled
from app.kernels.regions import cuts

OUTPUT_BYTES = 1 << 19
"""Of outputs of one call: they are looked at again for zeros and NaNs."""

MERGED = 1 << 15
"""Outputs merged at a time: two states of so many, and what comes of them, stay in the cache."""


class Extremes:
    """The extreme of every output, in the storage dtype of its order; that of the empty set where none came yet."""

    def __init__(self, order: Order, values: NDArray[Any]) -> None:
        self.values = values
        self._order = order

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.values.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        """Take in what `other` found for the outputs from `at` on."""
        if not self.values.flags.writeable:  # the elements themselves
            self.values = self.values.copy()
        mine = self.values[at : at + len(other.values)]
        for part in cuts(len(mine), MERGED):
            mine[part] = self._order.further(mine[part], other.values[part])


def elements(box: NDArray[Any], storage: np.dtype[Any]) -> NDArray[Any]:
    """The elements of a box in which each has an output of its own: not copied, so not to be written to."""
    values = box.view(storage).reshape(-1)[:]
    values.flags.writeable = False
    return values


def furthest(order: Order, extremes: list[NDArray[Any]]) -> NDArray[Any]:
    """The extremes of extremes, output by output."""
    return order.extremes(np.concatenate(extremes).reshape(1, len(extremes), -1, 1))


def _fill(found: NDArray[Any], order: Order, box: NDArray[Any]) -> None:
    """The extremes of a box of any size, to `found`, 1-D."""
    if order.passes == 1 and in_one_pass(box):
        filled(found, order.extremes(box, found))
        return
    regions = found.reshape(box.shape[0], box.shape[2])
    for a, b, pieces in tiles(box):
        several: list[NDArray[Any]] = []
        for piece in pieces:
            several.append(order.extremes(box[piece]))
            if len(several) == DEPTH:
                several = [furthest(order, several)]
        one = several[0] if len(several) == 1 else furthest(order, several)
        regions[a, b] = one.reshape(regions[a, b].shape)


class Extremum:
    """The smallest or the largest element."""

    min_threads = 2

    def __init__(self, dtype: np.dtype[Any], largest: bool) -> None:
        self._dtype = dtype
        self._order = order(dtype, largest)
        self._choice = max if largest else min
        self.outputs_at_once = OUTPUT_BYTES // dtype.itemsize

    def identity(self, outputs: int) -> Extremes:
        """The extremes of empty sets."""
        return Extremes(self._order, np.full(outputs, self._order.weakest))

    def partial(self, box: Box, first: int = 0) -> Extremes:
        """The extremes of a box."""
        if box.shape[1] * box.shape[3] == 1:
            return Extremes(self._order, elements(box, self._order.storage))
        return Extremes(self._order, self._extremes(box))

    def _extremes(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """The extremes in storage, in `into` where that is given and is of use."""
        box = box.view(self._order.storage)
        if box.nbytes <= tile_bytes(box):
            return self._order.extremes(box, into)
        # A look at some elements costs a tenth of a shallow box, and is of little use there.
        order = self._order if shallow(box) else self._order.suited(box[:1, :32, :32, :1024])
        found = np.empty(box.shape[0] * box.shape[2], self._order.storage) if into is None else into
        _fill(found.view(order.storage), order, box.view(order.storage))
        return found

    def finish(self, state: Extremes, count: int) -> NDArray[Any]:
        """The extremes themselves."""
        values = state.values if state.values.flags.writeable else state.values.copy()
        return self._order.canonical(values).view(self._dtype)

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """The extremes of a box."""
        few = rows(box)
        if few is not None:
            return filled(into, np.array([self._of_few(row) for row in few], self._dtype))
        room = None if into is None else into.view(self._order.storage)
        found = filled(room, self._order.canonical(self._extremes(box, room)))
        return found.view(self._dtype) if into is None else into

    def _of_few(self, row: list[float]) -> float:
        found = self._choice(row)
        if found == 0.0:  # Python takes either zero for the other
            signs = [copysign(1.0, x) for x in row if x == 0.0]
            found = type(found)(copysign(0.0, self._choice(signs)))
        return found

    def empty(self) -> np.generic:
        """The element that every other is preferred to."""
        answer: np.generic = np.array([self._order.weakest]).view(self._dtype)[0]
        return answer

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        """Every element is its own extreme, NaN payloads and all."""
        return values


def minimum(dtype: np.dtype[Any]) -> Extremum:
    """Min."""
    return Extremum(dtype, largest=False)


def maximum(dtype: np.dtype[Any]) -> Extremum:
    """Max."""
    return Extremum(dtype, largest=True)
