"""Where the extremes of columns stand.

They fold their indices, in the narrowest integers that hold them, wherever an element ties; deep ones first find the
group of rows that holds the extreme, as its index takes no more than a byte.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.extremes.folding import FOLDS, fold
from app.kernels.extremes.groups import found_in_groups
from app.kernels.extremes.order import Order

Indices = NDArray[np.int64]
Found = tuple[NDArray[Any], NDArray[Any]]  # extremes, and their indices in any integers

# Rows of a group, and columns of so many rows whose groups are searched before the rows of one: their indices take more
# than a byte.
GROUP = 16
DEEP_ROWS = 512
# Rows of fewer bytes are looked at several together: a comparison of one is sooner done than begun.
SHORT_ROW_BYTES = 512
# Rows that a byte tells apart.
BYTE_ROWS = 256


class ColumnSearch:
    """The first, or the last, of the elements of a column that tie for its extreme."""

    def __init__(self, order: Order, last: bool) -> None:
        self._order = order
        self._last = last

    def found(self, columns: NDArray[Any]) -> Found:
        """The extremes along the middle axis of (o, r, i), whose rows lie in memory as such."""
        if columns.shape[1] >= DEEP_ROWS:
            return self._by_groups(columns)
        rivals = self._order.rivals(columns[..., np.newaxis])
        return rivals, self._nearest(columns, rivals)

    def _by_groups(self, columns: NDArray[Any]) -> Found:
        """The extremes of all groups of rows, then the rows of the group of each column that holds its extreme."""
        return found_in_groups(
            columns.shape[1],
            GROUP,
            lambda part: self._of_groups(columns[:, part]),
            lambda groups: self._order.rivals(groups[..., np.newaxis]),
            self._nearest,
            lambda first: self._taken(columns, first),
        )

    def _of_groups(self, columns: NDArray[Any]) -> NDArray[Any]:
        o, r, i = columns.shape
        groups = columns.reshape(o * (r // GROUP), GROUP, i, 1)
        return self._order.rivals(groups).reshape(o, r // GROUP, i)

    def _taken(self, columns: NDArray[Any], first: NDArray[Any]) -> NDArray[Any]:
        """The rows of each column from the row `first` of it on: (1, GROUP, o * i)."""
        o, r, i = columns.shape
        outer, row, _ = (stride // columns.itemsize for stride in columns.strides)
        memory = np.lib.stride_tricks.as_strided(columns, ((o - 1) * outer + (r - 1) * row + i,), columns.strides[2:])
        places = first.reshape(o, i) * row
        places += np.arange(i)
        places += np.arange(0, o * outer, outer).reshape(o, 1) if o > 1 else 0
        rows = np.arange(0, GROUP * row, row).reshape(GROUP, 1)
        return memory.take(places.reshape(1, -1) + rows, mode="clip")[np.newaxis]

    def _nearest(self, columns: NDArray[Any], rivals: NDArray[Any]) -> NDArray[Any]:
        """The first or last of the rows that tie, for every column."""
        together = _rows_together(columns)
        if together > 1:
            return self._nearest_of_many(columns, rivals, together)
        r = columns.shape[1]
        indices = np.arange(r, dtype=np.min_scalar_type(r - 1)).reshape(r, 1, 1)
        return self.nearest(self._order.ties(columns[..., np.newaxis], rivals), indices)

    def _nearest_of_many(self, columns: NDArray[Any], rivals: NDArray[Any], together: int) -> NDArray[Any]:
        """The same of rows some of which, `together`, are looked at as one long one, whose elements are columns too."""
        o, r, i = columns.shape
        depth, left = -(-r // together), r % together
        rivals = np.broadcast_to(rivals.reshape(o, 1, i), (o, together, i))
        weights = np.arange(1, depth + 1, dtype=np.min_scalar_type(depth)).reshape(depth, 1, 1)
        places = np.arange(together).reshape(together, 1)
        if not self._last:
            weights, places = weights[::-1], places[::-1]
        best = self._heaviest_of(columns[:, : r - left].reshape(o, -1, together * i), rivals, weights)
        if left:
            rest = self._heaviest_of(columns[:, r - left :].reshape(o, 1, left * i), rivals[:, :left], weights[-1:])
            np.maximum(best[:, :left], rest, out=best[:, :left])
        # A long row that ties weighs 1 or more, so one of its rows beats all those of rows that do not.
        beyond = (depth + 1) * together
        keys = best.astype(np.min_scalar_type(beyond))
        keys *= keys.dtype.type(together)
        keys += places.astype(keys.dtype)
        heaviest = fold(np.maximum, keys[..., np.newaxis])
        return heaviest - keys.dtype.type(together) if self._last else keys.dtype.type(beyond - 1) - heaviest

    def _heaviest_of(self, rows: NDArray[Any], rivals: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
        """The weights (o, rows together, i) of the heaviest long rows (o, r, rows together * i) that tie with rivals
        (o, rows together, i), 0 where none does."""
        tied = self._order.ties(rows[..., np.newaxis], rivals.reshape(-1))
        return _heaviest(tied, weights[: rows.shape[1]]).reshape(rivals.shape)

    def nearest(self, tied: NDArray[np.bool_], indices: NDArray[Any]) -> NDArray[Any]:
        """The first or last of the unsigned indices, over r1, that tie. They fold in the integers they come in."""
        return _heaviest(tied, indices) if self._last else ~_heaviest(tied, ~indices)


def _rows_together(columns: NDArray[Any]) -> int:
    """How many rows of columns (o, r, i) are best looked at as one."""
    _, r, i = columns.shape
    size = i * columns.itemsize
    if columns.strides[1:] != (size, columns.itemsize):
        return 1
    counted = 1 if r <= BYTE_ROWS else -(-r // (BYTE_ROWS - 1))
    return max(counted, min(-(-SHORT_ROW_BYTES // size), r // FOLDS))


def _heaviest(tied: NDArray[np.bool_], weights: NDArray[Any]) -> NDArray[Any]:
    """The largest of the unsigned weights, over r1, that tie; 0 where none does. They fold in what they come in."""
    heavy = tied.view(np.uint8)
    if weights.itemsize > 1:
        heavy = heavy.astype(weights.dtype)
    np.multiply(heavy, weights, out=heavy)
    return fold(np.maximum, heavy)
