"""A real server for the tests that need one: its own process, its own port, gone when the tests are."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

# Before any test loads NumPy: its BLAS then starts no threads here either.
import app  # noqa: F401
from tests.skips import pytest_sessionfinish, pytest_terminal_summary  # noqa: F401

ROOT = Path(__file__).parent.parent
SECONDS_TO_START = 60


@pytest.hookimpl(optionalhook=True)  # where tests/open_inference runs there are no several processes
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    from tests.shares import Shares

    return Shares(config, log)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that many tests share."""
    with serving(tmp_path_factory.mktemp("server")) as (url, _):
        yield url


@contextmanager
def serving(folder: Path, python: str = sys.executable, **settings: str) -> Iterator[tuple[str, int]]:
    """URL and process id of `python -m app` on a free port of the loopback interface, with default settings but for
    those given, as the environment has them."""
    port = _free_port()
    url = f"http://127.0.0.1:{port}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KEEPDIMS_")}
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [python, "-m", "app"],
            cwd=ROOT,
            env=environment | {"KEEPDIMS_PORT": str(port)} | settings,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_until_live(url, process, log)
        yield url, process.pid
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_live(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            if httpx.get(f"{url}/health/live", timeout=5, trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    state = "did not answer" if process.returncode is None else f"ended with {process.returncode}"
    pytest.fail(f"the server {state}:\n{log.read_text(errors='replace')[-4000:]}")
