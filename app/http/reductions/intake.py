"""What takes in the bytes of a body, piece by piece, and answers at their end. Knows no network and no event loop.

A call takes as long as a piece does, so that a thread is held while there is something to do and never by a client.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from app.blocks import Tensor
from app.errors import BodyTooLarge, MalformedBody
from app.evaluate import Evaluation
from app.http.budget.account import Account
from app.http.budget.phases import COMPUTE, DECODE, ENCODE
from app.http.encodings import Decompression
from app.http.reductions.reducer import Reducer
from app.http.reply import Reply
from app.settings import Limit
from app.tensors.elements import Elements
from app.tensors.formats import Buffered
from app.tensors.request import Preamble

STEP = 1 << 20
"""Bytes that are decompressed before they are looked at."""


class Reducing(Protocol):
    """A request whose elements are reduced as they come."""

    def preamble(self, start: bytes) -> Preamble | None:
        """What the first bytes of its body say; None if more of them are needed."""

    def begin(self, preamble: Preamble, declared: int | None) -> Evaluation:
        """What takes in the elements. `declared`: the bytes of the whole body, if that is known."""

    def check_state_size(self, held: int) -> None:
        """A Refusal if that many bytes may not be held for outputs that are not done."""

    def reply(self, tensor: Tensor) -> Reply:
        """The answer."""


class Intake(Protocol):
    """One request; its methods are called by one thread at a time."""

    @property
    def begun(self) -> bool:
        """Whether all is known that a body says before its elements."""

    def absorb(self, pieces: Sequence[bytes]) -> bool:
        """The next bytes. True if there is more to be done for them: call again, with none."""

    def finish(self) -> Reply:
        """The answer, once the body has ended."""


class Whole:
    """A body that is answered as a whole, and read ahead as far as its format allows."""

    begun = True

    def __init__(
        self, reducer: Reducer, given: Buffered, query: str, wanted: str, account: Account, held: Sequence[bytes] = ()
    ) -> None:
        """`held`: what has come already."""
        self._reducer = reducer
        self._account = account
        self._arrival = given.arrival()
        self._query = query
        self._wanted = wanted
        self._held = held

    def absorb(self, pieces: Sequence[bytes]) -> bool:
        held, self._held = self._held, ()
        if held or pieces:
            self._arrival.feed((*held, *pieces))
            self._account.lap(DECODE)
        return False

    def finish(self) -> Reply:
        return self._reducer.answer(self._arrival.finish(self._query), self._wanted, self._account)


class Flowing:
    """A body whose elements are reduced as they come."""

    def __init__(self, request: Reducing, declared: int | None, account: Account) -> None:
        """`declared`: the bytes of the whole body, if that is known."""
        self._request = request
        self._account = account
        self._state = 0  # bytes of outputs in progress
        self._declared = declared
        self._elements: Elements | None = None
        self._evaluation: Evaluation | None = None
        self.held = b""
        self.hold(b"")  # some formats have said all there is to say

    @property
    def begun(self) -> bool:
        return self._evaluation is not None

    def hold(self, piece: bytes) -> None:
        """The next bytes, for later: only what stands before the elements is looked at. `held` is what waits."""
        self.held += piece
        if self._evaluation is None:
            preamble = self._request.preamble(self.held)
            if preamble is not None:
                self._evaluation = self._request.begin(preamble, self._declared)
                self._elements = Elements(preamble.header, preamble.big_endian, preamble.header_place)
                self.held = self.held[preamble.offset :]

    def absorb(self, pieces: Sequence[bytes]) -> bool:
        if self._evaluation is None or self._elements is None:
            self.hold(b"".join(pieces))
        else:
            block = self._elements.block((self.held, *pieces))
            self._account.lap(DECODE)
            state = self._evaluation.absorb(block)
            self._request.check_state_size(state)
            if state > self._state:
                self._account.take(state - self._state)
                self._state = state
            self._account.lap(COMPUTE)
            self.held = b""
        return False

    def finish(self) -> Reply:
        if self._evaluation is None or self._elements is None:
            raise MalformedBody("the body ends before its elements begin")
        self.absorb(())
        self._elements.end()
        tensor = self._evaluation.finish()
        self._account.lap(COMPUTE)
        reply = self._request.reply(tensor)
        self._account.lap(ENCODE)
        return reply


class Compressed:
    """Another intake's bytes, compressed."""

    def __init__(self, inner: Intake, encoding: str, limit: Limit, take: Callable[[int], None] | None = None) -> None:
        """`limit`: the most bytes they may be; `take`: told of all that come, where the inner intake holds them."""
        self._take = take
        self._inner = inner
        self._decompression = Decompression(encoding)
        self._limit = limit
        self._size = 0

    @property
    def begun(self) -> bool:
        return self._inner.begun

    def absorb(self, pieces: Sequence[bytes]) -> bool:
        self._decompression.give(pieces)
        content = self._decompression.step(min(STEP, self._limit.size - self._size + 1))
        self._size += len(content)
        if self._size > self._limit.size:
            raise BodyTooLarge(self._limit.exceeded_by("decompressed, the body"))
        if content and self._take:
            self._take(len(content))
        if content:
            self._inner.absorb((content,))
        return self._decompression.has_more

    def finish(self) -> Reply:
        self._decompression.end()
        return self._inner.finish()
