"""POST on an operator path: a body in, the reduced tensor out."""

import logging
from itertools import accumulate
from math import prod
from operator import mul

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.types import Receive, Scope, Send

from app.errors import InvalidShape, Overloaded, Refusal
from app.evaluate import answer_shape, evaluate
from app.http.body import Body, Disconnected, TooSlow
from app.http.negotiation import answer_type, body_type, check_encoding
from app.http.problems import BODY_TOO_SLOW, INTERNAL, document, refused
from app.http.reply import RawHeaders, Reply
from app.kernels.workers import Workers
from app.settings import Settings
from app.spec.arguments import parse_parameters
from app.spec.operators import Operator
from app.tensors.formats import FORMATS, Format
from app.tensors.request import Request

INLINE_BYTES = 8192
"""A body up to this size is answered on the event loop: a hop to a thread would cost more than the reduction."""

DEEP = 8
"""Up to this rank the lists of an answer are few beside its elements."""

MEDIA_TYPES = tuple(FORMATS)

log = logging.getLogger("keepdims")


class Reduce:
    """The ASGI application of one path. Everything that does not depend on the request is made here once."""

    def __init__(
        self, operator: Operator, location: str | None, settings: Settings, workers: Workers, threads: CapacityLimiter
    ) -> None:
        """`location`: the canonical path, where that is another than this one."""
        self.operator = operator
        self.location = location
        self._settings = settings
        self._workers = workers
        self._threads = threads
        located: RawHeaders = ((b"content-location", location.encode()),) if location else ()
        self._headers = {kind: ((b"content-type", kind.encode()), *located) for kind in MEDIA_TYPES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _by_name(scope["headers"])
        chunked = b"transfer-encoding" in headers
        body = Body(receive, headers.get(b"content-length"), chunked, self._settings.body_timeout)
        try:
            reply = await self._reply(scope, headers, body)
        except Disconnected:
            return
        await send({"type": "http.response.start", "status": reply.status, "headers": reply.raw_headers()})
        if not body.ended:
            await send({"type": "http.response.body", "body": reply.body, "more_body": True})
            await body.discard()
            await send({"type": "http.response.body"})
        else:
            await send({"type": "http.response.body", "body": reply.body})

    async def _reply(self, scope: Scope, headers: dict[bytes, bytes], body: Body) -> Reply:
        try:
            check_encoding(_header(headers, b"content-encoding"))
            given = FORMATS[body_type(_header(headers, b"content-type"), MEDIA_TYPES)]
            wanted = answer_type(_header(headers, b"accept"), MEDIA_TYPES)
            content = await body.read(self._settings.max_body_bytes)
            answer = await self._answer(content, scope["query_string"].decode("latin-1"), given, FORMATS[wanted])
            return Reply(200, answer, self._headers[wanted])
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

    async def _answer(self, content: bytes, query: str, given: Format, wanted: Format) -> bytes:
        if len(content) > INLINE_BYTES:
            return await run_sync(lambda: self._reduced(given.decode(content, query), wanted), limiter=self._threads)
        request = given.decode(content, query)
        if request.header.size == 0:  # the answer may be any size
            return await run_sync(self._reduced, request, wanted, limiter=self._threads)
        return self._reduced(request, wanted)

    def _reduced(self, request: Request, wanted: Format) -> bytes:
        header = request.header
        parameters = parse_parameters(self.operator, request.parameters)
        if header.size == 0 or len(header.shape) > DEEP:
            self._check_answer_size(answer_shape(header.shape, parameters.reduction(len(header.shape))))
        tensor = evaluate(self.operator, parameters, header, request.blocks, self._workers)
        return wanted.encode(tensor, request.answer)

    def _check_answer_size(self, shape: tuple[int, ...]) -> None:
        """An answer may be far larger than its request: of an empty tensor, or of lists within lists of one. It gets
        what a body could have brought, eight bytes an element and two a list.

        Dimensions of size 0 are left out of the count: NumPy has no array with more room than memory, even without
        elements, and lists nested in a dimension before them are written all the same.
        """
        dimensions = [dimension for dimension in shape if dimension]
        lists = sum(accumulate(dimensions[:-1], mul, initial=1))
        if 8 * prod(dimensions) + 2 * lists > self._settings.max_body_bytes:
            raise InvalidShape(f"the answer would have the shape {list(shape)}, too large by far", "/data/shape")


def _by_name(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers by name; one that is given on several lines is the list of them all."""
    found = dict(headers)
    if len(found) < len(headers):
        lines: dict[bytes, list[bytes]] = {}
        for name, value in headers:
            lines.setdefault(name, []).append(value)
        found = {name: b", ".join(values) for name, values in lines.items()}
    return found


def _header(headers: dict[bytes, bytes], name: bytes) -> str:
    return headers.get(name, b"").decode("latin-1")
