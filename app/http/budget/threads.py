"""The threads of one application, and what they do."""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple, Self

from app.http.budget.account import Account
from app.http.budget.phases import QUEUE
from app.kernels.team import ALONE, Team


class Job:
    """A call that a thread makes for a request. While it waits for a thread, everything it refers to stays in memory:
    so it can be dropped."""

    def __init__(self, call: Callable[..., Any], arguments: tuple[object, ...], account: Account) -> None:
        self._call: tuple[Callable[..., Any], tuple[object, ...]] | None = (call, arguments)
        self._account = account

    def __call__(self) -> Any:
        called, self._call = self._call, None
        if called is None:
            return None  # nobody waits for it
        self._account.lap(QUEUE)
        call, arguments = called
        return call(*arguments)

    def drop(self) -> None:
        """Nobody waits for it any more: it is not begun."""
        self._call = None


class Threads(NamedTuple):
    """`requests` run what would hold up the event loop. `whole` share a reduction of a tensor that is there, `streamed`
    one that is on its way: they are one fewer, as the event loop is then busy with what arrives."""

    requests: Executor
    whole: Team
    streamed: Team

    @classmethod
    def of(cls, threads: int) -> Self:
        """As many as `threads` run at once."""
        streamed = Team(threads - 1) if threads > 2 else ALONE
        return cls(ThreadPoolExecutor(threads, "request"), Team(threads), streamed)

    def close(self) -> None:
        """End them all."""
        self.requests.shutdown()
        self.whole.close()
        self.streamed.close()
