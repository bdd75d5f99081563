"""The body of a request, as it arrives."""

from asyncio import CancelledError, Task, TimerHandle, current_task, get_running_loop, timeout
from typing import Any

from starlette.types import Receive

from app.errors import BodyTooLarge


class Disconnected(Exception):
    """The client went away; nobody is left to answer."""


class TooSlow(Exception):
    """The next piece of the body did not come in time."""


class Body:
    """What a client sends: read at most once, or discarded."""

    def __init__(self, receive: Receive, declared: bytes | None, chunked: bool, seconds: float) -> None:
        """`declared` is the Content-Length, None if there is none; `seconds` the longest wait for the next piece."""
        self.declared = int(declared) if declared is not None and declared.isdigit() else None
        self.ended = self.declared == 0 or (declared is None and not chunked)
        self._receive = receive
        self._patience = Patience(seconds)
        self._limit = 0
        self._size = 0

    def admit(self, limit: int) -> None:
        """Let it have so many bytes; BodyTooLarge, now or once they come, if it has more."""
        if self.declared is not None and self.declared > limit:
            raise BodyTooLarge(f"the body has {self.declared} bytes, and {limit} are read at most")
        self._limit = limit

    async def read(self) -> bytes:
        """All of it."""
        pieces: list[bytes] = []
        while not self.ended:
            pieces.append(await self.piece())
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def piece(self) -> bytes:
        """What comes next; BodyTooLarge, TooSlow, or Disconnected if it does not."""
        self._patience.wait()
        try:
            message = await self._receive()
        except CancelledError:
            if self._patience.ran_out():
                raise TooSlow from None
            raise
        finally:
            self._patience.rest()
        if message["type"] == "http.disconnect":
            raise Disconnected
        self.ended = not message.get("more_body", False)
        piece: bytes = message.get("body", b"")
        self._size += len(piece)
        if self._size > self._limit:
            raise BodyTooLarge(f"the body has more than the {self._limit} bytes that are read at most")
        return piece

    def close(self) -> None:
        """No piece is asked for any more."""
        self._patience.close()

    async def discard(self) -> None:
        """Take in the rest for a bounded time, so that the client comes to read what it was answered."""
        try:
            async with timeout(self._patience.seconds):
                while not self.ended:
                    message = await self._receive()
                    self.ended = message["type"] == "http.disconnect" or not message.get("more_body", False)
        except TimeoutError:
            pass


class Patience:
    """Bounds each of many short waits of one task by a single timer, which looks now and then how long the last one
    has taken: a timer for each would cost more than the piece it waits for."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._loop = get_running_loop()
        self._timer: TimerHandle | None = None
        self._waiting: Task[Any] | None = None
        self._since = 0.0
        self._over = False

    def wait(self) -> None:
        """The current task begins to wait: it is cancelled if that takes too long."""
        self._waiting = current_task(self._loop)
        self._since = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self.seconds, self._look)

    def rest(self) -> None:
        """The wait has ended."""
        self._waiting = None

    def ran_out(self) -> bool:
        """Whether it was this that cancelled the task, and nobody else did; the task goes on then."""
        task = current_task(self._loop)
        return self._over and task is not None and task.uncancel() == 0

    def close(self) -> None:
        """No more waits."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        left = self.seconds
        if self._waiting is not None:
            left -= self._loop.time() - self._since
            if left <= 0:
                self._over = True
                self._waiting.cancel()
                return
        self._timer = self._loop.call_later(left, self._look)
