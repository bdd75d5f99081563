"""An answer as bytes, ready to be sent."""

from typing import NamedTuple

RawHeaders = tuple[tuple[bytes, bytes], ...]

NOSNIFF = (b"x-content-type-options", b"nosniff")


class Reply(NamedTuple):
    """Status, body, and the headers beside Content-Length and nosniff, which every reply has."""

    status: int
    body: bytes
    headers: RawHeaders

    def raw_headers(self) -> list[tuple[bytes, bytes]]:
        return [*self.headers, NOSNIFF, (b"content-length", b"%d" % len(self.body))]
