"""The marks of a piece of JSON, whatever stands in it: brackets, commas and colons outside of texts."""

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Marks:
    """The brackets and commas of a window that stand outside of texts, up to the last of them or to the end of what
    was open before."""

    def __init__(self, kinds: NDArray[np.uint8], outside: NDArray[Any], marks: NDArray[np.intp], height: int) -> None:
        depths = np.cumsum(_STEPS[kinds[marks]], dtype=np.int32)
        over = np.flatnonzero(depths == -height)[:1]
        count = int(over[0]) + 1 if over.size else marks.size
        self.marks = marks[:count]
        self.depths = depths[:count]
        """How many more are open behind each mark than before the window."""
        self.end = int(self.marks[-1]) + 1
        self._kinds = kinds
        self._opens = np.flatnonzero(_STEPS[kinds[self.marks]] > 0)
        least = np.minimum.accumulate(self.depths[::-1])[::-1]
        self._left = self._opens[least[self._opens] >= self.depths[self._opens]]
        self.colons = np.flatnonzero((kinds[: self.end] == ord(":")) & outside[: self.end])

    @classmethod
    def of(cls, window: bytes, height: int, most: int) -> "Marks | None":
        """`height`: how many are open before the window. None if it has no marks; `most` are looked at."""
        if b"\\" in window:
            window = window.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        kinds = np.frombuffer(window, np.uint8)
        outside = ~np.bitwise_xor.accumulate(kinds == ord('"'))
        marks = np.flatnonzero(_IS_MARK[kinds] & outside)[:most]
        return cls(kinds, outside, marks, height) if marks.size else None

    def left_open(self) -> bytes:
        return self._kinds[self.marks[self._left]].tobytes()

    def objects_left_open(self) -> NDArray[np.intp]:
        places: NDArray[np.intp] = self.marks[self._left]
        found: NDArray[np.intp] = places[self._kinds[places] == ord("{")]
        return found

    def owners(self, start: int, opened: bytearray, objects: "array[int]") -> NDArray[np.int64]:
        """By colon, where in the body the object opens that it stands in."""
        behind = np.searchsorted(self.marks, self.colons) - 1
        levels = np.where(behind < 0, 0, self.depths[behind])
        places = np.concatenate((self.marks[self._opens], self.colons))
        level = np.concatenate((self.depths[self._opens], levels)).astype(np.int64)
        order = np.lexsort((places, level))
        openings = np.where(order < self._opens.size, np.arange(order.size), -1)
        last = np.maximum.accumulate(openings)
        inside = (last >= 0) & (level[order[last]] == level[order])
        found = np.empty(order.size, np.int64)
        found[order] = np.where(inside, places[order[last]] + start, level[order] + _BEFORE)
        owners = found[self._opens.size :]
        for depth in np.unique(owners[owners < 0]).tolist():
            above = opened.count(b"{", len(opened) + depth - _BEFORE)
            owners[owners == depth] = objects[len(objects) - 1 - above]
        return owners

    def names(self, kept: NDArray[np.intp]) -> tuple[list[int], list[int]]:
        """Where the names before some of the colons start and end, with their quotes."""
        quotes = np.flatnonzero(self._kinds[: self.end] == ord('"'))
        last = np.searchsorted(quotes, self.colons[kept]) - 1
        return quotes[last - 1].tolist(), (quotes[last] + 1).tolist()


_BEFORE = -(2**62)
"""Less than any place, and stands for an object that was open before the window."""
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1
_IS_MARK = np.zeros(256, np.bool_)
_IS_MARK[list(b"[]{},")] = True
