"""The body of a request, as it arrives."""

from asyncio import CancelledError, timeout
from contextlib import suppress
from typing import Self

from starlette.types import Receive

from app.errors import BodyTooLarge, Refusal
from app.http.budget.account import Account
from app.http.budget.patience import Patience
from app.http.budget.room import EXEMPT, STEP
from app.http.fields import Fields
from app.settings import Limit

SLOWEST = 1 << 10
"""Bytes that a client sends in a second, on an average of the time that it is waited for, after a time of grace."""


GLANCE = 0.1
"""Seconds that a refusal waits for what it could tell more of."""

GLIMPSE = 16
"""Bytes that are kept for it."""


class Disconnected(Exception):
    """The client went away; nobody is left to answer."""


class TooSlow(Exception):
    """The next piece of the body did not come in time, or too little has come in all."""

    @classmethod
    def silent(cls, seconds: float) -> Self:
        """Of the first kind."""
        return cls(f"no piece of the body came for {seconds:g} seconds")


class Body:
    """What a client sends: read at most once, or discarded."""

    def __init__(self, receive: Receive, fields: Fields, patience: Patience, account: Account) -> None:
        """`fields` are those of the header: they say how long it is, or that there is one; `account`: what room for it
        is taken from."""
        declared = fields.get(b"content-length")
        self.declared = int(declared) if declared is not None and declared.isdigit() else None
        self.ended = self.declared == 0 or (declared is None and b"transfer-encoding" not in fields)
        self._waits = b"expect" in fields  # the client, to be told to send it
        self._receive = receive
        self._patience = patience
        self.size = 0
        self._first = b""
        self._account = account
        self._limit = Limit(0)
        self._weight = 0
        self._paid = 0  # bytes that room has been taken for
        self._waited = 0.0

    def admit(self, limit: Limit, weight: int = 0) -> None:
        """Let it have so many bytes; BodyTooLarge, now or once they come, if it has more. Each of them takes `weight`
        bytes of the room: Overloaded, now or once they come, if others have them."""
        if self.declared is not None and self.declared > limit.size:
            raise BodyTooLarge(limit.exceeded_by("the body", self.declared))
        self._limit = limit
        self._weight = weight
        self._paid = EXEMPT if self.declared is None else self.declared
        if self._paid > EXEMPT:
            self._account.take(weight * self._paid)

    async def read(self) -> bytes:
        """All of it."""
        return b"".join(await self.start(self._limit.size))  # of one, join makes no copy

    async def start(self, size: int) -> list[bytes]:
        """Its pieces until there are more than `size` bytes; all of it if it has fewer."""
        pieces: list[bytes] = []
        end = self.size + size
        while not self.ended and self.size <= end:
            pieces.append(await self.piece())
        return pieces

    async def piece(self) -> bytes:
        """What comes next; BodyTooLarge, TooSlow, or Disconnected if it does not."""
        task = self._patience.wait()
        try:
            message = await self._receive()
        except CancelledError:
            if self._patience.ran_out(task):
                raise TooSlow.silent(self._patience.seconds) from None
            raise
        finally:
            self._waited += self._patience.rest(task)
        if message["type"] == "http.disconnect":
            raise Disconnected
        self.ended = not message.get("more_body", False)
        piece: bytes = message.get("body", b"")
        if len(self._first) < GLIMPSE:
            self._first += piece[: GLIMPSE - len(self._first)]
        self.size += len(piece)
        if self.size > self._limit.size:
            raise BodyTooLarge(self._limit.exceeded_by("the body"))
        while self._weight and self.size > self._paid:
            self._account.take(self._weight * STEP)
            self._paid += STEP
        if self._waited > self._patience.seconds + self.size / SLOWEST and not self.ended:
            raise TooSlow(f"only {self.size} bytes of the body came in {self._waited:.1f} seconds")
        return piece

    async def glance(self) -> bytes:
        """What it begins with, a few bytes; b"" if that does not come in a moment."""
        if not (self.size or self.ended or self._waits):
            with suppress(TimeoutError, Refusal, TooSlow):
                async with timeout(GLANCE):
                    await self.piece()
        return self._first

    async def gone(self) -> None:
        """Wait until the client goes away, or has been answered; nothing of the body may be left."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def discard(self) -> None:
        """Take in the rest for a bounded time, so that the client comes to read what it was answered."""
        try:
            async with timeout(self._patience.seconds):
                while not self.ended:
                    message = await self._receive()
                    self.ended = message["type"] == "http.disconnect" or not message.get("more_body", False)
        except TimeoutError:
            pass
