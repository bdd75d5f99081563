"""A refusal of each status, made as the service makes it, so that the examples in documents are what callers read."""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import orjson

from app.blocks import Header
from app.evaluate import plan
from app.http.budget.account import Account
from app.http.budget.patience import Patience
from app.http.budget.room import TEXT, Room
from app.http.grammar import LONGEST_URL, TOO_LONG_HEAD, fault_of
from app.http.guard import why
from app.http.negotiation import MEDIA_TYPES, answer_type, body_type
from app.http.problem_document import document
from app.http.problems import UNAUTHORIZED
from app.http.reductions.body import Body, TooSlow
from app.http.reductions.reduce import VOICE
from app.settings import Limit, Settings
from app.spec.arguments import parse_parameters
from app.spec.operators import OPERATORS

SECONDS = float(Settings.model_fields["body_timeout"].default)
"""Default of KEEPDIMS_BODY_TIMEOUT."""


def provoked(malformed: Callable[[], object], limit_of: Callable[[Settings], Limit]) -> Mapping[int, dict[str, Any]]:
    """A problem document by status. `malformed`: reads a body that is not what it should be; `limit_of`: the limit on
    bodies, which is told as it is if nobody sets another."""
    fields = Settings.model_fields
    limit = limit_of(Settings(**{name: fields[name].default for name in ("max_body_bytes", "max_stream_bytes")}))
    calls: dict[int, Callable[[], object]] = {
        400: malformed,
        406: lambda: answer_type("text/csv", MEDIA_TYPES),
        408: _wait,
        413: lambda: _body(4 * limit.size).admit(limit),
        415: lambda: body_type("text/csv", MEDIA_TYPES),
        422: lambda: plan(OPERATORS[0], parse_parameters(OPERATORS[0], {"axes": [2]}), Header("float32", (2, 3))),
        503: _crowd,
    }
    replies = {status: VOICE.failed(_error(call), "") for status, call in calls.items()}
    replies[401] = document(UNAUTHORIZED, why({}))
    long = fault_of(b"GET", b"/" + bytes(LONGEST_URL), "1.1", {})
    unexpected = fault_of(b"GET", b"/", "1.1", {b"host": b"host", b"expect": b"a miracle"})
    for fault in (long, unexpected, TOO_LONG_HEAD):
        assert fault is not None
        replies[fault.problem.status] = document(fault.problem, fault.detail)
    return {status: orjson.loads(reply.body) for status, reply in replies.items()}


def _error(call: Callable[[], object]) -> Exception:
    try:
        call()
    except Exception as error:  # noqa: BLE001 it is what was asked for
        return error
    raise AssertionError("nothing was refused")


def _wait() -> NoReturn:
    raise TooSlow.silent(SECONDS)


def _body(size: int) -> Body:
    """One that has so many bytes, none of which will be read."""

    async def receive() -> NoReturn:
        raise AssertionError

    return Body(receive, {b"content-length": str(size).encode()}, Patience(SECONDS), Account())


def _crowd() -> None:
    """A request for what another holds."""
    room = Room(1 << 30)
    Account(room).take(room.size)
    Account(room).take(TEXT << 20)
