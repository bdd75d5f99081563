"""ArgMin and ArgMax: the state of an output is the extreme so far and where it stands."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.errors import Undefined
from app.kernels.folding import DEPTH, fold, tiles
from app.kernels.kernel import Box
from app.kernels.order import order

Indices = NDArray[np.int64]

# Rows up to this many bytes are turned into columns, where one call serves many rows.
SHORT_BYTES = 64
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

    def best(self, found: list[tuple[NDArray[Any], Indices]]) -> tuple[NDArray[Any], Indices]:
        """Of several extremes for each output the one that counts, whatever the order they come in."""
        values = np.concatenate([extremes for extremes, _ in found]).reshape(1, len(found), -1, 1)
        indices = np.concatenate([indices for _, indices in found]).reshape(values.shape)
        extremes = self.order.extremes(values)
        tied = self.order.ties(values, extremes)
        return extremes, fold(self._nearer, np.where(tied, indices, self.nowhere))

    @property
    def nowhere(self) -> np.int64:
        """An index that gives way to any other."""
        return np.int64(-1 if self._last else np.iinfo(np.int64).max)

    @property
    def _nearer(self) -> np.ufunc:
        return np.maximum if self._last else np.minimum

    def tile(self, box: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
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

    def _rows(self, rows: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
        if self.native is not None:
            indices = self.native(rows, axis=1)
            return rows[np.arange(len(rows)), indices], indices
        box = rows[np.newaxis, np.newaxis, :, :]
        extremes = self.order.extremes(box)
        tied = self.order.ties(box, extremes)[0, 0]
        if not self._last:
            return extremes, tied.argmax(axis=1)
        return extremes, rows.shape[1] - 1 - tied[:, ::-1].argmax(axis=1)

    def _columns(self, columns: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
        """Along the middle axis of (o, r, i). The indices fold in the narrowest integers that hold them."""
        r = columns.shape[1]
        box = columns[..., np.newaxis]
        extremes = self.order.extremes(box)
        tied = self.order.ties(box, extremes).view(np.uint8)
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
        return extremes, fold(self._nearer, masks).astype(np.int64)


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
        return Positions(self._search, *self._positions(box, first))

    def _positions(self, box: Box, first: int) -> tuple[NDArray[Any], Indices]:
        box = box.view(self._order.storage)
        o, _, i, _ = box.shape
        values = np.empty((o, i), self._order.storage)
        indices = np.empty((o, i), np.int64)
        for region, pieces in tiles(box, COLUMN_DEPTH):
            found: list[tuple[NDArray[Any], Indices]] = []
            for piece in pieces:
                extremes, along = self._search.tile(box[piece])
                along += first + piece[1].start + piece[3].start
                found.append((extremes, along))
                if len(found) == DEPTH:
                    found = [self._search.best(found)]
            best = found[0] if len(found) == 1 else self._search.best(found)
            values[region], indices[region] = (part.reshape(values[region].shape) for part in best)
        return values.reshape(-1), indices.reshape(-1)

    def finish(self, state: Positions, count: int) -> Indices:
        """The indices, int64."""
        return state.indices

    def whole(self, box: Box) -> Indices:
        """The indices along the box's one axis."""
        o, _, i, r2 = box.shape
        if self._search.native is not None and r2 * box.itemsize > SHORT_BYTES:
            return self._search.native(box.reshape(o * i, r2), axis=1)
        return self._positions(box, 0)[1]

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
