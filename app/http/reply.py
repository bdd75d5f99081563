"""An answer as bytes, ready to be sent."""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

RawHeaders = tuple[tuple[bytes, bytes], ...]

REASON = "keepdims.reason"
"""Where the scope of a request says why it was refused, if it is no reduction."""

NOSNIFF = (b"x-content-type-options", b"nosniff")


class Reply(NamedTuple):
    """Status, body, and the headers beside those that every reply has. For whoever counts: the dtype and the number of
    the elements that were reduced, or why nothing was."""

    status: int
    body: bytes
    headers: RawHeaders
    dtype: str = ""
    elements: int = 0
    reason: str = ""

    def raw_headers(self, *more: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        """All header fields, `more` among them."""
        return [*self.headers, *more, NOSNIFF, (b"content-length", b"%d" % len(self.body))]

    def lines(self, more: RawHeaders) -> bytes:
        """The same, as HTTP/1.1 has them."""
        last = b"%bcontent-length: %d\r\n" % (_NOSNIFF_LINE, len(self.body))
        return b"".join((lines_of(self.headers), as_lines(more), last))


def as_lines(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Header fields as HTTP/1.1 has them."""
    return b"".join([b"%b: %b\r\n" % field for field in headers])


@lru_cache(maxsize=64)
def lines_of(headers: RawHeaders) -> bytes:
    """The same, remembered: of header fields that are the same every time."""
    return as_lines(headers)


_NOSNIFF_LINE = lines_of((NOSNIFF,))
