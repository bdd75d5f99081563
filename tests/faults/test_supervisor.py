"""What a supervisor does about workers that do not work."""

import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from app.http.processes import supervisor
from app.http.processes.server import FAILED, Make
from app.http.processes.supervisor import Supervisor
from app.main import create_app

Work = Callable[[socket.socket, Connection, Make], None]


def crash(_: socket.socket, __: Connection, ___: Make) -> None:
    raise SystemExit(1)


def hang(_: socket.socket, pulse: Connection, __: Make) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pulse.send_bytes(b".")
    time.sleep(60)


def stop_the_third(_: socket.socket, pulse: Connection, __: Make) -> None:
    """Serve and crash twice; then have the supervisor told to stop."""
    pulse.send_bytes(b".")
    marks = Path(os.environ["MARKS"])
    (marks / str(os.getpid())).touch()
    if len(list(marks.iterdir())) < 3:
        raise SystemExit(1)
    os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(60)


@pytest.fixture
def supervised(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Work, int], int]]:
    """Runs a supervisor of workers that do that, and says what it ends with."""
    handlers = {sig: signal.getsignal(sig) for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def run(work: Work, count: int) -> int:
        monkeypatch.setattr(supervisor, "work", work)
        with socket.socket() as listening:
            return Supervisor(count, listening, create_app).run()

    yield run
    for sig, handler in handlers.items():
        signal.signal(sig, handler)


def test_it_gives_up_where_none_can_begin(supervised: Callable[[Work, int], int]) -> None:
    assert supervised(crash, 2) == FAILED


def test_it_replaces_those_that_have_served(
    supervised: Callable[[Work, int], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARKS", str(tmp_path))
    assert supervised(stop_the_third, 1) == 0
    assert len(list(tmp_path.iterdir())) == 3


def test_it_ends_who_hangs_and_who_does_not_stop(
    supervised: Callable[[Work, int], int], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    served: list[supervisor.Worker] = []

    class Watched(supervisor.Worker):
        """It may begin as slowly as it likes; when the second one serves, the supervisor is told to stop."""

        def listen(self) -> None:
            super().listen()
            if self.serves and self not in served:
                served.append(self)
                if len(served) == 2:
                    os.kill(os.getpid(), signal.SIGTERM)

        def hangs(self) -> bool:
            return self.serves and super().hangs()

    monkeypatch.setattr(supervisor, "HANGS", 0.5)
    monkeypatch.setattr(supervisor, "GRACE", 0.1)
    monkeypatch.setattr(supervisor, "Worker", Watched)
    with caplog.at_level(logging.ERROR, "keepdims"):
        assert supervised(hang, 1) == 0
    assert len(served) == 2
    ended = [record.message for record in caplog.records if "does not answer" in record.message]
    assert len(ended) == 2
