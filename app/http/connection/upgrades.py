"""Offers to speak another protocol are ignored, as a server may (RFC 9110, section 7.8).

The JDK's HTTP client makes one with its first request, and so does `curl --http2`. The parser takes all that follows
the headers for the other protocol, and would lose the body; so the request is read again without the offer.
"""

import sys

import httptools

from app.http.connection.pipelining import BoundedPipelines

OFFER = (b"upgrade", b"http2-settings")


class WithoutUpgrades(BoundedPipelines):
    """One connection."""

    _arrived = b""
    _again = b""

    def data_received(self, data: bytes) -> None:
        while data and not self.faulty:
            self._arrived, self._again = data, b""
            super().data_received(data)
            data = self._again

    def on_headers_complete(self) -> None:
        if not self._offered():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        if not self._offered():
            super().on_message_complete()

    def _offered(self) -> bool:
        return self.parser.should_upgrade() and self.parser.get_method() != b"CONNECT"

    def _unsupported_upgrade_warning(self) -> None:
        """Called where the parser has stopped: behind the headers."""
        stopped = sys.exc_info()[1]
        if isinstance(stopped, httptools.HttpParserUpgrade) and self._offered():
            version = self.parser.get_http_version().encode()
            lines = [self.parser.get_method() + b" " + self.url + b" HTTP/" + version]
            lines += [name + b": " + value for name, value in map(_without_offer, self.headers) if name not in OFFER]
            self._again = b"\r\n".join([*lines, b"", b""]) + self._arrived[stopped.args[0] :]
            self.renew_parser()

    def renew_parser(self) -> None:
        """The parser has stopped, and is to read what comes from the start of a request on."""
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn sets the first


def _without_offer(field: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """A header field; Connection without what it says of the offer."""
    name, value = field
    if name != b"connection":
        return field
    kept = [word for word in value.split(b",") if word.strip().lower() not in OFFER]
    return name, b",".join(kept) or b"keep-alive"
