"""Threads for large reductions: NumPy lets go of the interpreter lock while it computes."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class Team:
    """At most `threads` tasks at once, the caller's thread among them."""

    def __init__(self, threads: int) -> None:
        self.threads = max(1, threads)
        self._pool = ThreadPoolExecutor(self.threads - 1, "kernel") if self.threads > 1 else None

    def run(self, tasks: Sequence[Callable[[], T]]) -> list[T]:
        """The results of all tasks, in their order; the first exception, once all have ended."""
        if self._pool is None or len(tasks) == 1:
            return [task() for task in tasks]
        others = [self._pool.submit(task) for task in tasks[1:]]
        try:
            own = tasks[0]()
        finally:
            for other in others:
                other.exception()
        return [own, *(other.result() for other in others)]

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


ALONE = Team(1)
