"""The memory that requests hold, all of them together. Whatever is large is taken from it before it is there."""

from collections.abc import Callable
from threading import Lock

from app.blocks import Header
from app.errors import BodyTooLarge, Overloaded
from app.http.budget.tidying import Tidying
from app.tensors.formats import STREAMED

TEXT = 4
"""Bytes that are held for each byte of JSON: it, its pieces, and the elements that it says."""

FLOWING = 1 << 24
"""Bytes that are held of a large body that is reduced as it comes: a batch that is gathered, one that is worked on, and
what the work needs beside it."""

EXEMPT = 1 << 13
"""Bytes of a body that is not counted."""

STEP = 1 << 20
"""Room for a body of unknown length is taken in steps of this many bytes."""


class Room:
    """All the memory that requests may hold. Small bodies, which the event loop answers, are not counted."""

    def __init__(self, size: int, tell: Callable[[int, int], None] | None = None) -> None:
        """`size` in bytes; `tell`: told of what is taken and of the size, with every change."""
        self.size = size
        self.taken = 0
        self.lock = Lock()
        self._tell = tell
        self._tidying = Tidying()
        self.change(0)

    def change(self, more: int) -> None:
        """So many bytes more are taken; called under the lock."""
        self.taken += more
        self._tidying.saw(self.taken)
        if self._tell is not None:
            self._tell(self.taken, self.size)


class Share:
    """What one request holds of a room; threads may take for it."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._held = 0
        self._over = False

    def take(self, size: int) -> None:
        """Hold so many bytes more; Overloaded if others hold them, BodyTooLarge if there never are so many."""
        room = self._room
        with room.lock:
            if self._over:
                return  # a thread goes on for a moment when its request has ended
            if self._held + size > room.size:
                raise BodyTooLarge(
                    f"the request would hold {self._held + size} bytes of memory; the limit for all requests together "
                    f"is {room.size} (KEEPDIMS_MAX_INFLIGHT_BYTES)"
                )
            if room.taken + size > room.size:
                raise Overloaded(
                    f"the request would hold {self._held + size} bytes of memory, which other requests hold now"
                )
            room.change(size)
            self._held += size

    def give_back(self) -> None:
        """The request holds nothing any more, and will not again."""
        with self._room.lock:
            self._room.change(-self._held)
            self._held = 0
            self._over = True


def flowing_size(declared: int | None) -> int:
    """The bytes held for a body that is reduced as it comes; `declared`: its length, if that is known."""
    return FLOWING if declared is None else min(FLOWING, TEXT * declared)


def outputs_size(answer: Header, wanted: str) -> int:
    """The bytes that an answer takes until it is sent in the media type `wanted`: what is known of the outputs while
    they are made, the outputs, and what they are written as."""
    return answer.size * (3 * answer.numpy_dtype.itemsize if wanted in STREAMED else 32)
