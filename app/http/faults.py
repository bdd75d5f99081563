"""What breaks HTTP is answered with a problem document, and then the connection ends: nobody knows where in it the next
request would begin."""

import sys
from typing import Any

from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from app.http.grammar import Fault, parser_fault
from app.http.open_inference import errors as open_inference
from app.http.open_inference.endpoints import is_ours
from app.http.problems import document
from app.http.reply import RawHeaders, Reply
from app.http.request_id import HEADER, request_id

LINGER = 1.0
"""Seconds in which what still comes is passed over: a connection that is closed with bytes unread is reset, and the
client may lose the answer."""

CLOSE = (b"connection", b"close")


class Faultless(HttpToolsProtocol):
    """One connection, until it has a fault."""

    faulty = False
    """Whether no more is to be read of it."""

    _fault: Fault | None = None

    def fault_found(self, fault: Fault) -> None:
        """Called by the parser: ValueError, which ends the reading, and the fault is told."""
        self._fault = fault
        raise ValueError(fault.detail)

    def send_400_response(self, msg: str) -> None:
        """Called where the parser has stopped."""
        self.tell(self._fault or parser_fault(sys.exc_info()[1]))

    def tell(self, fault: Fault) -> None:
        """Tell of a fault, behind the answers to what came before it, and close."""
        if self.faulty or self.transport.is_closing():
            return
        self.faulty = True
        reply = self._reply(fault)
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if not cycle.more_body:  # it is as it should be, and the fault is behind it
                cycle.keep_alive = False
                return
            if self.pipeline:  # it is the last of several
                self.pipeline[0] = cycle, _telling(reply)
                return
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        self._send_last(reply)

    def _reply(self, fault: Fault) -> Reply:
        path = self.url.partition(b"?")[0].decode("latin-1").removesuffix("/")
        if is_ours(path):
            return open_inference.problem(fault.problem, fault.detail, fault.headers)
        return document(fault.problem, fault.detail, headers=fault.headers)

    def _send_last(self, reply: Reply) -> None:
        lines = [STATUS_LINE[reply.status]]
        for name, value in (*self.server_state.default_headers, *_headers(reply, dict(self.headers).get(HEADER))):
            lines += (name, b": ", value, b"\r\n")
        lines.append(b"\r\n")
        if self.parser.get_method() != b"HEAD":
            lines.append(reply.body)
        self.transport.write(b"".join(lines))
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        self.transport.write_eof()
        self.loop.call_later(LINGER, self.transport.close)


def _headers(reply: Reply, given: bytes | None) -> RawHeaders:
    return *reply.raw_headers((HEADER, request_id(given))), CLOSE


def _telling(reply: Reply) -> Any:
    """An application that answers whatever it is asked with this."""

    async def tell(scope: Scope, _: Receive, send: Send) -> None:
        headers = _headers(reply, dict(scope["headers"]).get(HEADER))
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": reply.body})

    return tell
