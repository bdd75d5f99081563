"""HTTP/1.1 as uvicorn speaks it, with a short way for small reductions.

A task, a scope and two messages for every request cost more than a small reduction does. Where a request and its body
have arrived together, and are small, the answer is made right here and sent in one piece. Everything else takes
uvicorn's own way to the application, whose answer is the same.
"""

from time import monotonic
from typing import Any

from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE

from app.http.connection.lingering import Lingering
from app.http.connection.outbox import outbox_of
from app.http.dispatch import Dispatch, ShortWay
from app.http.grammar import Fault
from app.http.reply import RawHeaders, Reply, lines_of

BUDGET = 0.005
"""Seconds in which requests that came together are answered at once; then others get their turn in between."""


class Protocol(Lingering):
    """One connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        dispatch = dispatch_of(self.config.loaded_app)
        self._posts = dispatch.at_once
        self.idle_timeout = dispatch.idle_timeout
        self.readiness = dispatch.readiness
        self.observer = dispatch.observer
        self._outbox = outbox_of(self.loop)
        self._post: ShortWay | None = None  # of the request that is arriving, if it may take the short way
        self._content = b""
        self._until = 0.0

    def data_received(self, data: bytes) -> None:
        """Bytes of one request, or of several."""
        self._until = monotonic() + BUDGET
        super().data_received(data)
        if self._post is not None:  # its body is still on its way
            self._take_long_way(ended=False)

    def on_headers_complete(self) -> None:
        self.head_ended()
        self._post = self._short_way()
        if self._post is None:
            self._begin()

    def on_body(self, body: bytes) -> None:
        if self._post is not None:
            self._content += body
            return
        cycle: Any = self.cycle
        if len(body) > HIGH_WATER_LIMIT and not cycle.body:
            cycle.body, body = body, b""  # goes on as it is, where uvicorn makes two copies of it
        elif isinstance(cycle.body, bytes):
            cycle.body = bytearray(cycle.body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._post is None:
            super().on_message_complete()
            return
        found = self._post.at_once(self.fields, self.url.partition(b"?")[2], self._content)
        if found is None:
            self._take_long_way(ended=True)
        else:
            self._send(*found)

    def tell(self, fault: Fault) -> None:
        self._outbox.send()  # what has been answered comes first
        super().tell(fault)

    def busy(self) -> bool:
        return self._post is not None or super().busy()

    def _short_way(self) -> ShortWay | None:
        """What is asked, if it may be answered at once."""
        post = self._posts.get(self.url.partition(b"?")[0])
        if post is None or self.method != b"POST":
            return None
        if (
            self.readiness.stopping
            or super().busy()
            or self.flow.write_paused
            or self.expect_100_continue
            or monotonic() > self._until
        ):
            return None
        fields = self.fields
        size = fields.get(b"content-length", b"")
        if (
            not size.isdigit()
            or int(size) > post.most_at_once
            or b"transfer-encoding" in fields
            or b"upgrade" in fields
        ):
            return None
        self._content = b""
        return post

    def _take_long_way(self, ended: bool) -> None:
        self._post = None
        if self.transport.is_closing():
            return
        self._begin()
        if self._content:
            super().on_body(self._content)
        if ended:
            super().on_message_complete()

    def _begin(self) -> None:
        """Take the long way."""
        self.scope["headers"] = self.headers.copy()  # the parser adds trailers, which nobody may take for fields
        if self.version == "1.0":
            self.expect_100_continue = False
        super().on_headers_complete()

    def _send(self, reply: Reply, trace_headers: RawHeaders) -> None:
        assert self._post is not None
        self._post = None
        stays = self.version != "1.0" and self.parser.should_keep_alive()
        default = lines_of(tuple(self.server_state.default_headers))
        end = b"\r\n" if stays else b"connection: close\r\n\r\n"
        answer = b"".join((STATUS_LINE[reply.status], default, reply.lines(trace_headers), end, reply.body))
        self._outbox.put(self.transport, answer, stays)
        if not stays:
            self.watch()
        self.on_response_complete()


def dispatch_of(app: Any) -> Dispatch:
    """The application inside what uvicorn wraps it in."""
    while not isinstance(app, Dispatch):
        app = app.app
    return app
