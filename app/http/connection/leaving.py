"""Answers that a client does not read are dropped after a while.

An answer that has been written but not sent stays in memory until the client reads it. So a timer looks now and then
how much of it has gone since the last time. What the kernel holds counts as not gone: it takes megabytes at once, of
which none may ever arrive.
"""

import struct
from asyncio import TimerHandle
from contextlib import suppress
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from app.http.connection.heads import BoundedHeads
from app.http.reductions.body import SLOWEST

LOOKS = 4
"""How often the timer looks before a client that reads nothing is given up."""


class BoundedAnswers(BoundedHeads):
    """One connection. It has a timer only while something waits to be sent."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.app = self._answer
        self._leaving: TimerHandle | None = None
        self._held = 0  # bytes that had not gone at the last look
        self._given_up = 0.0  # when the connection ends, if not enough goes

    def connection_lost(self, exc: Exception | None) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self.watch()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self.watch()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application, which holds what it has until most of its answer has gone."""

        async def send_off(message: Message) -> None:
            await send(message)
            if self.flow.write_paused:
                await self.flow.drain()

        await self.config.loaded_app(scope, receive, send_off)

    def watch(self) -> None:
        """Start the timer: without it, a transport that is closing would wait for its client for ever."""
        if self._leaving is None:
            self._held = self._waiting()
            self._given_up = self.loop.time() + self.idle_timeout
            self._leaving = self.loop.call_later(self.idle_timeout / LOOKS, self._see)

    def _see(self) -> None:
        self._leaving = None
        held, self._held = self._held, self._waiting()
        if not (self.flow.write_paused or self.transport.is_closing()):
            return
        now = self.loop.time()
        gone = max(held - self._held, 0)
        self._given_up = min(self._given_up + gone / SLOWEST, now + self.idle_timeout)
        if self._given_up <= now:
            with suppress(OSError, ValueError):  # the kernel is not to wait for it either
                self._socket().setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()
        else:
            self._leaving = self.loop.call_later(self.idle_timeout / LOOKS, self._see)

    def _waiting(self) -> int:
        """Bytes that are written and that the client's side has not confirmed."""
        size = self.transport.get_write_buffer_size()
        with suppress(ImportError, OSError, ValueError):  # where the kernel does not tell, or the socket is gone
            from fcntl import ioctl
            from termios import TIOCOUTQ

            size += struct.unpack("i", ioctl(self._socket().fileno(), TIOCOUTQ, b"\0" * 4))[0]
        return size

    def _socket(self) -> Any:
        return self.transport.get_extra_info("socket")
