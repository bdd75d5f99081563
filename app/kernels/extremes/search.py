"""Where in a tile the extremes stand: the search behind ArgMin and ArgMax.

Short rows are turned into columns, long ones searched only in the run that holds the extreme.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.extremes.columns import ColumnSearch, Found, Indices
from app.kernels.extremes.folding import TILE_BYTES, WORDS, fold, turned, word_of
from app.kernels.extremes.groups import found_in_groups
from app.kernels.extremes.order import order
from app.kernels.extremes.windows import LENGTHS, WINDOWED_BYTES, found_in_windows
from app.kernels.regions import cuts

# Rows up to this many bytes are turned into columns, where one call serves many rows.
SHORT_BYTES = 64
TURNED_BYTES = 256
# Elements of so few bytes NumPy's search takes one by one.
NARROW_BYTES = 2
# Rows are turned element by element where they have no more than so many, else in the narrowest words that are no more.
TURNED_ELEMENTS = 16
TURNED_WORDS = 12
# Fewer columns than this are turned into rows, and of columns of so many bytes fewer than WIDE.
NARROW = 16
DEEP_BYTES = 512
WIDE = 64
# Rows of so many runs, and of so many bytes each, are searched only in the run that holds the extreme.
RUN_BYTES = 4096
LONG = 2
# Ties of so many elements and more are looked at in words of eight.
WORDY = 64

# The comparison by which a later element replaces the best so far, by (largest, last).
BEATS: dict[tuple[bool, bool], np.ufunc] = {
    (False, False): np.less,
    (False, True): np.less_equal,
    (True, False): np.greater,
    (True, True): np.greater_equal,
}


class Search:
    """The first, or the last, of the elements that tie for the extreme."""

    def __init__(self, dtype: np.dtype[Any], largest: bool, last: bool) -> None:
        self.order = order(dtype, largest)
        self._last = last
        self._columns = ColumnSearch(self.order, last)
        self._better = np.maximum if largest else np.minimum
        self._beats = BEATS[largest, last]
        # NumPy's own search finds the first, and a NaN before all: right, and quick, where it knows the dtype.
        known = dtype.kind == "b" or dtype == self.order.storage
        self._search = np.argmax if largest else np.argmin
        self.native = self._search if known and not last else None
        self._known = known
        self._simple = np.dtype(np.float32) if dtype.itemsize == 2 and not known else self.order.storage
        self._dtype = dtype

    def few(self, box: NDArray[Any]) -> Indices:
        """The indices in a small box along its one axis, in as few calls as can be."""
        axis = 3 if box.shape[3] > 1 else 1
        if self._simple != self.order.storage:
            box = box.view(self._dtype).astype(self._simple)
        if not self._last:
            return np.asarray(self._search(box, axis=axis)).reshape(-1)
        backwards = self._search(box[:, ::-1, :, ::-1], axis=axis).reshape(-1)
        return np.asarray(box.shape[axis] - 1 - backwards)

    def best(self, found: list[Found]) -> Found:
        """Of several extremes for each output the one that counts, whatever the order they come in."""
        values = np.concatenate([rivals for rivals, _ in found]).reshape(1, len(found), -1, 1)
        indices = np.concatenate([indices for _, indices in found]).reshape(values.shape)
        rivals = self.order.rivals(values)
        tied = self.order.ties(values, rivals)
        return rivals, fold(np.maximum if self._last else np.minimum, np.where(tied, indices, self.nowhere))

    def take(self, mine: Found, other: Found) -> None:
        """Let the better of two extremes of each output be mine."""
        (values, indices), (theirs, along) = mine, other
        rivals, stays, comes = self.order.duel(values, theirs)
        if np.count_nonzero(stays & comes):
            comes &= ~stays | (np.greater if self._last else np.less)(along, indices)
        coming = np.count_nonzero(comes)
        if coming:
            values[:] = rivals
            if coming * 16 < len(comes):
                np.copyto(indices, along, where=comes)
                return
            # A masked copy takes 6 ns an element where there is no telling which come.
            mask = comes.view(np.int8).astype(np.int64)
            np.negative(mask, out=mask)
            mask &= indices ^ along
            indices ^= mask

    @property
    def nowhere(self) -> np.int64:
        """An index that gives way to any other."""
        return np.int64(-1 if self._last else np.iinfo(np.int64).max)

    def one(self, line: NDArray[Any]) -> Found:
        """The extreme of all elements, 1-D, and its index, tile by tile."""
        found: list[Found] = []
        tile = len(line) if self.order.passes == 1 else TILE_BYTES // line.itemsize
        for part in cuts(len(line), tile):
            rivals, along = self.tile(line[part].reshape(1, 1, 1, -1))
            found.append((rivals, along + np.int64(part.start)))
        return found[0] if len(found) == 1 else self.best(found)

    def tile(self, box: NDArray[Any]) -> Found:
        """The extremes of a tile with one axis to reduce, r1 or r2, and their indices along it."""
        o, r1, i, r2 = box.shape
        if r2 > 1:
            rows = box.reshape(o * i, r2)
            return self._turned(rows) if self.turns(rows) else self._rows(rows)
        deep = r1 * box.itemsize
        if i < (WIDE if deep >= DEEP_BYTES else NARROW) and deep > SHORT_BYTES:
            return self._rows(box.swapaxes(1, 2).reshape(o * i, r1))
        return self._columns.found(box[..., 0])

    def directly(self, box: NDArray[Any]) -> bool:
        """Whether NumPy's own search of a whole box is as good as any."""
        o, _, i, r2 = box.shape
        if not box.flags.c_contiguous or (r2 == 1 and o * i > 1):
            return False
        return o * i == 1 or not self.turns(box.reshape(o * i, r2))

    def rows_of_a_few(self, rows: NDArray[Any], into: Indices) -> bool:
        """Put the indices of rows (n, r) of a few elements in their places; False where rows are searched otherwise."""
        if rows.shape[1] not in LENGTHS or not self.turns(rows):
            return False
        for part in cuts(len(rows), WINDOWED_BYTES // (rows.shape[1] * rows.itemsize)):
            elements = self.order.comparable(rows[part].reshape(-1))
            if elements is None:
                _, into[part] = self._turned(rows[part])
            else:
                into[part] = found_in_windows(elements, rows.shape[1], self._beats, self._better)
        return True

    def turns(self, rows: NDArray[Any]) -> bool:
        """Whether rows (n, r) are better turned into columns."""
        n, length = rows.shape
        size = length * rows.itemsize
        if n == 1 or size > TURNED_BYTES:
            return False
        if self.native is not None and rows.itemsize > NARROW_BYTES and size == TURNED_BYTES:
            return False
        if self.native is not None and rows.dtype.kind == "b" and (length >= NARROW or self.native is np.argmin):
            return False  # it stops at the first
        if self.native is None and rows.itemsize == NARROW_BYTES:  # element by element is better than not at all
            return True
        return size <= SHORT_BYTES or _word(rows) is not None

    def _turned(self, rows: NDArray[Any]) -> Found:
        n, length = rows.shape
        word = _word(rows)
        if word is None or length <= TURNED_ELEMENTS:
            return self._columns.found(np.ascontiguousarray(rows.T)[np.newaxis])
        elements = word.itemsize // rows.itemsize
        rivals, along = self._columns.found(turned(rows, word))
        # What is left is a row of a word's elements, and for each which of the words it came from.
        columns = np.ascontiguousarray(rivals.reshape(n, elements).T)
        indices = np.ascontiguousarray(along.reshape(n, elements).T)
        indices *= indices.dtype.type(elements)
        indices += np.arange(elements, dtype=indices.dtype).reshape(-1, 1)
        box = columns.reshape(1, elements, n, 1)
        rivals = self.order.rivals(box)
        return rivals, self._columns.nearest(self.order.ties(box, rivals), indices.reshape(box.shape))

    def _rows(self, rows: NDArray[Any]) -> Found:
        n, length = rows.shape
        run = RUN_BYTES // rows.itemsize
        if self.native is not None:
            indices = self.native(rows, axis=1)
            return rows[np.arange(n), indices], indices
        if self._known and rows.itemsize > NARROW_BYTES and length < LONG * run:
            indices = self._last_in_rows(rows)
            return rows[np.arange(n), indices], indices
        if length >= LONG * run:
            return self._long_rows(rows, run)
        box = rows[np.newaxis, np.newaxis, :, :]
        rivals = self.order.rivals(box)
        return rivals, self._along(self.order.ties(box, rivals)[0, 0])

    def _last_in_rows(self, rows: NDArray[Any]) -> NDArray[np.intp]:
        """The last extreme of each row, by NumPy's search of a copy: less than looking for ties takes."""
        return np.asarray(rows.shape[1] - 1 - self._search(rows[:, ::-1], axis=1))

    def _long_rows(self, rows: NDArray[Any], run: int) -> Found:
        """Only the run of each row that holds the extreme is searched."""
        n, length = rows.shape

        def rivals(lines: NDArray[Any]) -> NDArray[Any]:
            return self.order.rivals(lines[np.newaxis, np.newaxis])

        return found_in_groups(
            length,
            run,
            lambda part: rivals(rows[:, part].reshape(-1, run)).reshape(n, -1),
            rivals,
            lambda lines, best: self._along(self.order.ties(lines[np.newaxis, np.newaxis], best)[0, 0]),
            lambda first: np.lib.stride_tricks.sliding_window_view(rows, run, axis=1)[np.arange(n), first],
        )

    def _along(self, tied: NDArray[np.bool_]) -> NDArray[Any]:
        """Where the first or last of each row of ties stands."""
        if not self._last:
            return tied.argmax(axis=1)
        n, length = tied.shape
        if length % 8 == 0 and length >= WORDY and tied.flags.c_contiguous:
            return _last_by_words(tied.view("<u8"))
        if np.count_nonzero(tied) > 4 * n:
            return np.asarray(length - 1 - tied[:, ::-1].argmax(axis=1))
        places = np.flatnonzero(tied)
        starts = np.arange(0, n * length, length)
        if len(places) > n:
            places = places[np.searchsorted(places, starts + length) - 1]
        return places - starts


def _word(rows: NDArray[Any]) -> np.dtype[Any] | None:
    """The word to turn rows (n, r) by."""
    length = rows.shape[1] * rows.itemsize
    for word in reversed(WORDS):
        if rows.itemsize < word.itemsize < length <= TURNED_WORDS * word.itemsize and length % word.itemsize == 0:
            return word
    return word_of(rows)


def _last_by_words(words: NDArray[np.uint64]) -> NDArray[Any]:
    """The last of the bytes of each row that are 1 and not 0; every row has one."""
    n, length = words.shape
    last = length - 1 - np.not_equal(words, 0)[:, ::-1].argmax(axis=1)
    # Of bytes that are 0 and 1, float64 keeps the first bit where it is; the last byte comes first.
    exponents = (words[np.arange(n), last].astype(np.float64).view(np.int64) >> 52) - 1023
    return np.asarray(last * 8 + (exponents >> 3))
