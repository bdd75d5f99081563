"""uvicorn with our limits, and an end that loses no request."""

import logging
import os
import signal
from asyncio import sleep
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from socket import socket
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from app.http.connection.protocol import Protocol, dispatch_of
from app.http.observing.journal import LOGGING
from app.settings import Settings

GRACE = 30
"""Seconds that requests in flight get to finish after SIGTERM."""

IDLE = 5
"""Seconds that a connection stays on which nothing is asked any more."""

FAILED = 3
"""What a process ends with that could not begin to serve."""

log = logging.getLogger("keepdims")

Make = Callable[[Settings], ASGIApp]
"""What makes the application that a process serves; it can be handed to another process."""


def url_of(bound: socket) -> str:
    """Where who connects to a socket finds the service."""
    host, port = bound.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


class Server(uvicorn.Server):
    """One process. It stops at a signal; at a second one it ends at once, unless it is supervised: a group of processes
    may be told together, and then by its supervisor again."""

    def __init__(self, settings: Settings, make: Make, supervised: bool = False) -> None:
        super().__init__(
            uvicorn.Config(
                partial(make, settings),
                factory=True,
                workers=settings.workers,
                access_log=False,
                log_config=LOGGING,
                server_header=False,
                timeout_keep_alive=IDLE,
                timeout_graceful_shutdown=GRACE,
                ws="none",
                http=Protocol,
            )
        )
        self._supervised = supervised

    def serve_on(self, bound: socket) -> int:
        """Serve until told to stop, on a socket that has its address. What the process is to end with."""
        self.run([bound])
        return 0 if self.started else FAILED

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Begin to serve, and say where: uvicorn says so only of sockets of its own making."""
        await super().startup(sockets)
        if sockets and not self._supervised:
            log.info("Uvicorn running on %s (Press CTRL+C to quit)", url_of(sockets[0]))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Not given back: who was told to stop has ended well, and not by a signal."""
        signal.signal(signal.SIGTERM, self.handle_exit)
        if hasattr(signal, "SIGHUP"):  # where there is one process there is none to take its place
            signal.signal(signal.SIGHUP, signal.SIG_IGN if self._supervised else self.handle_exit)
        signal.signal(signal.SIGINT, signal.SIG_IGN if self._supervised else self.handle_exit)
        yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal has come."""
        if self.should_exit and not self._supervised:
            os._exit(128 + sig)  # the first process of a container would outlive a signal
        self.should_exit = True

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Answer what has been asked, and stop."""
        dispatch_of(self.config.loaded_app).readiness.stopping = True
        for _ in range(2):
            await sleep(0)  # who has been waiting to be accepted is accepted
        await super().shutdown(sockets)
