"""What many large requests have held goes back to the machine, once they are gone.

The heap keeps what is freed near what is still in use, and each thread has one of its own: after a crowd that is
hundreds of MB. Asking for memory again takes longer than keeping it, so it is given back when there has been quiet for
a moment.
"""

from threading import Timer

from app.kernels.heap import release_freed_memory

WORTH = 1 << 26
"""Tidying is worth its time once so many bytes were held together."""

QUIET = 1.0
"""Seconds."""


class Tidying:
    """Watches one room. There is at most one timer, and only after a crowd."""

    def __init__(self) -> None:
        self._taken = 0
        self._highest = 0
        self._timer: Timer | None = None

    def saw(self, taken: int) -> None:
        """So many bytes are held now; called under the lock of the room."""
        self._taken = taken
        self._highest = max(self._highest, taken)
        if not taken and self._highest >= WORTH and self._timer is None:
            self._timer = Timer(QUIET, self._tidy)
            self._timer.daemon = True
            self._timer.start()

    def _tidy(self) -> None:
        self._timer = None
        if not self._taken:  # else it is done when they are gone
            self._highest = 0
            release_freed_memory()
