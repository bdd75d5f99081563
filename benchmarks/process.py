"""A server in a process of its own: started on a free port, checked, ended by its process id."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.client import Connection, Failed, Request
from benchmarks.formats import Format, Matrix
from benchmarks.peers import PEERS, Peer

ROOT = Path(__file__).parent.parent
SECONDS_TO_START = 60
SECONDS_TO_END = 10


class Absent(Exception):
    """A server cannot be measured here."""


@dataclass(frozen=True)
class Server:
    """A server that answers."""

    name: str
    peer: Peer
    python: str
    port: int
    pid: int


@contextmanager
def serving(name: str, environments: Path) -> Iterator[Server]:
    """The peer of that name while it runs; Absent with a reason if it is not installed or does not start."""
    peer = PEERS[name]
    python = environments.absolute() / peer.environment / "bin" / "python" if peer.environment else Path(sys.executable)
    if not python.exists():
        raise Absent("not installed (make bench-peers)")
    port = _free_port()
    settings = {key: value for key, value in os.environ.items() if not key.startswith("KEEPDIMS_")}
    settings["PYTHONPATH"] = "" if peer.environment else str(ROOT)
    settings |= {"KEEPDIMS_SHARED_MEMORY": "1", "KEEPDIMS_ACCESS_LOG": "0"}  # no peer logs its requests
    command = [str(python), *peer.arguments]
    if peer.port_setting:
        settings[peer.port_setting] = str(port)
    else:
        command.append(str(port))
    with TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait(peer, port, process, Path(folder) / "log")
            yield Server(name, peer, str(python), port, process.pid)
        finally:
            _end(process)


def all_serving(names: list[str], environments: Path, stack: ExitStack) -> tuple[dict[str, Server], dict[str, str]]:
    """Those that run until `stack` is left, and the reasons why the others do not."""
    servers, absent = {}, {}
    for name in names:
        try:
            servers[name] = stack.enter_context(serving(name, environments))
        except Absent as reason:
            absent[name] = str(reason)
    return servers, absent


def check(server: Server, format: Format, x: Matrix) -> Request:
    """The request for `x`, once its answer has been found right; Failed if it is wrong."""
    request = format.request(x)
    _check(server.port, format, x, request)
    return request


def _check(port: int, format: Format, x: Matrix, request: Request) -> None:
    with Connection(port) as connection:
        body = connection.exchange(request)
    if format.answer is not None and not np.array_equal(format.answer(body).reshape(-1), x.min(axis=1)):
        raise Failed(f"a wrong answer of {len(body)} bytes")


def _wait(peer: Peer, port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    request = peer.json.request(x)
    deadline = time.monotonic() + SECONDS_TO_START
    reason: Exception | str = ""
    while process.poll() is None and time.monotonic() < deadline:
        try:
            return _check(port, peer.json, x, request)
        except (OSError, Failed) as error:
            reason = error
            time.sleep(0.1)
    said = log.read_text(errors="replace").strip().rpartition("\n")[2]
    raise Absent(f"did not start: {reason if process.returncode is None else said}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask politely, then end it and the processes it started, which share its group."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS_TO_END)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
