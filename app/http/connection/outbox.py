"""Answers on their way out."""

import logging
from asyncio import AbstractEventLoop, Transport
from weakref import WeakKeyDictionary

log = logging.getLogger("keepdims")


class Outbox:
    """Sends the answers of one turn of an event loop together, at its end: to wake a client takes longer than to send,
    and one that woke early would take the processor from the other answers."""

    def __init__(self, loop: AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: list[tuple[Transport, bytes, bool]] = []

    def put(self, transport: Transport, content: bytes, stays: bool) -> None:
        """Send this soon, and close the connection after it unless it stays."""
        if not self._waiting:
            self._loop.call_soon(self.send)
        self._waiting.append((transport, content, stays))

    def send(self) -> None:
        """Send what is waiting."""
        waiting, self._waiting = self._waiting, []
        for transport, content, stays in waiting:
            if transport.is_closing():
                continue  # nobody is there any more
            try:
                transport.write(content)
            except Exception:  # one connection's trouble is not that of the others
                log.exception("an answer could not be sent")
                transport.abort()
                continue
            if not stays:
                transport.close()


_OUTBOXES: WeakKeyDictionary[AbstractEventLoop, Outbox] = WeakKeyDictionary()


def outbox_of(loop: AbstractEventLoop) -> Outbox:
    """The one outbox of an event loop."""
    found = _OUTBOXES.get(loop)
    if found is None:
        found = _OUTBOXES[loop] = Outbox(loop)
    return found
