"""Clients that ask all the time and look at each answer."""

import io
import random
import socket
from threading import Event, Thread
from typing import Self

import numpy as np

from tests.faults.sockets import Address, connect, head, read_answer

SHAPE = (1 << 10, 1 << 10)
TENSOR = np.random.default_rng(0).standard_normal(SHAPE)
LARGEST = TENSOR.max(0).tobytes()


def npy() -> bytes:
    """A request of 8 MB."""
    file = io.BytesIO()
    np.save(file, TENSOR)
    body = file.getvalue()
    start = b"POST /v13/reduce_max?axes=0&keepdims=0 HTTP/1.1"
    fields = b"content-type: application/x-npy", b"accept: application/octet-stream"
    return head(*fields, b"content-length: %d" % len(body), start=start) + body


def small() -> tuple[bytes, bytes]:
    """A small request and its answer."""
    number = random.randrange(1 << 40)
    body = b'{"data": {"dtype": "int64", "values": [%d, %d]}, "keepdims": 0}' % (number + 1, number)
    request = head(b"content-length: %d" % len(body), start=b"POST /v13/reduce_min HTTP/1.1") + body
    return request, b'{"reduced":{"dtype":"int64","shape":[],"values":%d}}' % number


class Caller(Thread):
    """One client, with one connection at a time: it opens another where the service says that it closes this one."""

    def __init__(self, address: Address, is_large: bool) -> None:
        super().__init__(daemon=True)
        self.answered = 0
        self.wrong: list[object] = []
        self.lost = 0
        """Requests without an answer on a connection that had one before, and was not said to close."""
        self.turned_away = 0
        """Connections that could not be had, or that no answer came on."""
        self._address = address
        self._request = (npy(), LARGEST) if is_large else None
        self._over = Event()

    def run(self) -> None:
        while not self._over.is_set():
            try:
                connection = connect(self._address)
            except OSError:
                self.turned_away += 1
                self._over.wait(0.05)
                continue
            with connection:
                self._ask(connection)

    def _ask(self, connection: socket.socket) -> None:
        count = 0
        while not self._over.is_set():
            request, expected = self._request or small()
            try:
                connection.sendall(request)
                answer = read_answer(connection)
            except OSError:
                answer = None
            if answer is None:
                self.lost += count > 0
                self.turned_away += count == 0
                return
            if (answer.status, answer.body) != (200, expected):
                self.wrong.append(answer)
            count += 1
            self.answered += 1
            if answer.fields.get("connection") == "close":
                return

    def end(self) -> None:
        self._over.set()
        self.join(30)


class Callers:
    """Several of them."""

    def __init__(self, address: Address, small: int = 6, large: int = 2) -> None:
        self.all = [Caller(address, is_large) for is_large in [False] * small + [True] * large]

    def __enter__(self) -> Self:
        for caller in self.all:
            caller.start()
        return self

    def __exit__(self, *_: object) -> None:
        for caller in self.all:
            caller.end()

    @property
    def answered(self) -> list[int]:
        return [caller.answered for caller in self.all]

    @property
    def lost(self) -> int:
        return sum(caller.lost for caller in self.all)

    @property
    def turned_away(self) -> int:
        return sum(caller.turned_away for caller in self.all)

    @property
    def wrong(self) -> list[object]:
        return [answer for caller in self.all for answer in caller.wrong]
