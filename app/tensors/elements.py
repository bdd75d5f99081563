"""Raw elements: bytes in pieces cut anywhere -> blocks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import Block, Header
from app.errors import InvalidElement, MalformedBody

_LINE = 64
"""Blocks begin at a cache line: arithmetic on others takes up to twice as long."""


class Elements:
    """The elements that a header promises, as they come."""

    def __init__(self, header: Header, big_endian: bool = False, place: str = "/data") -> None:
        """`place`: where a refusal of one of them is."""
        self.header = header
        self._place = place
        self._kind = header.numpy_dtype
        self._swapped = big_endian and self._kind.itemsize > 1
        self._missing = self._size = header.size * self._kind.itemsize
        self._start = 0
        self._rest = b""  # of an element that was cut

    def block(self, pieces: Sequence[bytes | memoryview]) -> Block:
        """The next elements; the block may be empty. MalformedBody if the pieces
        hold more than there can be, InvalidElement if a bool is neither 0 nor 1."""
        size = sum(map(len, pieces))
        if size > self._missing:
            raise MalformedBody(f"more bytes came than the {self._size} that {self._promise()} take")
        self._missing -= size
        memory = _aligned(len(self._rest) + size)
        stop = 0
        for piece in (self._rest, *pieces):
            memory[stop : (stop := stop + len(piece))] = np.frombuffer(piece, np.uint8)
        whole = stop - stop % self._kind.itemsize
        self._rest = memory[whole:stop].tobytes()
        block = Block(self._start, self._values(memory[:whole]))
        self._start += len(block.values)
        return block

    def end(self) -> None:
        """MalformedBody if elements are missing."""
        if self._missing:
            came = self._size - self._missing
            raise MalformedBody(f"{self._promise()} take {self._size} bytes, but only {came} came")

    def _values(self, memory: NDArray[Any]) -> NDArray[Any]:
        if self._swapped:
            memory.view(f"u{self._kind.itemsize}").byteswap(inplace=True)
        elif self.header.dtype == "bool":
            check_bools(memory, self._place, self._start)
        return memory.view(self._kind)

    def _promise(self) -> str:
        return f"{self.header.size} elements of {self.header.dtype}"


def check_bools(memory: NDArray[np.uint8], place: str = "/data", start: int = 0) -> None:
    """InvalidElement, at `place`, if one of the elements from `start` on is neither 0 nor 1."""
    if memory.size and memory.max() > 1:
        wrong = int(np.flatnonzero(memory > 1)[0])
        raise InvalidElement(f"element {start + wrong} is the byte {memory[wrong]}, but a bool must be 0 or 1", place)


def _aligned(size: int) -> NDArray[Any]:
    """Memory for so many bytes."""
    memory = np.empty(size + _LINE, np.uint8)
    return memory[-memory.__array_interface__["data"][0] % _LINE :]
