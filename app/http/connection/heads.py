"""How long the head of a request may be, and how long it may take to come.

A head is the request line and the header fields. uvicorn waits for the rest of one for ever, and so it does for the
first byte of a connection.
"""

from asyncio import TimerHandle, Transport
from typing import Any

from app.http.connection.methods import AnyMethods
from app.http.fields import Fields, by_name
from app.http.grammar import LONGEST_HEAD, LONGEST_URL, TOO_LONG_HEAD, Fault, fault_of, origin_form
from app.http.problems import MALFORMED_REQUEST, URL_TOO_LONG


class BoundedHeads(AnyMethods):
    """One connection. It has at most one timer, which runs while a part of a head has come: a head that comes in one
    piece needs none."""

    idle_timeout: float
    """Seconds a head may take."""

    fields: Fields
    """Those of the last head that is there, by name."""

    method: bytes
    version: str

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._headed: object = None  # the fields of the last head that is there
        self._heading: object = self  # those of the head that is waited for
        self._late = 0.0  # when it will have taken too long, 0 if none is waited for
        self._timer: TimerHandle | None = None
        self._framed: object = None  # what was looked at in the last head
        self._bodiless = 0  # bytes that have come since a head was there, or a part of a body

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._bodiless += len(data)
        super().data_received(data)
        if self._bodiless > LONGEST_HEAD:
            self.tell(self._too_long())
        elif self.headers is not self._headed or (self.timeout_keep_alive_task is None and not self.busy()):
            self._await_head()
        elif self._late:
            self._late = 0.0

    def head_ended(self) -> None:
        """A head is there. ValueError, which ends the reading, if it is not as it should be."""
        if self._bodiless > LONGEST_HEAD and self._size() > LONGEST_HEAD:
            self.fault_found(self._too_long())
        self._bodiless = 0
        self._headed = self.headers
        self.fields = fields = by_name(self.headers)
        self.method, self.version = self.parser.get_method(), self.parser.get_http_version()
        if self.url[:1] != b"/":
            self.url = origin_form(self.url)
        framed = self.method, self.version, fields.get(b"host"), fields.get(b"transfer-encoding"), fields.get(b"expect")
        if framed == self._framed and self.url[:1] == b"/" and len(self.url) <= LONGEST_URL:
            return  # as it was in the last head, which had no fault
        fault = fault_of(self.method, self.url, self.version, fields)
        if fault is not None:
            self.fault_found(fault)
        self._framed = framed

    def on_body(self, body: bytes) -> None:
        self._bodiless = 0
        super().on_body(body)

    def busy(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def head_begun(self) -> bool:
        """Whether a part of a head is there."""
        return self.headers is not self._headed

    def _size(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _too_long(self) -> Fault:
        if self.headers is self._headed:
            return Fault(
                MALFORMED_REQUEST, f"trailers or chunk sizes have more than {LONGEST_HEAD} bytes, which is the limit"
            )
        if len(self.url) > LONGEST_URL:
            return Fault(URL_TOO_LONG, f"the path and the query have more than {LONGEST_URL} bytes, which is the limit")
        return TOO_LONG_HEAD

    def _await_head(self) -> None:
        if self.headers is self._heading and self._late:
            return  # a byte now and then buys no time
        self._heading = self.headers
        self._late = self.loop.time() + self.idle_timeout
        if self._timer is None:
            self._timer = self.loop.call_at(self._late, self._look)

    def _look(self) -> None:
        self._timer = None
        if not self._late or self.transport.is_closing():
            return
        if self.busy():  # what is not read meanwhile is not late
            self._late = self.loop.time() + self.idle_timeout
        if self._late > self.loop.time():
            self._timer = self.loop.call_at(self._late, self._look)
        else:
            self.transport.close()
