"""ArgMin and ArgMax: the state of an output is the extreme so far and where it stands."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.errors import Undefined
from app.kernels.extremes.bit_search import NarrowSearch
from app.kernels.extremes.columns import Found, Indices
from app.kernels.extremes.extremum import MERGED, elements
from app.kernels.extremes.folding import COPIED_TILE_BYTES, DEPTH, tiles
from app.kernels.extremes.search import LONG, RUN_BYTES, Search
from app.kernels.kernel import OUTPUTS, Box, filled
from app.kernels.regions import cuts
from app.kernels.rounding import FLOAT_FORMATS

# Elements that NumPy's search is through with before ours has begun.
FEW_ELEMENTS = 1024
# Columns of a tile are as deep as that, or as the axis is: a byte holds every index, and int64 is needed seldom.
COLUMN_DEPTH = 64


class Positions:
    """The extreme of every output, in the storage dtype of its order, and its index along the axis."""

    def __init__(self, search: Search, values: NDArray[Any], indices: Indices) -> None:
        self.values = values
        self.indices = indices
        self._search = search

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.values.nbytes + self.indices.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        """Take in what `other` found for the outputs from `at` on."""
        if not self.indices.flags.writeable:  # the elements themselves, and one index for all
            self.values, self.indices = self.values.copy(), self.indices.copy()
        values = self.values[at : at + len(other.values)]
        indices = self.indices[at : at + len(other.values)]
        for part in cuts(len(values), MERGED):
            self._search.take((values[part], indices[part]), (other.values[part], other.indices[part]))


class Position:
    """The index of the smallest or the largest element, along one axis."""

    min_threads = 2
    outputs_at_once = OUTPUTS

    def __init__(self, dtype: np.dtype[Any], largest: bool, last: bool) -> None:
        narrow = dtype in FLOAT_FORMATS and dtype.itemsize == 2
        self._search = (NarrowSearch if narrow else Search)(dtype, largest, last)
        self._order = self._search.order

    def identity(self, outputs: int) -> Positions:
        """The extremes of empty sets, nowhere."""
        values = np.full(outputs, self._order.weakest)
        return Positions(self._search, values, np.full(outputs, self._search.nowhere))

    def partial(self, box: Box, first: int = 0) -> Positions:
        """The extremes of a box and their indices, the box's elements counted from `first`."""
        o, r1, i, r2 = box.shape
        if r1 * r2 == 1:
            return Positions(self._search, elements(box, self._order.storage), np.broadcast_to(np.int64(first), o * i))
        values = np.empty((o, i), self._order.storage)
        indices = np.empty((o, i), np.int64)
        for region, rivals, along in self._regions(box, first):
            values[region] = rivals.reshape(values[region].shape)
            indices[region] = along.reshape(indices[region].shape)
        return Positions(self._search, values.reshape(-1), indices.reshape(-1))

    def _regions(self, box: Box, first: int) -> Iterator[tuple[tuple[slice, slice], NDArray[Any], NDArray[Any]]]:
        """The extremes of a box and their indices, region by region of its outputs."""
        box = box.view(self._order.storage)
        if box.shape[0] * box.shape[2] == 1 and box.flags.c_contiguous:
            rivals, along = self._search.one(box.reshape(-1))
            yield (slice(None), slice(None)), rivals, along + np.int64(first)
            return
        if self._order.passes == 1 and box.flags.c_contiguous and box.shape[3] * box.itemsize >= LONG * RUN_BYTES:
            rivals, along = self._search.tile(box)  # one pass is all there is, so it needs no cache
            yield (slice(None), slice(None)), rivals, along + np.int64(first)
            return
        if box.nbytes <= COPIED_TILE_BYTES:
            rivals, along = self._search.tile(box)
            yield (slice(None), slice(None)), rivals, along + np.int64(first)
            return
        for a, b, pieces in tiles(box, COLUMN_DEPTH):
            found: list[Found] = []
            for piece in pieces:
                rivals, along = self._search.tile(box[piece])
                start = first + piece[1].start + piece[3].start
                found.append((rivals, along + np.int64(start) if start else along))
                if len(found) == DEPTH:
                    found = [self._search.best(found)]
            yield (a, b), *(found[0] if len(found) == 1 else self._search.best(found))

    def finish(self, state: Positions, count: int) -> Indices:
        """The indices, int64."""
        return state.indices

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> Indices:
        """The indices along the box's one axis."""
        box = box.view(self._order.storage)
        if box.size <= FEW_ELEMENTS:
            return filled(into, self._search.few(box))
        o, _, i, r2 = box.shape
        found = np.empty(o * i, np.int64) if into is None else into
        if self._search.native is not None and self._search.directly(box):
            axis, shape = (3, (o, 1, i)) if r2 > 1 else (1, (o, i, 1))
            self._search.native(box, axis=axis, out=found.reshape(shape))
            return found
        if box.flags.c_contiguous and self._search.rows_of_a_few(box.reshape(-1, r2), found):
            return found
        indices = found.reshape(o, i)
        for region, _, along in self._regions(box, 0):
            indices[region] = along.reshape(indices[region].shape)
        return found

    def empty(self) -> np.generic:
        """No element has an index."""
        raise Undefined("the index of the extreme of an empty set is undefined")

    def elementwise(self, values: NDArray[Any]) -> Indices:
        """Every element is the first of its own axis."""
        return np.zeros(values.shape, np.int64)


def arg_min(dtype: np.dtype[Any], last: bool) -> Position:
    """ArgMin; `last`: the last of equals, not the first."""
    return Position(dtype, largest=False, last=last)


def arg_max(dtype: np.dtype[Any], last: bool) -> Position:
    """ArgMax; `last`: the last of equals, not the first."""
    return Position(dtype, largest=True, last=last)
