"""A client that does not read what it asked for is not waited for, and one that reads slowly is."""

import select
import socket
import time
from collections.abc import Iterator

import numpy as np
import pytest

from tests.conftest import serving
from tests.faults.sockets import Address, address_of, connect, head, read_answer

PATIENCE = 0.6
ELEMENTS = 1 << 20
SIZE = 8 * ELEMENTS
"""Bytes of an answer; what the kernel takes of it at once is less."""

OPERATION = b"POST /v13/reduce_max?dtype=float64&shape=1,%d&axes=0 HTTP/1.1" % ELEMENTS
BODY = np.arange(ELEMENTS, dtype="<f8").tobytes()
FIELDS = b"content-type: application/octet-stream", b"accept: application/octet-stream", b"content-length: %d" % SIZE
ROOM = 6 * SIZE
"""Bytes for one such request and not for two."""

CLOSE = (b"connection: close",)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    settings = {"KEEPDIMS_BODY_TIMEOUT": str(PATIENCE), "KEEPDIMS_MAX_INFLIGHT_BYTES": str(ROOM)}
    with serving(tmp_path_factory.mktemp("leaving"), **settings) as (url, _):
        yield address_of(url)


def asked(address: Address, *fields: bytes) -> socket.socket:
    """A connection that has asked for a long answer, and takes little at once."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
    connection.settimeout(20)
    connection.connect(address)
    connection.sendall(head(*FIELDS, *fields, start=OPERATION) + BODY)
    return connection


def is_reset(connection: socket.socket, milliseconds: int) -> bool:
    """Whether the server breaks a connection off, of which nothing is read."""
    poll = select.poll()
    poll.register(connection, 0)
    return any(event & select.POLLERR for _, event in poll.poll(milliseconds))


@pytest.mark.parametrize("fields", [(), CLOSE], ids=["staying", "closing"])
def test_a_client_that_does_not_read_is_left(address: Address, fields: tuple[bytes, ...]) -> None:
    with asked(address, *fields) as connection:
        assert is_reset(connection, 20_000)


@pytest.mark.parametrize("fields", [(), CLOSE], ids=["staying", "closing"])
def test_a_byte_now_and_then_buys_no_time(address: Address, fields: tuple[bytes, ...]) -> None:
    with asked(address, *fields) as connection:
        for _ in range(400):
            if is_reset(connection, 50):
                return
            connection.recv(1)
    pytest.fail("the connection was not left")


def test_small_answers_that_are_not_read_are_no_other(address: Address) -> None:
    """A hundred answers are more than the kernels on both sides hold, and as many questions are little."""
    with connect(address) as connection:
        connection.sendall(head(start=b"GET /openapi.json HTTP/1.1") * 100)
        assert connection.recv(16) == b"HTTP/1.1 200 OK\r"
        assert is_reset(connection, 20_000)


def test_a_client_that_reads_slowly_gets_it_all(address: Address) -> None:
    with asked(address) as connection:
        time.sleep(PATIENCE / 2)
        content = b""
        while len(content) < SIZE:
            piece = connection.recv(min(1 << 20, SIZE - len(content)), socket.MSG_WAITALL)
            assert piece
            content += piece
            time.sleep(PATIENCE / 3)
        content += connection.recv(1 << 10)
    assert content.startswith(b"HTTP/1.1 200")
    assert content.endswith(BODY)


def test_memory_is_held_until_the_answer_has_gone(address: Address) -> None:
    def status() -> int:
        with asked(address) as connection:
            answer = read_answer(connection)
            assert answer
            return answer.status

    with asked(address) as waiting:
        waiting.recv(1)
        assert status() == 503
        assert is_reset(waiting, 20_000)
    assert status() == 200
