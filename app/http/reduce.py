"""POST on an operator path: a body in, the reduced tensor out."""

import logging
from asyncio import Future, get_running_loop
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from starlette.types import Receive, Scope, Send

from app.errors import Overloaded, Refusal
from app.http.body import Body, Disconnected, TooSlow
from app.http.flow import Flow
from app.http.intake import Compressed, Flowing, Intake, Whole
from app.http.negotiation import terms
from app.http.patience import Patience
from app.http.problems import BODY_TOO_SLOW, INTERNAL, document, refused
from app.http.reducer import Reducer
from app.http.reply import Reply
from app.kernels.workers import Workers
from app.settings import Settings
from app.spec.operators import Operator
from app.tensors.formats import BUFFERED, STREAMED, Buffered, Streamed

INLINE_BYTES = 8192
"""A body up to this size is answered on the event loop: a hop to a thread would cost more than the reduction."""

log = logging.getLogger("keepdims")

T = TypeVar("T")


class Reduce:
    """The ASGI application of one path."""

    def __init__(
        self,
        operator: Operator,
        location: str | None,
        settings: Settings,
        workers: Workers,
        threads: Executor,
        patience: Patience,
    ) -> None:
        """`location`: the canonical path, where that is another than this one."""
        self.operator = operator
        self.location = location
        self._settings = settings
        self._threads = threads
        self._patience = patience
        self._reducer = Reducer(operator, location, settings, workers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _by_name(scope["headers"])
        chunked = b"transfer-encoding" in headers
        body = Body(receive, headers.get(b"content-length"), chunked, self._patience)
        try:
            reply = await self._reply(headers, body, scope["query_string"].decode("latin-1"))
        except Disconnected:
            return
        await send({"type": "http.response.start", "status": reply.status, "headers": reply.raw_headers()})
        if not body.ended:
            await send({"type": "http.response.body", "body": reply.body, "more_body": True})
            await body.discard()
            await send({"type": "http.response.body"})
        else:
            await send({"type": "http.response.body", "body": reply.body})

    async def _reply(self, headers: dict[bytes, bytes], body: Body, query: str) -> Reply:
        try:
            encoding, given, wanted = terms(
                headers.get(b"content-encoding", b""), headers.get(b"content-type", b""), headers.get(b"accept", b"")
            )
            if given in STREAMED:
                return await self._streamed(body, STREAMED[given], encoding, query, wanted)
            return await self._buffered(body, BUFFERED[given], encoding, query, wanted)
        except Refusal as refusal:
            return refused(refusal)
        except TooSlow:
            body.ended = True
            return document(BODY_TOO_SLOW, f"no piece of the body came for {self._settings.body_timeout:g} seconds")
        except MemoryError:
            return refused(Overloaded("there is not enough memory for this request"))
        except Disconnected:
            raise
        except Exception:  # a bug: the log has the inside, the caller does not
            log.exception("%s version %d failed", self.operator.name, self.operator.version)
            return document(INTERNAL, "this is a mistake of the service, not of the request")

    async def _buffered(self, body: Body, given: Buffered, encoding: str, query: str, wanted: str) -> Reply:
        limit = self._settings.max_body_bytes
        body.admit(limit)
        if encoding:
            whole = Whole(self._reducer, given, query, wanted)
            return await self._flowing(body, Compressed(whole, encoding, limit))
        content = await body.read()
        if len(content) > INLINE_BYTES:
            return await self._run(lambda: self._reducer.answer(given.decode(content, query), wanted))
        request = given.decode(content, query)
        if request.header.size == 0:  # the answer may be any size
            return await self._run(self._reducer.answer, request, wanted)
        return self._reducer.answer(request, wanted)

    async def _streamed(self, body: Body, given: Streamed, encoding: str, query: str, wanted: str) -> Reply:
        limit = self._settings.max_stream_bytes
        body.admit(limit)
        intake = Flowing(self._reducer, given, query, wanted, None if encoding else body.declared)
        if encoding:
            return await self._flowing(body, Compressed(intake, encoding, limit))
        while not body.ended and not (intake.begun and len(intake.held) > INLINE_BYTES):
            intake.hold(await body.piece())
        if body.ended and 0 < len(intake.held) <= INLINE_BYTES:  # of no elements, the answer may be any size
            return intake.finish()
        return await self._flowing(body, intake)

    async def _flowing(self, body: Body, intake: Intake) -> Reply:
        return await Flow(body, intake, self._run).reply()

    def _run(self, call: Callable[..., T], *arguments: object) -> "Future[T]":
        return get_running_loop().run_in_executor(self._threads, call, *arguments)


def _by_name(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name; one that is given on several lines is the list of them all."""
    found = dict(headers)
    if len(found) < len(headers):
        lines: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            lines.setdefault(name, []).append(value)
        found = {name: b", ".join(values) for name, values in lines.items()}
    return found
