"""A server that is told to stop answers what was asked and what still comes, says that it is the last, and ends."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.http.connection.lingering import LINGER
from tests.conftest import serving
from tests.faults.processes import exit_status, workers
from tests.faults.sockets import ANSWER, BODY, CHUNKED, CHUNKS, LENGTH, Address, address_of, connect, head, read_answer

WHOLE = head(LENGTH) + BODY
LIVE = head(start=b"GET /health/live HTTP/1.1")
READY = head(start=b"GET /health/ready HTTP/1.1")
V2_READY = head(start=b"GET /v2/health/ready HTTP/1.1")


@pytest.fixture(params=["1", "2"], ids=["alone", "supervised"])
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[Address, int]]:
    with serving(tmp_path, KEEPDIMS_WORKERS=request.param) as (url, pid):
        yield address_of(url), pid


def test_the_last_answers(server: tuple[Address, int]) -> None:
    address, pid = server
    contents = {
        "idle": [WHOLE],
        "in chunks": [head(CHUNKED) + CHUNKS],
        "ready": [READY],
        "ready for the protocol": [V2_READY],
        "many": [WHOLE, LIVE, head(CHUNKED) + CHUNKS, WHOLE],
    }
    with ExitStack() as stack:
        idle = {name: stack.enter_context(connect(address)) for name in contents}
        new, begun, headed = (stack.enter_context(connect(address)) for _ in range(3))
        for connection in idle.values():
            connection.sendall(WHOLE)
            first = read_answer(connection)
            assert first is not None
            assert "connection" not in first.fields
        begun.sendall(WHOLE[:20])
        headed.sendall(WHOLE[:-5])
        time.sleep(0.2)
        for each in (*workers(pid), pid):  # as who stops a group of processes does
            os.kill(each, signal.SIGTERM)
        time.sleep(0.3)
        for name, content in contents.items():
            idle[name].sendall(b"".join(content))
        new.sendall(WHOLE)
        begun.sendall(WHOLE[20:])
        headed.sendall(WHOLE[-5:])
        for connection in (new, begun, headed, idle["idle"], idle["in chunks"]):
            answer = read_answer(connection)
            assert answer is not None
            assert (answer.status, answer.body, answer.fields["connection"]) == (200, ANSWER, "close")
            assert read_answer(connection) is None
        for name in ("ready", "ready for the protocol"):
            answer = read_answer(idle[name])
            assert answer is not None
            assert (answer.status, answer.fields["connection"]) == (503, "close")
        answers = [read_answer(idle["many"]) for _ in contents["many"]]
        assert [answer and answer.status for answer in answers] == [200] * len(answers)
        assert [answer and answer.fields.get("connection") for answer in answers] == [None, None, None, "close"]
        assert exit_status(pid, 20) == 0


def test_connections_on_which_nothing_comes_do_not_hold_it_up(tmp_path: Path) -> None:
    with serving(tmp_path) as (url, pid), connect(address_of(url)) as new, connect(address_of(url)) as idle:
        idle.sendall(LIVE)
        assert read_answer(idle)
        os.kill(pid, signal.SIGTERM)
        assert read_answer(idle) is None
        assert read_answer(new) is None
        assert exit_status(pid, 20) == 0


def test_a_second_signal_ends_it_at_once(server: tuple[Address, int]) -> None:
    address, pid = server
    supervised = bool(workers(pid))
    with connect(address) as connection:
        connection.sendall(WHOLE[:-1])
        time.sleep(0.2)
        os.kill(pid, signal.SIGTERM)
        assert exit_status(pid, 1.5 * LINGER) is None  # it waits for the rest
        os.kill(pid, signal.SIGTERM)
        assert exit_status(pid, 10) == (0 if supervised else 128 + signal.SIGTERM)  # a supervisor ends others, and well


def test_one_process_alone_ends_well_when_it_is_to_be_replaced(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, pid):
        os.kill(pid, signal.SIGHUP)
        assert exit_status(pid, 20) == 0
