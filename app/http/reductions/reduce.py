"""POST on an operator path: a body in, the reduced tensor out."""

from starlette.types import Receive, Scope, Send

from app.errors import MalformedBody
from app.http.budget.account import Account
from app.http.budget.phases import READ
from app.http.budget.room import TEXT, flowing_size
from app.http.fields import Fields
from app.http.negotiation import Terms, terms_of
from app.http.observing.observer import Tally
from app.http.problem_document import document, refused
from app.http.reductions.exchange import REQUEST_TIMEOUT, Exchange, Voice
from app.http.reductions.flow import Flow
from app.http.reductions.intake import Compressed, Flowing, Intake, Whole
from app.http.reductions.mistaken import explained
from app.http.reductions.reducer import DEEP, Reducer
from app.http.reductions.resources import Resources
from app.http.reductions.streamed import StreamedRequest
from app.http.reply import RawHeaders, Reply
from app.spec.operators import Operator
from app.tensors.formats import BUFFERED, STREAMED, Buffered, Streamed

INLINE_BYTES = 8192
"""A body up to this size is answered on the event loop: a hop to a thread would cost more than the reduction."""

INLINE_BINARY_BYTES = 33 << 10
"""The same for 32 KiB of elements as they are, and what says what they are, if it has come in one piece: there is no
text to be read."""

LARGE_BYTES = 1 << 20
"""A buffered body that has more bytes is read while it comes, so many of them at a time."""

VOICE = Voice(refused, document)


class Reduce:
    """The ASGI application of one path."""

    most_at_once = INLINE_BINARY_BYTES

    def __init__(self, operator: Operator, path: str, location: str | None, resources: Resources) -> None:
        """`location`: the canonical path, where that is another than this one."""
        self.operator = operator
        self.location = location
        self._resources = resources
        self._settings = resources.settings
        self._tally = Tally(resources.observer, operator, path)
        self._reducer = Reducer(operator, location, resources)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, self._resources)
        reply = self._reply(exchange, scope["query_string"].decode("latin-1"))
        await exchange.carry_out(reply, VOICE, self._tally, send)

    def at_once(self, fields: Fields, query: bytes, content: bytes) -> tuple[Reply, RawHeaders] | None:
        """Answers a small body that has arrived whole: the reply and its tracing headers. None if the request must go
        through the application instead."""
        if REQUEST_TIMEOUT in fields:
            return None
        account = Account()
        given = ""
        try:
            agreed = terms_of(fields)
            given = agreed.given
            reply = self._small(agreed, content, query.decode("latin-1"), account)
        except Exception as error:  # noqa: BLE001 each becomes an answer
            reply = VOICE.failed(explained(error, fields, content), self._tally.path)
        if reply is None:
            return None
        return reply, self._tally.answered(fields, given, reply, account, len(content))

    def _small(self, agreed: Terms, content: bytes, query: str, account: Account) -> Reply | None:
        encoding, given, wanted = agreed
        most = INLINE_BINARY_BYTES if given in STREAMED else INLINE_BYTES
        if encoding or not 0 < len(content) <= min(most, self._settings.max_body_bytes):
            return None
        if given in STREAMED:
            request = StreamedRequest(self._reducer, STREAMED[given], query, wanted, account)
            intake = Flowing(request, len(content), account)
            intake.hold(content)
            return intake.finish() if intake.held else None
        asked = BUFFERED[given].decode(content, query)
        if 0 in asked.header.shape or len(asked.header.shape) > DEEP:  # the answer may be far larger
            return None
        return self._reducer.answer(asked, wanted, account)

    async def _reply(self, exchange: Exchange, query: str) -> Reply:
        agreed = terms_of(exchange.fields)
        exchange.format = agreed.given
        try:
            if agreed.given in STREAMED:
                return await self._streamed(exchange, STREAMED[agreed.given], agreed, query)
            return await self._buffered(exchange, BUFFERED[agreed.given], agreed, query)
        except MalformedBody as refusal:
            raise explained(refusal, exchange.fields, await exchange.body.glance()) from None

    async def _buffered(self, exchange: Exchange, given: Buffered, agreed: Terms, query: str) -> Reply:
        limit = self._settings.text_limit
        body, account = exchange.body, exchange.account
        if agreed.encoding:
            body.admit(limit)
            whole = Whole(self._reducer, given, query, agreed.wanted, account)
            held = Compressed(whole, agreed.encoding, limit, lambda size: account.take(TEXT * size))
            return await self._flowing(exchange, held)
        body.admit(limit, TEXT)
        pieces = await body.start(LARGE_BYTES)
        if not body.ended:
            whole = Whole(self._reducer, given, query, agreed.wanted, account, pieces)
            return await Flow(body, whole, exchange.run, LARGE_BYTES).reply()
        account.lap(READ)
        content = b"".join(pieces)
        if (reply := self._small(agreed, content, query, account)) is not None:
            return reply
        return await exchange.run(self._decoded, given, content, query, agreed.wanted, account)

    def _decoded(self, given: Buffered, content: bytes, query: str, wanted: str, account: Account) -> Reply:
        return self._reducer.answer(given.decode(content, query), wanted, account)

    async def _streamed(self, exchange: Exchange, given: Streamed, agreed: Terms, query: str) -> Reply:
        limit = self._settings.stream_limit
        body = exchange.body
        body.admit(limit)
        declared = None if agreed.encoding else body.declared
        request = StreamedRequest(self._reducer, given, query, agreed.wanted, exchange.account)
        intake = Flowing(request, declared, exchange.account)
        if agreed.encoding:
            return await self._flowing(exchange, Compressed(intake, agreed.encoding, limit))
        while not body.ended and not (intake.begun and len(intake.held) > INLINE_BYTES):
            intake.hold(await body.piece())
        if body.ended and 0 < len(intake.held) <= INLINE_BYTES:  # of no elements, the answer may be any size
            exchange.account.lap(READ)
            return intake.finish()
        return await self._flowing(exchange, intake, declared)

    async def _flowing(self, exchange: Exchange, intake: Intake, declared: int | None = None) -> Reply:
        exchange.account.take(flowing_size(declared))
        return await Flow(exchange.body, intake, exchange.run).reply()
