"""What one request costs, and whether its answer is still wanted."""

from app.http.budget.phases import Phases
from app.http.budget.room import Room, Share


class Account(Phases):
    """The time of one request by phase, the memory that it holds, and its end. Used by the thread that works on the
    request; what ends it may come from another."""

    __slots__ = ("_over", "share")

    def __init__(self, room: Room | None = None) -> None:
        """`room`: what memory is taken from; None if so little is at stake that it is not counted."""
        super().__init__()
        self.share = Share(room) if room else None
        self._over: Exception | None = None

    def take(self, size: int) -> None:
        """Hold so many bytes more; a Refusal if there is no room for them."""
        if self.share is not None:
            self.share.take(size)

    def give_back(self) -> None:
        """Hold nothing any more, and nothing again."""
        if self.share is not None:
            self.share.give_back()

    def end(self, error: Exception) -> None:
        """Nobody waits any more: the next check raises this."""
        self._over = error

    def check(self) -> None:
        """Called now and then by whatever takes long."""
        if self._over is not None:
            raise self._over
