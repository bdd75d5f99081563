"""What all requests of one application share."""

from typing import NamedTuple

from app.http.observer import Observer
from app.http.patience import Patience
from app.http.room import Room
from app.http.threads import Threads
from app.settings import Settings


class Resources(NamedTuple):
    """Settings, threads, patience with clients, room in memory, and who sees what becomes of a request."""

    settings: Settings
    threads: Threads
    patience: Patience
    room: Room
    observer: Observer
