"""Clients that send requests without waiting for answers."""

import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from app.http.connection.pipelining import MOST_WAITING
from tests.conftest import serving
from tests.faults.processes import memory
from tests.faults.sockets import ANSWER, BODY, LENGTH, address_of, answered, connect, head

WHOLE = head(LENGTH) + BODY
TINY = head(start=b"GET /health/live HTTP/1.1", host=b"")


@pytest.mark.skipif(sys.platform != "linux", reason="the files that tell a process's memory are Linux's")
def test_who_sends_on_and_reads_nothing_fills_no_memory(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_BODY_TIMEOUT="5") as (url, pid):
        answered(address_of(url), WHOLE * 3, 3)
        before = memory(pid, "VmRSS")
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(address_of(url))
            taken = _send(connection, WHOLE * 300_000)  # 45 MB, which took 1 GB when all were read and kept
        assert len(WHOLE) * 1000 < taken < len(WHOLE) * 300_000
        assert memory(pid, "VmHWM") - before < 60 << 20
        answered(address_of(url), WHOLE)


def _send(connection: socket.socket, content: bytes) -> int:
    """How many bytes are taken before no more are, or the connection ends."""
    connection.settimeout(3)
    taken = 0
    with suppress(TimeoutError, ConnectionError):
        while taken < len(content):
            taken += connection.send(content[taken : taken + (1 << 16)])
    return taken


def test_all_that_are_sent_at_once_are_answered(tmp_path: Path) -> None:
    count = 5000
    with serving(tmp_path) as (url, _), connect(address_of(url)) as connection:
        sender = threading.Thread(target=connection.sendall, args=(WHOLE * count,))
        sender.start()
        content = b""
        while content.count(ANSWER) < count:
            came = connection.recv(1 << 20)
            assert came
            content += came
        sender.join()
    assert content.count(b"HTTP/1.1 200 OK") == count


def test_where_too_many_wait_the_connection_ends_behind_the_answers(tmp_path: Path) -> None:
    sent = MOST_WAITING * 40
    with serving(tmp_path) as (url, _):
        with connect(address_of(url)) as connection:
            sender = threading.Thread(target=_send, args=(connection, TINY * sent))
            sender.start()
            content = b""
            with suppress(ConnectionError):  # it sends on when the connection has ended
                while came := connection.recv(1 << 20):
                    content += came
            sender.join()
        answered(address_of(url), WHOLE)
    assert 0 < content.count(b"HTTP/1.1 200 OK") < sent
