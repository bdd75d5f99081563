"""The log: a JSON object a line, of every request that was answered and of all that the service has to say.

A line is written by a thread of its own, with those that have gathered meanwhile: a request waits for no terminal, pipe
or disk.
"""

import logging
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from errno import EAGAIN, EDQUOT, ENOSPC
from fcntl import LOCK_EX, LOCK_UN, flock
from functools import lru_cache
from pathlib import Path
from threading import Event, Thread
from time import sleep, time_ns
from typing import Any

import orjson

MOST = 1 << 16
"""Lines that wait to be written; if nobody takes them, the oldest are lost, and the log says how many."""

TOGETHER = 1 << 16
"""Bytes of one write. Each may have to wait for the interpreter as long as five milliseconds, while others compute."""

PAUSE = 0.05
"""Seconds in which lines gather."""

PASSING = (EAGAIN, EDQUOT, ENOSPC)
"""Errors after which it is tried again: a disk is full, or a pipe that does not wait."""

STDOUT = 1


class Journal:
    """The lines of one process, on their way to a file descriptor."""

    def __init__(self, descriptor: int = STDOUT, turns: Path | None = None) -> None:
        """`turns`: a file by which processes that write to one pipe take turns; it would mix what they write."""
        self._descriptor = descriptor
        self._turns = None if turns is None else os.open(turns, os.O_RDWR | os.O_CREAT, 0o600)
        self._waiting: deque[bytes] = deque()
        self._lost = 0
        self._more = Event()
        self._closed = False
        self._thread: Thread | None = None

    def write(self, entry: dict[str, Any]) -> None:
        """One line more; the entry is used up. One that cannot be written is lost, and ends nothing."""
        try:
            written = line(time_ns(), entry)
        except ValueError:
            self._lost += 1
            return
        if len(self._waiting) >= MOST:
            self._lost += 1
            self._waiting.popleft()
        self._waiting.append(written)
        if not self._more.is_set():
            self._more.set()
        if self._thread is None:
            self._thread = Thread(target=self._write_on, name="journal", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Write what waits, and end."""
        self._closed = True
        self._more.set()
        if self._thread is not None:
            self._thread.join(1)

    def _write_on(self) -> None:
        closed = False
        while not closed:
            self._more.wait()
            if not self._closed:
                sleep(PAUSE)
            self._more.clear()
            closed = self._closed  # all that there will be waits now
            try:
                self._write_waiting()
            except OSError:
                self._waiting = deque(maxlen=0)  # nobody reads any more
                return

    def _write_waiting(self) -> None:
        if self._lost:
            self._lost, lost = 0, self._lost
            self._send([line(time_ns(), {"event": "lost", "lines": lost})])
        lines: list[bytes] = []
        size = 0
        while self._waiting:
            text = self._waiting.popleft()
            if lines and size + len(text) > TOGETHER:
                self._send(lines)
                lines, size = [], 0
            lines.append(text)
            size += len(text)
        if lines:
            self._send(lines)

    def _send(self, lines: list[bytes]) -> None:
        content = memoryview(b"".join(lines))
        with self._turn():
            while content:
                try:
                    content = content[os.write(self._descriptor, content) :]
                except OSError as error:
                    if self._closed or error.errno not in PASSING:
                        raise
                    sleep(PAUSE)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._turns is None:
            yield
            return
        flock(self._turns, LOCK_EX)
        try:
            yield
        finally:
            flock(self._turns, LOCK_UN)


class JsonLines(logging.Formatter):
    """What the libraries and this service say by `logging`, in the same form."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, without its end."""
        entry = {"time": "", "event": "message", "level": record.levelname.lower(), "logger": record.name}
        entry["message"] = _text(record.getMessage())
        if record.exc_info:
            entry["traceback"] = _text(self.formatException(record.exc_info))
        return line(int(record.created * 1e9), entry).decode().rstrip("\n")


def _text(said: str) -> str:
    """What is said, without what UTF-8 cannot hold: half a surrogate pair, as JSON may bring one."""
    return said.encode(errors="replace").decode()


class Untold(logging.Filter):
    """Drops uvicorn's messages that the request log already covers."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is kept."""
        return record.msg != "Invalid HTTP request received."


LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": JsonLines}},
    "filters": {"untold": {"()": Untold}},
    "loggers": {"uvicorn.error": {"filters": ["untold"]}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json", "stream": "ext://sys.stderr"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
}
"""For `logging.config.dictConfig`."""


def line(nanoseconds: int, entry: dict[str, Any]) -> bytes:
    """An entry as it is written, with the time since the epoch that it is from; the entry is used up."""
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    entry["time"] = f"{_second(seconds)}.{rest // 1_000_000:03}Z"
    return orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE)


@lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
