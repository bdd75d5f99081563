"""What every exchange of a request for a reply does alike, whatever protocol it is in."""

import logging
from collections.abc import Callable
from typing import NamedTuple

from starlette.types import Send

from app.errors import Overloaded, Refusal
from app.http.body import Body, TooSlow
from app.http.fields import Fields
from app.http.problems import BODY_TOO_SLOW, INTERNAL, Problem
from app.http.reply import Reply
from app.http.request_id import HEADER, request_id
from app.spec.operators import Operator

log = logging.getLogger("keepdims")


class Voice(NamedTuple):
    """How a protocol tells of a refusal, and of a problem with a detail."""

    refused: Callable[[Refusal], Reply]
    problem: Callable[[Problem, str], Reply]

    def failed(self, error: Exception, operator: Operator) -> Reply:
        """What is told of an error."""
        match error:
            case Refusal():
                return self.refused(error)
            case TooSlow():
                return self.problem(BODY_TOO_SLOW, str(error))
            case MemoryError():
                return self.refused(Overloaded("there is not enough memory for this request"))
        # A bug: the log has the inside, the caller does not.
        log.error("%s version %d failed", operator.name, operator.version, exc_info=error)
        return self.problem(INTERNAL, "this is a mistake of the service, not of the request")


async def send_reply(reply: Reply, fields: Fields, body: Body, send: Send) -> None:
    """Send a reply to the request that came with `fields`, and pass over what has not been read of its body."""
    headers = reply.raw_headers((HEADER, request_id(fields.get(HEADER))))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body, "more_body": not body.ended})
    if not body.ended:
        await body.discard()
        await send({"type": "http.response.body"})
