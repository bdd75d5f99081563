"""Freed memory is given back after a crowd, once it is quiet, and not after what is small."""

import pytest

from app.http import tidying
from app.http.room import Room, Share
from app.http.tidying import WORTH


@pytest.fixture
def released(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(tidying, "QUIET", 0.0)
    monkeypatch.setattr(tidying, "release_freed_memory", lambda: found.append("released"))
    return found


def hold(room: Room, size: int) -> Share:
    share = Share(room)
    share.take(size)
    return share


def wait_for(room: Room) -> None:
    """Until the timer has run, if there is one."""
    timer = room._tidying._timer
    if timer is not None:
        timer.join(20)
        assert not timer.is_alive()


def test_after_a_crowd_once(released: list[str]) -> None:
    room = Room(4 * WORTH)
    shares = [hold(room, WORTH // 2) for _ in range(2)]
    shares[0].give_back()
    assert room._tidying._timer is None
    shares[1].give_back()
    wait_for(room)
    assert released == ["released"]
    hold(room, WORTH - 1).give_back()
    wait_for(room)
    assert released == ["released"]


def test_not_while_others_are_there(released: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidying, "QUIET", 0.2)
    room = Room(4 * WORTH)
    hold(room, WORTH).give_back()
    timer = room._tidying._timer
    assert timer is not None
    other = hold(room, 1)
    timer.join(20)
    assert released == []
    other.give_back()
    wait_for(room)
    assert released == ["released"]
