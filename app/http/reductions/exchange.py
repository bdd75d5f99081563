"""One request and its reply, whatever protocol they are in."""

import logging
import re
from asyncio import FIRST_COMPLETED, CancelledError, Task, create_task, timeout, wait, wrap_future
from asyncio import Future as Waited
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, NamedTuple, TypeVar

from starlette.types import Receive, Scope, Send

from app.errors import MalformedHeader, Overloaded, Refusal, TimeUp
from app.http.budget.account import Account
from app.http.budget.phases import DECODE, READ
from app.http.budget.threads import Job
from app.http.fields import Fields, by_name
from app.http.observing.observer import Tally
from app.http.problems import BODY_TOO_SLOW, BUG, INTERNAL, STOPPING, Problem
from app.http.readiness import ENDS
from app.http.reductions.body import Body, Disconnected, TooSlow
from app.http.reductions.resources import Resources
from app.http.reply import RawHeaders, Reply
from app.names import quoted

T = TypeVar("T")

REQUEST_TIMEOUT = b"request-timeout"
"""The field by which a caller says how many seconds the answer is waited for."""

_SECONDS = re.compile(rb"[0-9]{1,9}(?:\.[0-9]{1,9})?")

log = logging.getLogger("keepdims")


class Voice(NamedTuple):
    """How a protocol tells of a refusal, and of a problem with a detail."""

    refused: Callable[[Refusal], Reply]
    problem: Callable[[Problem, str], Reply]

    def failed(self, error: Exception, what: str) -> Reply:
        """What is told of an error in `what`."""
        match error:
            case Refusal():
                return self.refused(error)
            case TooSlow():
                return self.problem(BODY_TOO_SLOW, str(error))
            case MemoryError():
                return self.refused(Overloaded("there is not enough memory for this request"))
        # A bug: the log has the inside, the caller does not.
        log.error("%s failed", what, exc_info=error)
        return self.problem(INTERNAL, BUG)


class Exchange:
    """One request, from its body to the reply that is sent."""

    def __init__(self, scope: Scope, receive: Receive, resources: Resources) -> None:
        self.fields: Fields = by_name(scope["headers"])
        self.account = Account(resources.room)
        self.body = Body(receive, self.fields, resources.patience, self.account)
        self.format = ""
        """Of the body, once it is known."""
        self._threads = resources.threads
        self._working: Future[Any] | None = None  # what a thread does for it
        self._leaving: Task[None] | None = None  # the wait for the client to go away

    async def carry_out(self, reply: Coroutine[Any, Any, Reply], voice: Voice, tally: Tally, send: Send) -> None:
        """Wait for the reply, or for the one that an exception becomes, and send it. Nothing of the request stays."""
        try:
            answer = await self._answer(reply, voice, tally)
            if answer is not None:
                read = self.body.size
                trace_headers = tally.answered(self.fields, self.format, answer, self.account, read)
                await send_reply(answer, trace_headers, self.body, send)
        finally:
            self._release()

    async def run(self, call: Callable[..., T], *arguments: object) -> T:
        """Call a function in a thread; Disconnected if the client goes away meanwhile."""
        self.account.lap(READ)
        job = Job(call, arguments, self.account)
        self._working = working = self._threads.requests.submit(job)
        answer: Waited[T] = wrap_future(working)
        try:
            if self.body.ended:  # before that, whoever reads it learns of a client that goes away
                await self._watch(answer)
            return await answer
        except (CancelledError, Disconnected):
            job.drop()
            answer.cancel()
            raise

    async def _answer(self, reply: Coroutine[Any, Any, Reply], voice: Voice, tally: Tally) -> Reply | None:
        """The reply; None if nobody is left to read it."""
        try:
            return await self._in_time(reply)
        except CancelledError:  # whoever serves this is told to stop, and has waited long enough
            self._release()
            self.body.ended = True  # nothing more is waited for
            return voice.problem(STOPPING, ENDS)
        except Exception as error:  # noqa: BLE001 each becomes an answer
            self._release()
            self.account.lap(DECODE if self.body.ended else READ)  # it went that far, at the least
            if isinstance(error, Disconnected):
                tally.left(self.fields, self.format, self.account, self.body.size)
                return None
            self.body.ended |= isinstance(error, TooSlow)
            return voice.failed(error, tally.path)

    async def _in_time(self, reply: Coroutine[Any, Any, Reply]) -> Reply:
        given = self.fields.get(REQUEST_TIMEOUT)
        if given is None:
            return await reply
        seconds = float(given) if _SECONDS.fullmatch(given.strip()) else 0.0
        if not seconds:
            reply.close()
            rule = "a number of seconds above 0, of at most 9 digits on each side of the point"
            raise MalformedHeader(f"Request-Timeout must be {rule}, not {quoted(given.decode('latin-1'))}")
        try:
            async with timeout(seconds):
                return await reply
        except TimeoutError:
            raise TimeUp(f"there was no answer within the {seconds:g} seconds that the request gives") from None

    async def _watch(self, answer: "Waited[Any]") -> None:
        """Wait for the answer of a thread; Disconnected if the client goes away before."""
        if self._leaving is None:
            self._leaving = create_task(self.body.gone())
        await wait((answer, self._leaving), return_when=FIRST_COMPLETED)
        if not answer.done():
            raise Disconnected

    def _release(self) -> None:
        """Give back what the request holds, once no thread works on it any more."""
        self.account.end(Disconnected())
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None
        if self._working is None or self._working.done():
            self.account.give_back()
        else:
            self._working.add_done_callback(lambda _: self.account.give_back())


async def send_reply(reply: Reply, trace_headers: RawHeaders, body: Body, send: Send) -> None:
    """Send a reply, and discard what has not been read of the request's body."""
    await send({"type": "http.response.start", "status": reply.status, "headers": reply.raw_headers(*trace_headers)})
    await send({"type": "http.response.body", "body": reply.body, "more_body": not body.ended})
    if not body.ended:
        await body.discard()
        await send({"type": "http.response.body"})
