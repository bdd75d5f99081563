"""The threads of one application."""

from asyncio import Future, get_running_loop
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple, Self, TypeVar

from app.kernels.workers import ALONE, Workers

T = TypeVar("T")


class Threads(NamedTuple):
    """`requests` run what would hold up the event loop. `whole` share a reduction of a tensor that is there, `streamed`
    one that is on its way: they are one fewer, as the event loop is then busy with what arrives."""

    requests: Executor
    whole: Workers
    streamed: Workers

    @classmethod
    def of(cls, threads: int) -> Self:
        """As many as `threads` run at once."""
        streamed = Workers(threads - 1) if threads > 2 else ALONE
        return cls(ThreadPoolExecutor(threads, "request"), Workers(threads), streamed)

    def run(self, call: Callable[..., T], *arguments: object) -> "Future[T]":
        """Call a function in one of the threads for requests."""
        return get_running_loop().run_in_executor(self.requests, call, *arguments)

    def close(self) -> None:
        """End them all."""
        self.requests.shutdown()
        self.whole.close()
        self.streamed.close()
