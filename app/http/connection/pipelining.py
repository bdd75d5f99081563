"""Bounds the requests that wait on a connection because a client sends them before it has its answers.

uvicorn keeps each of them, at twenty times its size, and reads on after every answer, so that a client who sends
without end could fill the memory. Here the rest stays in the kernel until none waits.
"""

from asyncio import Transport
from collections.abc import Sized

from uvicorn.protocols.http.flow_control import FlowControl

from app.http.connection.faults import Faultless
from app.http.grammar import Fault
from app.http.problems import MALFORMED_REQUEST

MOST_WAITING = 2048
"""Requests that may wait on one connection. Only tiny ones come in such numbers with one read."""


class BoundedPipelines(Faultless):
    """One connection. One on which too many wait is closed behind their answers, as HTTP allows at any time."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.flow = Unhurried(transport, self.pipeline)

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MOST_WAITING:
            self.fault_found(Fault(MALFORMED_REQUEST, f"more than {MOST_WAITING} requests wait on one connection"))
        super().on_message_begin()


class Unhurried(FlowControl):
    """The flow of one connection, on which nothing is read while something waits."""

    def __init__(self, transport: Transport, waiting: Sized) -> None:
        super().__init__(transport)
        self._waiting = waiting

    def resume_reading(self) -> None:
        if not self._waiting:
            super().resume_reading()
