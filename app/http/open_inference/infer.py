"""POST …/infer: a request in, the reduced tensor out."""

import logging
from asyncio import Future, get_running_loop
from collections.abc import Callable
from typing import TypeVar

from starlette.types import Receive, Scope, Send

from app.errors import MalformedBody, Overloaded, Refusal
from app.http.body import Body, Disconnected, TooSlow
from app.http.encodings import PROTOCOL_ENCODINGS, answer_encoding
from app.http.flow import Flow
from app.http.intake import Compressed, Intake
from app.http.negotiation import content_encoding
from app.http.open_inference.arriving import Arriving
from app.http.open_inference.counters import Counters
from app.http.open_inference.errors import problem, refused
from app.http.open_inference.inference import INFER_HEADER, Inference
from app.http.open_inference.regions import Regions
from app.http.patience import Patience
from app.http.phases import Phase
from app.http.problems import BODY_TOO_SLOW, INTERNAL
from app.http.reduce import INLINE_BYTES, by_name
from app.http.reducer import Reducer
from app.http.reply import Reply
from app.http.request_id import HEADER, request_id
from app.http.threads import Threads
from app.settings import Settings
from app.spec.operators import Operator
from app.tensors.open_inference.answers import Sender

log = logging.getLogger("keepdims")

T = TypeVar("T")


class Infer:
    """The ASGI application of one model version."""

    def __init__(
        self,
        operator: Operator,
        settings: Settings,
        threads: Threads,
        patience: Patience,
        counters: Counters,
        regions: Regions | None,
    ) -> None:
        self._operator = operator
        self._settings = settings
        self._threads = threads.requests
        self._patience = patience
        self._counters = counters
        self._regions = regions
        self._sender = Sender(operator.path_name, operator.version)
        self._reducer = Reducer(operator, None, settings, threads)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = by_name(scope["headers"])
        body = Body(receive, headers.get(b"content-length"), b"transfer-encoding" in headers, self._patience)
        encoding = answer_encoding(headers.get(b"accept-encoding", b"").decode("latin-1"))
        inference = Inference(self._reducer, self._sender, self._regions, encoding)
        try:
            reply = await self._reply(inference, headers, body)
        except Disconnected:
            return
        self._counters.count(self._operator, inference.phases, reply.status == 200)
        fields = reply.raw_headers((HEADER, request_id(headers.get(HEADER))))
        await send({"type": "http.response.start", "status": reply.status, "headers": fields})
        if not body.ended:
            await send({"type": "http.response.body", "body": reply.body, "more_body": True})
            await body.discard()
            await send({"type": "http.response.body"})
        else:
            await send({"type": "http.response.body", "body": reply.body})

    async def _reply(self, inference: Inference, headers: dict[bytes, bytes], body: Body) -> Reply:
        try:
            encoding = content_encoding(headers.get(b"content-encoding", b"").decode("latin-1"), PROTOCOL_ENCODINGS)
            length = _length(headers.get(INFER_HEADER))
            return await self._answer(inference, body, length, encoding)
        except Disconnected:
            raise
        except Refusal as refusal:
            return refused(refusal)
        except TooSlow:
            body.ended = True
            return problem(BODY_TOO_SLOW, f"no piece of the body came for {self._settings.body_timeout:g} seconds")
        except MemoryError:
            return refused(Overloaded("there is not enough memory for this request"))
        except Exception:  # a bug: the log has the inside, the caller does not
            log.exception("%s version %d failed", self._operator.name, self._operator.version)
            return problem(INTERNAL, "this is a mistake of the service, not of the request")

    async def _answer(self, inference: Inference, body: Body, length: int | None, encoding: str) -> Reply:
        settings = self._settings
        held, declared = settings.max_body_bytes, None if encoding else body.declared
        if declared is not None and length is not None and length > declared:
            raise MalformedBody(f"the JSON is to have {length} bytes, and the body has {declared}")
        if length == declared:
            length = None
        limit = held if length is None else settings.max_stream_bytes
        body.admit(limit)

        def run(call: Callable[..., T], *arguments: object) -> "Future[T]":
            inference.phases.lap(Phase.READ)
            return self._run(self._after_queue(inference, call), *arguments)

        if declared is not None and (declared <= INLINE_BYTES or length is None):
            content = await body.read()
            inference.phases.lap(Phase.READ)
            if declared > INLINE_BYTES:
                await run(inference.take, content, length)
                return await run(inference.answer)
            inference.take(content, length)
            return inference.answer() if inference.is_small else await run(inference.answer)
        intake: Intake = Arriving(inference, length, declared, held)
        if encoding:
            intake = Compressed(intake, encoding, limit)

        return await Flow(body, intake, run).reply()

    def _after_queue(self, inference: Inference, call: Callable[..., T]) -> Callable[..., T]:
        def called(*arguments: object) -> T:
            inference.phases.lap(Phase.QUEUE)
            return call(*arguments)

        return called

    def _run(self, call: Callable[..., T], *arguments: object) -> "Future[T]":
        return get_running_loop().run_in_executor(self._threads, call, *arguments)


def _length(given: bytes | None) -> int | None:
    """What the header field says of the length of the JSON."""
    if given is None:
        return None
    if not given.isdigit() or len(given) > 18:
        shown = given[:40].decode("latin-1")
        raise MalformedBody(f"Inference-Header-Content-Length must be a number of bytes, and is {shown!r}")
    return int(given)
