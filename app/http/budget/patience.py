"""How long clients are waited for."""

from asyncio import AbstractEventLoop, Task, TimerHandle, current_task, get_running_loop
from typing import Any


class Patience:
    """Bounds each of the many short waits of all requests by a single timer, which looks when the oldest of them will
    have taken too long: a timer for each would cost more than the piece it waits for."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._waiting: dict[Task[Any], float] = {}  # since when, the oldest first
        self._over: set[Task[Any]] = set()
        self._loop: AbstractEventLoop | None = None
        self._timer: TimerHandle | None = None

    def wait(self) -> Task[Any]:
        """The current task begins to wait: it is cancelled if that takes too long."""
        loop = get_running_loop()
        task = current_task(loop)
        assert task is not None
        if self._timer is None or self._loop is not loop:
            self._loop = loop
            self._timer = loop.call_later(self.seconds, self._look, loop)
        self._waiting[task] = loop.time()
        return task

    def rest(self, task: Task[Any]) -> float:
        """Its wait has ended; the seconds that it took."""
        assert self._loop is not None
        now = self._loop.time()
        return now - self._waiting.pop(task, now)

    def ran_out(self, task: Task[Any]) -> bool:
        """Whether the task was cancelled for waiting too long, and for nothing else; if so, it may go on."""
        if task not in self._over:
            return False
        self._over.discard(task)
        return task.uncancel() == 0

    def _look(self, loop: AbstractEventLoop) -> None:
        now = loop.time()
        while self._waiting:
            task, since = next(iter(self._waiting.items()))
            if since + self.seconds > now:
                self._timer = loop.call_at(since + self.seconds, self._look, loop)
                return
            del self._waiting[task]
            self._over.add(task)
            task.cancel()
        self._timer = None
