"""A process that is to stop loses no request.

A client may send on a connection whenever it likes, until it hears that there will be no other answer. So a connection
on which nothing is asked stays for a moment; whatever comes is answered, and the last answer says that it is.
"""

from asyncio import Transport
from typing import Any

from app.http.connection.leaving import BoundedAnswers
from app.http.readiness import Readiness

LINGER = 1.0
"""Seconds."""


class Lingering(BoundedAnswers):
    """One connection."""

    readiness: Readiness
    """That of the process."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._last: Any = None  # the request that is answered last, if there is no other

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.readiness.stopping:
            self.shutdown()

    def on_headers_complete(self) -> None:
        before = self.cycle
        super().on_headers_complete()
        if self.readiness.stopping and self.cycle is not before:
            if before is not None and before is self._last and not before.response_started:
                before.keep_alive = True  # this one has come behind it
            self._make_last()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.readiness.stopping and not self.busy():
            self.loop.call_later(LINGER, self._part)

    def shutdown(self) -> None:
        """Close once there is nothing more to answer."""
        if self.busy():
            self._make_last()
        else:
            self.loop.call_later(LINGER, self._part)

    def _make_last(self) -> None:
        """Announce in the answer to the newest request that it is the last, if that answer has not begun."""
        cycle: Any = self.cycle
        if cycle is not None and cycle.keep_alive and not cycle.response_started:
            cycle.keep_alive = False
            self._last = cycle

    def _part(self) -> None:
        if self.transport.is_closing() or self.busy():
            return
        if self.head_begun:
            self.loop.call_later(LINGER, self._part)
        else:
            self.transport.close()
            self.watch()
