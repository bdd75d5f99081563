"""Elements that are read while the body they stand in is still coming.

Where its values begin, and of which dtype they are, is guessed from the first bytes of a body. They are read from
there up to a comma as the text comes, and what has been read is left out of the body. When that has ended, what is
left is taken apart and read as any body is: if its values begin elsewhere than guessed, are of another dtype or go on
otherwise than they began, then what was read ahead is of no use, and the caller still has the whole body.
"""

import re
from collections.abc import Sequence

from app.blocks import NUMPY_DTYPES
from app.tensors.plain import Array, Values
from app.tensors.skeleton import SHORT, Unusual, start_of_list

MOST = 1 << 19
"""Bytes that may wait to be read: a piece and what follows the list in a usual body are fewer."""


class Ahead:
    """The values of one body."""

    def __init__(self) -> None:
        self._start = b""
        self._rest = b""
        self._values: Values | None = None

    def feed(self, pieces: Sequence[bytes]) -> None:
        """The next bytes of the body; Unusual, and no more are wanted, if nothing of it can be read ahead."""
        text, at = b"".join((self._rest, *pieces)), 0
        if self._values is None and (at := start_of_list(text, SHORT)) >= 0:
            self._start = text[:at]
            self._values = Values(_dtype(self._start))
        if self._values is not None:
            at = self._values.ahead(text, at, len(text))
        elif len(text) >= SHORT:
            raise Unusual
        self._rest = text[max(at, 0) :]
        if len(self._rest) > MOST:
            raise Unusual

    def left(self) -> bytes:
        """The body without the elements that have been read; Unusual if there are none."""
        if self._values is None or not self._values.begun:
            raise Unusual
        return b"".join((self._start, b"[", self._rest))

    def read(self, left: bytes, start: int, end: int, dtype: str) -> Array:
        """The tensor whose list stands in left[start:end] but for the elements that have been read; Unusual if that is
        not the list they are of, or says no tensor. Only once."""
        if self._values is None or start != len(self._start) or dtype != self._values.dtype:
            raise Unusual
        return self._values.finish(left, start + 1, end)


def _dtype(start: bytes) -> str:
    """The dtype that the first bytes of a body seem to say."""
    found = _DTYPE.search(start)
    if found is None or (name := found[1].decode()) not in NUMPY_DTYPES:
        raise Unusual
    return name


_DTYPE = re.compile(rb'"dtype"[ \t\r\n]*:[ \t\r\n]*"([a-z0-9]{1,8})"')
