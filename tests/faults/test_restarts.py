"""Workers come and go, and nobody who asks finds out."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.conftest import serving
from tests.faults.callers import Callers
from tests.faults.processes import exit_status, workers
from tests.faults.sockets import address_of

COUNT = 2


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """Of several workers; the last test that takes it ends it."""
    folder = tmp_path_factory.mktemp("restarts")
    with serving(folder, KEEPDIMS_WORKERS=str(COUNT), KEEPDIMS_MAX_INFLIGHT_BYTES=str(1 << 30)) as (url, pid):
        wait_until(lambda: len(workers(pid)) == COUNT)
        yield url, pid


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def wait_until_all_are_answered(callers: Callers) -> None:
    before = callers.answered
    wait_until(lambda: all(now > then + 1 for now, then in zip(callers.answered, before, strict=True)))


def counted(url: str) -> int:
    """Reductions that were answered, as /metrics has it."""
    text = httpx.get(f"{url}/metrics", trust_env=False).raise_for_status().text
    found = re.findall(r'^keepdims_requests_total\{.*status="200".*\} (\S+)$', text, re.MULTILINE)
    return int(sum(map(float, found)))


def test_new_workers_take_over_without_a_loss(server: tuple[str, int]) -> None:
    url, pid = server
    with Callers(address_of(url)) as callers:
        wait_until_all_are_answered(callers)
        first = workers(pid)
        os.kill(pid, signal.SIGHUP)
        wait_until(lambda: len(workers(pid) - first) == 1)
        os.kill(pid, signal.SIGHUP)  # while the other is on its way
        wait_until(lambda: not workers(pid) & first and len(workers(pid)) == COUNT)
        wait_until_all_are_answered(callers)
    assert callers.wrong == []
    assert (callers.lost, callers.turned_away) == (0, 0)
    assert counted(url) == sum(callers.answered)


def test_a_worker_that_is_killed_is_replaced(server: tuple[str, int]) -> None:
    url, pid = server
    before = counted(url)
    with Callers(address_of(url)) as callers:
        wait_until_all_are_answered(callers)
        first = workers(pid)
        os.kill(min(first), signal.SIGKILL)
        wait_until(lambda: len(workers(pid)) == COUNT and workers(pid) != first)
        wait_until_all_are_answered(callers)
        lost, turned_away = callers.lost, callers.turned_away
        assert lost + turned_away <= len(callers.all)
        os.kill(pid, signal.SIGHUP)  # the new one has to serve before the other one stops
        wait_until(lambda: not workers(pid) & first and len(workers(pid)) == COUNT)
        wait_until_all_are_answered(callers)
    assert callers.wrong == []
    assert (callers.lost, callers.turned_away) == (lost, turned_away)
    assert sum(callers.answered) <= counted(url) - before <= sum(callers.answered) + lost + turned_away


def test_what_was_asked_of_several_is_answered_before_the_end(server: tuple[str, int]) -> None:
    stop_under_load(*server)


def test_what_was_asked_of_one_is_answered_before_the_end(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_MAX_INFLIGHT_BYTES=str(1 << 30)) as (url, pid):
        stop_under_load(url, pid)


def stop_under_load(url: str, pid: int) -> None:
    with Callers(address_of(url)) as callers:
        wait_until_all_are_answered(callers)
        os.kill(pid, signal.SIGTERM)
        assert exit_status(pid, 60) == 0
    assert callers.wrong == []
    assert callers.lost == 0


def test_workers_end_when_their_supervisor_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_WORKERS=str(COUNT)) as (_, pid):
        left = workers(pid)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in left))
