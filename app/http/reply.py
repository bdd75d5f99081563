"""An answer as bytes, ready to be sent."""

from typing import NamedTuple

RawHeaders = tuple[tuple[bytes, bytes], ...]

NOSNIFF = (b"x-content-type-options", b"nosniff")


class Reply(NamedTuple):
    """Status, body, and the headers beside those that every reply has; the dtype that was reduced, for the count."""

    status: int
    body: bytes
    headers: RawHeaders
    dtype: str = ""

    def raw_headers(self, *more: tuple[bytes, bytes]) -> list[tuple[bytes, bytes]]:
        """All header fields, `more` among them."""
        return [*self.headers, *more, NOSNIFF, (b"content-length", b"%d" % len(self.body))]
