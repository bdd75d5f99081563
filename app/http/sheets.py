"""Numbers that each worker process counts by itself, and any of them can add up.

Each process has a file of its own, which the others read: so none waits for another, and what a process counted stays
counted when it is gone. One process alone needs no file.
"""

import os
from collections.abc import Iterator
from mmap import mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


class Sheet:
    """`size` integers of 64 bits, of this process and of all that share a folder with it."""

    def __init__(self, folder: Path | None, name: str, size: int) -> None:
        """`folder`: None if this process is alone; `name` tells its sheets apart."""
        self._folder = folder
        self._name = name
        self._nbytes = 8 * size
        self.own = memoryview(bytearray(self._nbytes) if folder is None else self._mapped(folder)).cast("q")

    def all(self) -> Iterator[tuple[int, Numbers]]:
        """Every process's numbers, under its process id; also of those that are gone."""
        if self._folder is None:
            yield os.getpid(), np.frombuffer(self.own, np.int64)
            return
        for path in self._folder.glob(f"{self._name}-*"):
            numbers = np.fromfile(path, np.int64)
            if numbers.nbytes == self._nbytes:  # else it is being made
                yield int(path.name.rpartition("-")[2]), numbers

    def _mapped(self, folder: Path) -> mmap:
        """The file of this process, which goes on where a process of the same number has stopped."""
        path = folder / f"{self._name}-{os.getpid()}"
        with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.write(bytes(max(self._nbytes - size, 0)))  # a hole would take memory later, when there may be none
            file.truncate(self._nbytes)
            return mmap(file.fileno(), self._nbytes)
