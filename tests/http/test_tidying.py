"""Freed memory is given back after a crowd, once it is quiet, and not after what is small."""

from collections.abc import Callable

import pytest

from app.http.budget import tidying
from app.http.budget.room import Room, Share
from app.http.budget.tidying import WORTH


class Timers:
    """Timers whose time has come when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[Callable[[], None]] = []

    def __call__(self, _: float, call: Callable[[], None]) -> "Timers":
        self.call = call
        return self

    def start(self) -> None:
        self.waiting.append(self.call)

    def run(self) -> int:
        """How many there were."""
        calls, self.waiting = self.waiting, []
        for call in calls:
            call()
        return len(calls)


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> Timers:
    found = Timers()
    monkeypatch.setattr(tidying, "Timer", found)
    return found


@pytest.fixture
def released(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(tidying, "release_freed_memory", lambda: found.append("released"))
    return found


def hold(room: Room, size: int) -> Share:
    share = Share(room)
    share.take(size)
    return share


def test_after_a_crowd_once(timers: Timers, released: list[str]) -> None:
    room = Room(4 * WORTH)
    shares = [hold(room, WORTH // 2) for _ in range(2)]
    shares[0].give_back()
    assert timers.run() == 0
    shares[1].give_back()
    hold(room, WORTH).give_back()
    assert timers.run() == 1
    assert released == ["released"]
    hold(room, WORTH - 1).give_back()
    assert timers.run() == 0


def test_not_while_others_are_there(timers: Timers, released: list[str]) -> None:
    room = Room(4 * WORTH)
    hold(room, WORTH).give_back()
    other = hold(room, 1)
    assert timers.run() == 1
    assert released == []
    other.give_back()
    assert timers.run() == 1
    assert released == ["released"]
