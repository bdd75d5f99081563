"""Where the extremes of columns stand.

They fold their indices, in the narrowest integers that hold them, wherever an element ties; deep ones first find the
group of rows that holds the extreme, as its index takes no more than a byte.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.extremes.folding import fold
from app.kernels.extremes.order import Order

Indices = NDArray[np.int64]
Found = tuple[NDArray[Any], NDArray[Any]]  # extremes, and their indices in any integers

# Rows of a group, and columns of so many rows whose groups are searched before the rows of one: their indices take more
# than a byte.
GROUP = 16
DEEP_ROWS = 512


class ColumnSearch:
    """The first, or the last, of the elements of a column that tie for its extreme."""

    def __init__(self, order: Order, last: bool) -> None:
        self._order = order
        self._last = last
        self.nearer: np.ufunc = np.maximum if last else np.minimum

    def found(self, columns: NDArray[Any]) -> Found:
        """The extremes along the middle axis of (o, r, i)."""
        if columns.shape[1] >= DEEP_ROWS and columns.strides[2] == columns.itemsize:
            return self._by_groups(columns)
        rivals = self._order.rivals(columns[..., np.newaxis])
        return rivals, self._nearest(columns, rivals)

    def _by_groups(self, columns: NDArray[Any]) -> Found:
        """The extremes of all groups of rows, then the rows of the group of each column that holds its extreme."""
        r = columns.shape[1]
        starts = np.arange(0, r - GROUP + 1, GROUP)
        rivals = self._of_groups(columns[:, : len(starts) * GROUP])
        if r % GROUP:
            # The last group may begin within the one before: if that tied as well it would be the first, and is not
            # the last.
            starts = np.append(starts, r - GROUP)
            rivals = np.concatenate([rivals, self._of_groups(columns[:, r - GROUP :])], axis=1)
        best = self._order.rivals(rivals[..., np.newaxis])
        first = starts[self._nearest(rivals, best)]
        some = self._taken(columns, first)
        return best, self._nearest(some, best) + first

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
        r = columns.shape[1]
        indices = np.arange(r, dtype=np.min_scalar_type(r - 1)).reshape(r, 1, 1)
        return self.nearest(self._order.ties(columns[..., np.newaxis], rivals), indices)

    def nearest(self, tied: NDArray[np.bool_], indices: NDArray[Any]) -> NDArray[Any]:
        """The first or last of the unsigned indices, over r1, that tie. They fold in the integers they come in."""
        masks = tied.view(np.uint8)
        if self._last:  # 0 where there is no tie
            np.negative(masks, out=masks)
        else:  # all bits set where there is no tie
            np.subtract(masks, 1, out=masks)
        if indices.itemsize > 1:
            masks = masks.view(np.int8).astype(indices.dtype)
        (np.bitwise_and if self._last else np.bitwise_or)(masks, indices, out=masks)
        return fold(self.nearer, masks)
