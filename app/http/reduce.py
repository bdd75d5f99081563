"""POST on an operator path: a body in, the reduced tensor out."""

from time import perf_counter

from starlette.types import Receive, Scope, Send

from app.http.body import Body, Disconnected, TooSlow
from app.http.exchange import Voice, send_reply
from app.http.fields import Fields, by_name
from app.http.flow import Flow
from app.http.intake import Compressed, Flowing, Intake, Whole
from app.http.metrics import Metrics, Tally
from app.http.negotiation import Terms, terms_of
from app.http.patience import Patience
from app.http.problems import document, refused
from app.http.reducer import DEEP, Reducer
from app.http.reply import Reply
from app.http.room import TEXT, Room, flowing_size
from app.http.threads import Threads
from app.settings import Settings
from app.spec.operators import Operator
from app.tensors.formats import BUFFERED, STREAMED, Buffered, Streamed

INLINE_BYTES = 8192
"""A body up to this size is answered on the event loop: a hop to a thread would cost more than the reduction."""

LARGE_BYTES = 1 << 20
"""A buffered body that has more bytes is read while it comes, so many of them at a time."""

VOICE = Voice(refused, document)


class Reduce:
    """The ASGI application of one path."""

    def __init__(
        self,
        operator: Operator,
        location: str | None,
        settings: Settings,
        threads: Threads,
        patience: Patience,
        room: Room,
        metrics: Metrics,
    ) -> None:
        """`location`: the canonical path, where that is another than this one."""
        self.operator = operator
        self.location = location
        self._settings = settings
        self._run = threads.run
        self._patience = patience
        self._room = room
        self._tally = Tally(metrics, operator)
        self._reducer = Reducer(operator, location, settings, threads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = perf_counter()
        fields = by_name(scope["headers"])
        body = Body(receive, fields, self._patience, self._room)
        try:
            await self._answer(scope["query_string"].decode("latin-1"), fields, body, send, start)
        finally:
            body.share.give_back()

    async def _answer(self, query: str, fields: Fields, body: Body, send: Send, start: float) -> None:
        given = ""
        try:
            agreed = terms_of(fields)
            given = agreed.given
            reply = await self._reply(agreed, body, query)
        except Disconnected:
            return
        except Exception as error:  # noqa: BLE001 each becomes an answer
            body.ended |= isinstance(error, TooSlow)
            body.share.give_back()
            reply = VOICE.failed(error, self.operator)
        self._tally.count(given, reply.dtype, reply.status, perf_counter() - start)
        await send_reply(reply, fields, body, send)

    def at_once(self, fields: Fields, query: bytes, content: bytes) -> Reply | None:
        """The reply to a small body that is there, its content-length and nothing else being said of how it is
        transferred; None if it takes more than a moment, and is to be asked for as an application."""
        start = perf_counter()
        given = ""
        try:
            agreed = terms_of(fields)
            given = agreed.given
            reply = self._small(agreed, content, query.decode("latin-1"))
        except Exception as error:  # noqa: BLE001 each becomes an answer
            reply = VOICE.failed(error, self.operator)
        if reply is not None:
            self._tally.count(given, reply.dtype, reply.status, perf_counter() - start)
        return reply

    def _small(self, agreed: Terms, content: bytes, query: str) -> Reply | None:
        encoding, given, wanted = agreed
        if encoding or not 0 < len(content) <= min(INLINE_BYTES, self._settings.max_body_bytes):
            return None
        if given in STREAMED:
            intake = Flowing(self._reducer, STREAMED[given], query, wanted, len(content))
            intake.hold(content)
            return intake.finish() if intake.held else None
        request = BUFFERED[given].decode(content, query)
        if not request.header.size or len(request.header.shape) > DEEP:  # the answer may be far larger
            return None
        return self._reducer.answer(request, wanted)

    async def _reply(self, agreed: Terms, body: Body, query: str) -> Reply:
        given = agreed.given
        if given in STREAMED:
            return await self._streamed(body, STREAMED[given], agreed.encoding, query, agreed.wanted)
        return await self._buffered(body, BUFFERED[given], agreed, query)

    async def _buffered(self, body: Body, given: Buffered, agreed: Terms, query: str) -> Reply:
        limit = self._settings.max_body_bytes
        share = body.share
        if agreed.encoding:
            body.admit(limit)
            whole = Whole(self._reducer, given, query, agreed.wanted, share)
            held = Compressed(whole, agreed.encoding, limit, lambda size: share.take(TEXT * size))
            return await self._flowing(body, held)
        body.admit(limit, TEXT)
        pieces = await body.start(LARGE_BYTES)
        if not body.ended:
            whole = Whole(self._reducer, given, query, agreed.wanted, share, pieces)
            return await Flow(body, whole, self._run, LARGE_BYTES).reply()
        content = b"".join(pieces)
        if (reply := self._small(agreed, content, query)) is not None:
            return reply
        return await self._run(lambda: self._reducer.answer(given.decode(content, query), agreed.wanted, share))

    async def _streamed(self, body: Body, given: Streamed, encoding: str, query: str, wanted: str) -> Reply:
        limit = self._settings.max_stream_bytes
        body.admit(limit)
        declared = None if encoding else body.declared
        intake = Flowing(self._reducer, given, query, wanted, declared, share=body.share)
        if encoding:
            return await self._flowing(body, Compressed(intake, encoding, limit))
        while not body.ended and not (intake.begun and len(intake.held) > INLINE_BYTES):
            intake.hold(await body.piece())
        if body.ended and 0 < len(intake.held) <= INLINE_BYTES:  # of no elements, the answer may be any size
            return intake.finish()
        return await self._flowing(body, intake, declared)

    async def _flowing(self, body: Body, intake: Intake, declared: int | None = None) -> Reply:
        body.share.take(flowing_size(declared))
        return await Flow(body, intake, self._run).reply()
