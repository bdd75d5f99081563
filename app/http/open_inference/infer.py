"""POST …/infer: a request in, the reduced tensor out."""

from starlette.types import Receive, Scope, Send

from app.errors import MalformedBody
from app.http.budget.account import Account
from app.http.budget.phases import READ
from app.http.budget.room import TEXT, flowing_size
from app.http.encodings import PROTOCOL_ENCODINGS, answer_encoding
from app.http.fields import Fields
from app.http.negotiation import content_encoding
from app.http.observing.metrics import OPEN_INFERENCE
from app.http.observing.observer import Observer, Tally
from app.http.open_inference.arriving import Arriving
from app.http.open_inference.counters import Counters
from app.http.open_inference.errors import problem, refused
from app.http.open_inference.inference import INFER_HEADER, Inference
from app.http.open_inference.regions import Regions
from app.http.reductions.exchange import REQUEST_TIMEOUT, Exchange, Voice
from app.http.reductions.flow import Flow
from app.http.reductions.intake import Compressed, Intake
from app.http.reductions.reduce import INLINE_BYTES
from app.http.reductions.reducer import Reducer
from app.http.reductions.resources import Resources
from app.http.reply import RawHeaders, Reply
from app.names import quoted
from app.spec.operators import Operator
from app.tensors.open_inference.answers import Sender

VOICE = Voice(refused, problem)


class ModelTally(Tally):
    """What is told of the requests of one model version, its statistics too."""

    def __init__(self, observer: Observer, operator: Operator, counters: Counters) -> None:
        super().__init__(observer, operator, f"/v2/models/{operator.path_name}/versions/{operator.version}/infer")
        self._operator = operator
        self._counters = counters

    def answered(self, fields: Fields, given: str, reply: Reply, account: Account, read: int) -> RawHeaders:
        trace_headers = super().answered(fields, given, reply, account, read)  # completes the time of a refusal
        self._counters.count(self._operator, account, reply.status == 200)
        return trace_headers


class Infer:
    """The ASGI application of one model version."""

    most_at_once = INLINE_BYTES

    def __init__(self, operator: Operator, resources: Resources, counters: Counters, regions: Regions | None) -> None:
        self._resources = resources
        self._settings = resources.settings
        self._tally = ModelTally(resources.observer, operator, counters)
        self._regions = regions
        self._sender = Sender(operator.path_name, operator.version)
        self._reducer = Reducer(operator, None, resources)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, self._resources)
        exchange.format = OPEN_INFERENCE
        await exchange.carry_out(self._reply(exchange), VOICE, self._tally, send)

    def at_once(self, fields: Fields, query: bytes, content: bytes) -> tuple[Reply, RawHeaders] | None:
        """Answers a small body that has arrived whole: the reply and its tracing headers. None if the request must go
        through the application instead."""
        if b"content-encoding" in fields or REQUEST_TIMEOUT in fields or len(content) > self._settings.max_body_bytes:
            return None
        account = Account()
        try:
            reply = self._small(self._inference(fields, account), content, _length(fields))
        except Exception as error:  # noqa: BLE001 each becomes an answer
            reply = VOICE.failed(error, self._tally.path)
        if reply is None:
            return None
        return reply, self._tally.answered(fields, OPEN_INFERENCE, reply, account, len(content))

    def _inference(self, fields: Fields, account: Account) -> Inference:
        encoding = answer_encoding(fields.get(b"accept-encoding", b"").decode("latin-1"))
        return Inference(self._reducer, self._sender, self._regions, encoding, account)

    def _small(self, inference: Inference, content: bytes, length: int | None) -> Reply | None:
        inference.take(content, length)
        return inference.answer() if inference.is_small else None

    async def _reply(self, exchange: Exchange) -> Reply:
        fields, body, account = exchange.fields, exchange.body, exchange.account
        encoding = content_encoding(fields.get(b"content-encoding", b"").decode("latin-1"), PROTOCOL_ENCODINGS)
        length = _length(fields)
        inference = self._inference(fields, account)
        held, declared = self._settings.body_limit, None if encoding else body.declared
        if declared is not None and length is not None and length > declared:
            raise MalformedBody(f"the JSON should have {length} bytes, but the body has only {declared}")
        if length and length == declared:
            length = None
        limit = held if length is None else self._settings.stream_limit
        whole = declared is not None and (declared <= INLINE_BYTES or length is None)
        body.admit(limit, TEXT if whole else 0)
        if whole:
            content = await body.read()
            account.lap(READ)
            if len(content) > INLINE_BYTES:
                await exchange.run(inference.take, content, length)
            elif (reply := self._small(inference, content, length)) is not None:
                return reply
            return await exchange.run(inference.answer)
        account.take(flowing_size(declared))
        intake: Intake = Arriving(inference, length, declared, held)
        if encoding:
            intake = Compressed(intake, encoding, limit)
        return await Flow(body, intake, exchange.run).reply()


def _length(fields: Fields) -> int | None:
    """What the header says of the length of the JSON."""
    given = fields.get(INFER_HEADER)
    if given is None:
        return None
    given = given.strip(b" \t")
    if not given.isdigit() or len(given) > 18:
        said = f"Inference-Header-Content-Length must be a number of bytes, not {quoted(given.decode('latin-1'))}"
        raise MalformedBody(said)
    return int(given)
