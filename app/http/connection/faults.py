"""A request that breaks HTTP is answered with a problem document. Then the connection ends: it is not known where the
next request would begin."""

import sys
from typing import Any

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from app.http.fields import by_name
from app.http.grammar import Fault, parser_fault
from app.http.observing.observer import Observer
from app.http.open_inference import errors as open_inference
from app.http.open_inference.endpoints import is_ours
from app.http.problem_document import document
from app.http.reply import RawHeaders, Reply, as_lines

DRAIN = 1.0
"""Seconds in which further bytes are discarded: to close a connection with bytes unread resets it, and the client may
lose the answer."""

CLOSE = (b"connection", b"close")


class Faultless(HttpToolsProtocol):
    """One connection, until it has a fault."""

    observer: Observer
    """Who sees what is refused here."""

    beginning = b""
    """The piece of what has come that the newest request begins with, if that is known."""

    faulty = False
    """Whether no more is to be read of it."""

    _fault: Fault | None = None

    def fault_found(self, fault: Fault) -> None:
        """Called by the parser: ValueError, which ends the reading, and the fault is told."""
        self._fault = fault
        raise ValueError(fault.detail)

    def send_400_response(self, msg: str) -> None:
        """Called where the parser has stopped."""
        self.tell(self._fault or parser_fault(sys.exc_info()[1], self.beginning))

    def tell(self, fault: Fault) -> None:
        """Tell of a fault, behind the answers to what came before it, and close."""
        if self.faulty or self.transport.is_closing():
            return
        self.faulty = True
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if not cycle.more_body:  # it is as it should be, and the fault is behind it
                cycle.keep_alive = False
                return
            if self.pipeline:  # it is the last of several
                self.pipeline[0] = cycle, _telling(*self._refusal(fault))
                return
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        self._send_last(*self._refusal(fault))

    def _refusal(self, fault: Fault) -> tuple[Reply, RawHeaders]:
        """The answer and its header fields; it has been logged and counted."""
        path = self.url.partition(b"?")[0].decode("latin-1") if self.url.startswith(b"/") else ""
        say = open_inference.problem if is_ours(path.removesuffix("/")) else document
        reply = say(fault.problem, fault.detail, headers=fault.headers)
        method = self.parser.get_method().decode() if self.url else ""  # before the URL, the parser makes one up
        trace_headers = self.observer.saw(method, path, reply.status, 0, reply.reason, by_name(self.headers))
        return reply, (*reply.raw_headers(*trace_headers), CLOSE)

    def _send_last(self, reply: Reply, headers: RawHeaders) -> None:
        lines = as_lines((*self.server_state.default_headers, *headers))
        body = b"" if self.parser.get_method() == b"HEAD" else reply.body
        self.transport.write(b"".join((STATUS_LINE[reply.status], lines, b"\r\n", body)))
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        self.transport.write_eof()
        self.loop.call_later(DRAIN, self.transport.close)


def _telling(reply: Reply, headers: RawHeaders) -> Any:
    """An application that answers whatever it is asked with this."""

    async def tell(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    return tell
