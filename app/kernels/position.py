"""ArgMin and ArgMax: the state of an output is the extreme so far and where it stands."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.errors import Undefined
from app.kernels.folding import COPIED_TILE_BYTES, DEPTH, fold, tiles
from app.kernels.kernel import Box
from app.kernels.order import order

Indices = NDArray[np.int64]
Found = tuple[NDArray[Any], NDArray[Any]]  # extremes, and their indices in any integers

# Rows up to this many bytes are turned into columns, where one call serves many rows.
SHORT_BYTES = 64
# Elements that NumPy's search is through with before ours has begun.
FEW = 1024
# Columns of a tile are as deep as that, or as the axis is: a byte holds every index, and int64 is needed seldom.
COLUMN_DEPTH = 64
# Fewer columns than this are turned into rows.
NARROW = 16


class Positions:
    """The extreme of every output, in the storage dtype of its order, and its index along the axis."""

    def __init__(self, search: "Search", values: NDArray[Any], indices: Indices) -> None:
        self.values = values
        self.indices = indices
        self._search = search

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.values.nbytes + self.indices.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        """Take in what `other` found for the outputs from `at` on."""
        region = slice(at, at + len(other.values))
        mine = self._search.best([(self.values[region], self.indices[region]), (other.values, other.indices)])
        self.values[region], self.indices[region] = mine


class Search:
    """The first, or the last, of the elements that tie for the extreme."""

    def __init__(self, dtype: np.dtype[Any], largest: bool, last: bool) -> None:
        self.order = order(dtype, largest)
        self._last = last
        # NumPy's own search finds the first, and a NaN before all: right, and quick, where it knows the dtype.
        known = dtype == self.order.storage
        self.native = None if last or not known else np.argmax if largest else np.argmin

    def best(self, found: list[Found]) -> Found:
        """Of several extremes for each output the one that counts, whatever the order they come in."""
        values = np.concatenate([rivals for rivals, _ in found]).reshape(1, len(found), -1, 1)
        indices = np.concatenate([indices for _, indices in found]).reshape(values.shape)
        rivals = self.order.rivals(values)
        tied = self.order.ties(values, rivals)
        return rivals, fold(self._nearer, np.where(tied, indices, self.nowhere))

    @property
    def nowhere(self) -> np.int64:
        """An index that gives way to any other."""
        return np.int64(-1 if self._last else np.iinfo(np.int64).max)

    @property
    def _nearer(self) -> np.ufunc:
        return np.maximum if self._last else np.minimum

    def tile(self, box: NDArray[Any]) -> Found:
        """The extremes of a tile with one axis to reduce, r1 or r2, and their indices along it."""
        o, r1, i, r2 = box.shape
        if r2 > 1:
            rows = box.reshape(o * i, r2)
            if len(rows) > 1 and r2 * box.itemsize <= SHORT_BYTES:
                return self._columns(np.ascontiguousarray(rows.T)[np.newaxis, :, :])
            return self._rows(rows)
        if i < NARROW and r1 * box.itemsize > SHORT_BYTES:
            return self._rows(box.swapaxes(1, 2).reshape(o * i, r1))
        return self._columns(box[..., 0])

    def _rows(self, rows: NDArray[Any]) -> Found:
        if self.native is not None:
            indices = self.native(rows, axis=1)
            return rows[np.arange(len(rows)), indices], indices
        box = rows[np.newaxis, np.newaxis, :, :]
        rivals = self.order.rivals(box)
        tied = self.order.ties(box, rivals)[0, 0]
        if not self._last:
            return rivals, tied.argmax(axis=1)
        return rivals, rows.shape[1] - 1 - tied[:, ::-1].argmax(axis=1)

    def _columns(self, columns: NDArray[Any]) -> Found:
        """Along the middle axis of (o, r, i). The indices fold in the narrowest integers that hold them."""
        r = columns.shape[1]
        box = columns[..., np.newaxis]
        rivals = self.order.rivals(box)
        tied = self.order.ties(box, rivals).view(np.uint8)
        narrow = np.min_scalar_type(r - 1)
        indices = np.arange(r, dtype=narrow).reshape(r, 1, 1)
        if self._last:  # 0 where there is no tie
            np.negative(tied, out=tied)
            masks = tied if narrow == np.uint8 else tied.view(np.int8).astype(narrow)
            masks &= indices
        else:  # all bits set where there is no tie
            np.subtract(tied, 1, out=tied)
            masks = tied if narrow == np.uint8 else tied.view(np.int8).astype(narrow)
            masks |= indices
        return rivals, fold(self._nearer, masks)


class Position:
    """The index of the smallest or the largest element, along one axis."""

    def __init__(self, dtype: np.dtype[Any], largest: bool, last: bool) -> None:
        self._search = Search(dtype, largest, last)
        self._order = self._search.order

    def identity(self, outputs: int) -> Positions:
        """The extremes of empty sets, nowhere."""
        values = np.full(outputs, self._order.last)
        return Positions(self._search, values, np.full(outputs, self._search.nowhere))

    def partial(self, box: Box, first: int = 0) -> Positions:
        """The extremes of a box and their indices, the box's elements counted from `first`."""
        o, _, i, _ = box.shape
        values = np.empty((o, i), self._order.storage)
        indices = np.empty((o, i), np.int64)
        for region, rivals, along in self._regions(box, first):
            values[region] = rivals.reshape(values[region].shape)
            indices[region] = along.reshape(indices[region].shape)
        return Positions(self._search, values.reshape(-1), indices.reshape(-1))

    def _regions(self, box: Box, first: int) -> Iterator[tuple[tuple[slice, slice], NDArray[Any], NDArray[Any]]]:
        """The extremes of a box and their indices, region by region of its outputs."""
        box = box.view(self._order.storage)
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

    def whole(self, box: Box) -> Indices:
        """The indices along the box's one axis."""
        o, _, i, r2 = box.shape
        long = r2 > 1 and (o * i == 1 or r2 * box.itemsize > SHORT_BYTES)
        if self._search.native is not None and (long or box.size <= FEW):
            return self._search.native(box, axis=3 if r2 > 1 else 1).reshape(-1)
        indices = np.empty((o, i), np.int64)
        for region, _, along in self._regions(box, 0):
            indices[region] = along.reshape(indices[region].shape)
        return indices.reshape(-1)

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
