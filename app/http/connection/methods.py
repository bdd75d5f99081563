"""Methods that the parser does not know are answered as those are that it knows and that nothing here allows.

The parser stops at such a method, before the path. So the request is read again with another method in its place, and
gets its own back when its head has been read. That takes a request line that is there as a whole, with nothing of
another request before it in what has come with it.
"""

import re
import sys

from app.http.connection.upgrades import WithoutUpgrades

STAND_IN = b"PURGE"
"""A method that the parser knows."""

_LINE = re.compile(rb"(?:\r\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]+)( [^ \r\n]+ HTTP/[0-9]\.[0-9]\r\n)")


class AnyMethods(WithoutUpgrades):
    """One connection."""

    _touched = b""  # the last piece that a request began or ended in
    _method = b""  # that of the request that is read again

    def on_message_begin(self) -> None:
        self.beginning = self._arrived if self._arrived is not self._touched else b""
        self._touched = self._arrived
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        if self._method:
            self.scope["method"] = self._method.decode()  # whoever answers is called later

    def on_message_complete(self) -> None:
        self._touched = self._arrived
        super().on_message_complete()
        if not self._offered():
            self._method = b""

    def send_400_response(self, msg: str) -> None:
        line = _LINE.match(self.beginning)
        if self._method or line is None or "method" not in str(sys.exc_info()[1]):
            super().send_400_response(msg)
            return
        self._method = line[1]
        self._again = STAND_IN + self.beginning[line.start(2) :]
        self.renew_parser()
