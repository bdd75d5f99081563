"""The head of a request must come in time, and may be only so long."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from app.http.grammar import LONGEST_HEAD
from tests.conftest import serving

BODY = b'{"data": {"dtype": "int8", "values": [3, 1, 2]}, "keepdims": 0}'
HEAD = b"POST /v12/reduce_min HTTP/1.1\r\nhost: here\r\n"
REQUEST = HEAD + b"content-length: %d\r\n\r\n" % len(BODY) + BODY
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n1\r\n{\r\n"
PATIENCE = 0.6


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with serving(tmp_path_factory.mktemp("heads"), KEEPDIMS_BODY_TIMEOUT=str(PATIENCE)) as (url, _):
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        yield parts.hostname, parts.port


@contextmanager
def connected(address: tuple[str, int]) -> Iterator[socket.socket]:
    with socket.create_connection(address, timeout=20) as connection:
        yield connection


def rest(connection: socket.socket) -> bytes:
    """What comes until the server closes; it must, or the time-out of the socket fails the test."""
    found = b""
    try:
        while more := connection.recv(1 << 16):
            found += more
    except ConnectionError:
        pass
    return found


def dripped(connection: socket.socket, byte: bytes) -> int:
    """After how many of such bytes, sent now and then, the server closes a connection."""
    connection.settimeout(0.05)
    for sent in range(1, 200):
        try:
            connection.sendall(byte)
            if not connection.recv(1 << 16):
                return sent
        except TimeoutError:
            continue
        except ConnectionError:
            return sent
    pytest.fail("the connection was not closed")


@pytest.mark.parametrize("start", [b"", b"\r\n", b"P", HEAD, HEAD + b"content-len"])
def test_a_head_that_does_not_end_is_not_waited_for(address: tuple[str, int], start: bytes) -> None:
    with connected(address) as connection:
        connection.sendall(start)
        assert rest(connection) == b""


@pytest.mark.parametrize(("start", "byte"), [(HEAD + b"x: ", b"y"), (b"", b"\r\n"), (b"G", b"E")])
def test_a_byte_now_and_then_buys_no_time(address: tuple[str, int], start: bytes, byte: bytes) -> None:
    with connected(address) as connection:
        connection.sendall(start)
        assert dripped(connection, byte) > 1


def test_nor_does_it_behind_an_answer(address: tuple[str, int]) -> None:
    with connected(address) as connection:
        connection.sendall(REQUEST)
        assert b"200 OK" in connection.recv(1 << 16)
        assert dripped(connection, b"\r\n") > 1


def test_a_head_that_comes_in_time_is_answered_whenever_it_begins(address: tuple[str, int]) -> None:
    with connected(address) as connection:
        for _ in range(3):
            connection.sendall(HEAD)
            time.sleep(PATIENCE / 2)
            connection.sendall(REQUEST.removeprefix(HEAD))
            assert b"200 OK" in connection.recv(1 << 16)
            time.sleep(PATIENCE / 2)


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "begun"])
@pytest.mark.parametrize("field", [b"x:" + b"y" * LONGEST_HEAD, b"x: y\r\n" * (LONGEST_HEAD // 5)], ids=["one", "many"])
def test_a_head_that_is_too_long_is_refused(address: tuple[str, int], ended: bool, field: bytes) -> None:
    head = HEAD + field + b"\r\n"
    with connected(address) as connection:
        connection.sendall(head + b"\r\n" * ended)
        found = rest(connection)
    assert found.startswith(b"HTTP/1.1 431")
    assert found.count(b"HTTP/1.1") == 1
    assert b"connection: close" in found


def test_a_head_that_is_long_is_read(address: tuple[str, int]) -> None:
    with connected(address) as connection:
        connection.sendall(HEAD + b"x: " + b"y" * (LONGEST_HEAD - 200) + b"\r\n" + REQUEST.removeprefix(HEAD))
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("framing", [b"0\r\nx: ", b"1;x="], ids=["trailer", "extension"])
def test_what_frames_a_body_is_bounded_too(address: tuple[str, int], framing: bytes) -> None:
    with connected(address) as connection:
        connection.sendall(CHUNKED + framing)
        assert 10_000 * dripped(connection, b"y" * 10_000) > LONGEST_HEAD


def test_a_body_of_many_pieces_is_no_head(address: tuple[str, int]) -> None:
    data = b'{"data": {"dtype": "int8", "values": [1%s]}, "keepdims": 0}' % (b",1" * 2 * LONGEST_HEAD)
    with connected(address) as connection:
        connection.sendall(HEAD + b"content-length: %d\r\n\r\n" % len(data))
        for start in range(0, len(data), 3000):
            connection.sendall(data[start : start + 3000])
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
