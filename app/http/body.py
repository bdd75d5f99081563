"""The body of a request, as it arrives."""

from asyncio import timeout

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
        self._receive = receive
        self._declared = int(declared) if declared is not None and declared.isdigit() else None
        self._seconds = seconds
        self.ended = self._declared == 0 or (declared is None and not chunked)

    async def read(self, limit: int) -> bytes:
        """All of it; BodyTooLarge beyond `limit` bytes, before reading if the declared length says so."""
        if self._declared is not None and self._declared > limit:
            raise BodyTooLarge(f"the body has {self._declared} bytes, and {limit} are read at most")
        pieces: list[bytes] = []
        size = 0
        while not self.ended:
            piece = await self._piece()
            size += len(piece)
            if size > limit:
                raise BodyTooLarge(f"the body has more than the {limit} bytes that are read at most")
            pieces.append(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def discard(self) -> None:
        """Take in the rest for a bounded time, so that the client comes to read what it was answered."""
        try:
            async with timeout(self._seconds):
                while not self.ended:
                    await self._piece()
        except (TimeoutError, TooSlow, Disconnected):
            pass

    async def _piece(self) -> bytes:
        try:
            async with timeout(self._seconds):
                message = await self._receive()
        except TimeoutError:
            raise TooSlow from None
        if message["type"] == "http.disconnect":
            raise Disconnected
        self.ended = not message.get("more_body", False)
        piece: bytes = message.get("body", b"")
        return piece
