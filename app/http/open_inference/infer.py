"""POST …/infer: a request in, the reduced tensor out."""

from asyncio import Future
from collections.abc import Callable
from typing import TypeVar

from starlette.types import Receive, Scope, Send

from app.errors import MalformedBody
from app.http.body import Body, Disconnected, TooSlow
from app.http.encodings import PROTOCOL_ENCODINGS, answer_encoding
from app.http.exchange import Voice, send_reply
from app.http.fields import Fields, by_name
from app.http.flow import Flow
from app.http.intake import Compressed, Intake
from app.http.metrics import Metrics, Tally
from app.http.negotiation import content_encoding
from app.http.open_inference.arriving import Arriving
from app.http.open_inference.counters import Counters
from app.http.open_inference.errors import problem, refused
from app.http.open_inference.inference import INFER_HEADER, Inference
from app.http.open_inference.regions import Regions
from app.http.patience import Patience
from app.http.phases import Phase
from app.http.reduce import INLINE_BYTES
from app.http.reducer import Reducer
from app.http.reply import Reply
from app.http.room import TEXT, Room, flowing_size
from app.http.threads import Threads
from app.settings import Settings
from app.spec.operators import Operator
from app.tensors.open_inference.answers import Sender

VOICE = Voice(refused, problem)

T = TypeVar("T")


class Infer:
    """The ASGI application of one model version."""

    def __init__(
        self,
        operator: Operator,
        settings: Settings,
        threads: Threads,
        patience: Patience,
        room: Room,
        metrics: Metrics,
        counters: Counters,
        regions: Regions | None,
    ) -> None:
        self._operator = operator
        self._settings = settings
        self._run = threads.run
        self._patience = patience
        self._room = room
        self._tally = Tally(metrics, operator)
        self._counters = counters
        self._regions = regions
        self._sender = Sender(operator.path_name, operator.version)
        self._reducer = Reducer(operator, None, settings, threads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fields = by_name(scope["headers"])
        body = Body(receive, fields, self._patience, self._room)
        try:
            await self._answer(fields, body, send)
        finally:
            body.share.give_back()

    async def _answer(self, fields: Fields, body: Body, send: Send) -> None:
        inference = self._inference(fields)
        try:
            encoding = content_encoding(fields.get(b"content-encoding", b"").decode("latin-1"), PROTOCOL_ENCODINGS)
            reply = await self._reply(inference, body, _length(fields), encoding)
        except Disconnected:
            return
        except Exception as error:  # noqa: BLE001 each becomes an answer
            body.ended |= isinstance(error, TooSlow)
            body.share.give_back()
            reply = VOICE.failed(error, self._operator)
        self._count(inference, reply)
        await send_reply(reply, fields, body, send)

    def at_once(self, fields: Fields, query: bytes, content: bytes) -> Reply | None:
        """The reply to a small body that is there; None if it takes more than a moment."""
        if b"content-encoding" in fields or len(content) > self._settings.max_body_bytes:
            return None
        inference = self._inference(fields)
        try:
            reply = self._small(inference, content, _length(fields))
        except Exception as error:  # noqa: BLE001 each becomes an answer
            reply = VOICE.failed(error, self._operator)
        if reply is not None:
            self._count(inference, reply)
        return reply

    def _inference(self, fields: Fields) -> Inference:
        encoding = answer_encoding(fields.get(b"accept-encoding", b"").decode("latin-1"))
        return Inference(self._reducer, self._sender, self._regions, encoding)

    def _count(self, inference: Inference, reply: Reply) -> None:
        self._counters.count(self._operator, inference.phases, reply.status == 200)
        self._tally.count("open-inference", reply.dtype, reply.status, sum(inference.phases.spent) / 1e9)

    def _small(self, inference: Inference, content: bytes, length: int | None) -> Reply | None:
        inference.take(content, length)
        return inference.answer() if inference.is_small else None

    async def _reply(self, inference: Inference, body: Body, length: int | None, encoding: str) -> Reply:
        settings = self._settings
        held, declared = settings.max_body_bytes, None if encoding else body.declared
        if declared is not None and length is not None and length > declared:
            raise MalformedBody(f"the JSON is to have {length} bytes, and the body has {declared}")
        if length and length == declared:
            length = None
        limit = held if length is None else settings.max_stream_bytes
        whole = declared is not None and (declared <= INLINE_BYTES or length is None)
        body.admit(limit, TEXT if whole else 0)

        def run(call: Callable[..., T], *arguments: object) -> "Future[T]":
            inference.phases.lap(Phase.READ)
            return self._run(self._after_queue(inference, call), *arguments)

        if whole:
            content = await body.read()
            inference.phases.lap(Phase.READ)
            if len(content) > INLINE_BYTES:
                await run(inference.take, content, length)
            elif (reply := self._small(inference, content, length)) is not None:
                return reply
            return await run(inference.answer, body.share)
        body.share.take(flowing_size(declared))
        intake: Intake = Arriving(inference, length, declared, held, body.share)
        if encoding:
            intake = Compressed(intake, encoding, limit)

        return await Flow(body, intake, run).reply()

    def _after_queue(self, inference: Inference, call: Callable[..., T]) -> Callable[..., T]:
        def called(*arguments: object) -> T:
            inference.phases.lap(Phase.QUEUE)
            return call(*arguments)

        return called


def _length(fields: Fields) -> int | None:
    """What the header says of the length of the JSON."""
    given = fields.get(INFER_HEADER)
    if given is None:
        return None
    given = given.strip(b" \t")
    if not given.isdigit() or len(given) > 18:
        shown = given[:40].decode("latin-1")
        raise MalformedBody(f"Inference-Header-Content-Length must be a number of bytes, and is {shown!r}")
    return int(given)
