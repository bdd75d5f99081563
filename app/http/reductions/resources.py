"""What all requests of one application share."""

from typing import NamedTuple

from app.http.budget.patience import Patience
from app.http.budget.room import Room
from app.http.budget.threads import Threads
from app.http.observing.observer import Observer
from app.settings import Settings


class Resources(NamedTuple):
    """Settings, threads, patience with clients, room in memory, and who sees what becomes of a request."""

    settings: Settings
    threads: Threads
    patience: Patience
    room: Room
    observer: Observer
