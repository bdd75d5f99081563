"""Clients that are slow, or that ask for nothing, take nothing from the others, and are not kept for ever."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from threading import Event, Thread

import pytest

from app.http.processes.server import IDLE
from tests.conftest import serving
from tests.faults.sockets import (
    ANSWER,
    BODY,
    LENGTH,
    Address,
    address_of,
    connect,
    ends_within,
    head,
    read_answer,
)

WHOLE = head(LENGTH) + BODY
SLOW = 200
EVERY = 0.5
"""Seconds between two bytes of a slow client."""

LATE = 1.0
"""Seconds that a fast client waits at most, where the slow ones are the only others."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with serving(tmp_path_factory.mktemp("slow")) as (url, _):
        yield address_of(url)


def waited(connection: socket.socket) -> float:
    """The seconds that a small request takes."""
    begun = time.monotonic()
    connection.sendall(WHOLE)
    answer = read_answer(connection)
    assert answer is not None
    assert answer.body == ANSWER
    return time.monotonic() - begun


def test_slow_clients_do_not_delay_a_fast_one(address: Address) -> None:
    over = Event()
    with ExitStack() as stack:
        slow = [stack.enter_context(connect(address)) for _ in range(SLOW)]
        for number, connection in enumerate(slow):
            connection.sendall(WHOLE[: -len(BODY) // 2 if number % 2 else 20])  # within the body, or the head

        def drip() -> None:
            position = 20
            while not over.wait(EVERY):
                for number, connection in enumerate(slow):
                    connection.sendall(BODY[position - 20 :][:1] if number % 2 else WHOLE[position : position + 1])
                position += 1

        dripping = Thread(target=drip)
        dripping.start()
        try:
            fast = stack.enter_context(connect(address))
            times = sorted(waited(fast) for _ in range(200))
            end = time.monotonic() + 4 * EVERY
            while time.monotonic() < end:
                times.append(waited(fast))
                time.sleep(0.01)
        finally:
            over.set()
            dripping.join()
        times.sort()
        assert times[len(times) * 9 // 10] < LATE
        for connection in slow:
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):  # it is still waited for
                connection.recv(1)


def test_a_connection_is_kept_for_a_while(address: Address) -> None:
    with connect(address) as connection:
        waited(connection)
        assert not ends_within(connection, IDLE - 1)
        assert ends_within(connection, 20)
