"""Numbers that each worker process counts by itself, and any of them can add up.

Each process has a file of its own, which the others read: so none waits for another, and what a process counted stays
counted when it is gone. One process alone needs no file.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from mmap import mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger("keepdims")

Numbers = NDArray[np.int64]


def is_running(process: int) -> bool:
    """Whether there is a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it is another user's
    return True


class Sheet:
    """`size` integers of 64 bits, of this process and of all that share a folder with it."""

    def __init__(self, folder: Path | None, name: str, size: int) -> None:
        """`folder`: None if this process is alone; `name` tells its sheets apart."""
        self._folder = folder
        self._name = name
        self._nbytes = 8 * size
        self.own = memoryview(bytearray(self._nbytes) if folder is None else self._memory(folder)).cast("q")

    def all(self) -> Iterator[tuple[int, Numbers]]:
        """Every process's numbers, under its process id; also of those that are gone."""
        yield os.getpid(), np.frombuffer(self.own, np.int64)
        while self._folder is not None:
            try:
                yield from self._others(self._folder)
                return
            except FileNotFoundError:
                continue  # a new process has taken it over

    def _others(self, folder: Path) -> list[tuple[int, Numbers]]:
        found = [(_process(path), path) for path in folder.glob(f"{self._name}-*")]
        read = [(process, np.fromfile(path, np.int64)) for process, path in found if process != os.getpid()]
        return [each for each in read if each[1].nbytes == self._nbytes]  # else it is being made

    def _memory(self, folder: Path) -> mmap | bytearray:
        """That of a file, if it can be had: better to count alone than not to serve."""
        try:
            return self._mapped(folder)
        except OSError as error:
            said = "the other processes do not see what this one counts, as %s cannot be written: %s"
            log.warning(said, folder, os.strerror(error.errno or 0).lower())
            return bytearray(self._nbytes)

    def _mapped(self, folder: Path) -> mmap:
        """The file of this process, which goes on where one has stopped: so there are no more of them than processes at
        a time, however many have come and gone."""
        path = folder / f"{self._name}-{os.getpid()}"
        if not path.exists():
            self._take_over(path)
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            try:
                while file.tell() < self._nbytes:  # a hole would take memory later, when there may be none
                    file.write(bytes(self._nbytes - file.tell()))
            except OSError:
                file.truncate(size)
                raise
            file.truncate(self._nbytes)
            return mmap(file.fileno(), self._nbytes)

    def _take_over(self, path: Path) -> None:
        """Give a file that a process has left the name of this one's, if there is one."""
        for left in path.parent.glob(f"{self._name}-*"):
            if not is_running(_process(left)):
                with suppress(FileNotFoundError):  # another process was faster
                    left.rename(path)
                    return


def _process(path: Path) -> int:
    return int(path.name.rpartition("-")[2])
