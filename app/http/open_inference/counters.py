"""How often a model was asked, and how long it took: counts of every worker process, for whichever is asked.

Each process counts in a file of its own, which the others read: so none waits for another, and what a process
counted stays counted when it is gone. One process alone needs no file.
"""

import os
from mmap import mmap
from pathlib import Path
from time import time_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.http.phases import Phases
from app.spec.operators import OPERATORS, Operator

FIELDS = ("success", "success_ns", "fail", "fail_ns", "queue_ns", "input_ns", "infer_ns", "output_ns", "last_ms")
"""What is counted of a model version; all but `last_ms`, when it was last asked, are sums."""

_LAST = FIELDS.index("last_ms")
_PATTERN = "counts-*"
_ROWS = {(operator.name, operator.version): row for row, operator in enumerate(OPERATORS)}
_SHAPE = len(OPERATORS), len(FIELDS)


class Counters:
    """The counts of all processes that share `folder`, or of this one alone."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._own: NDArray[Any] = np.zeros(_SHAPE, np.int64) if folder is None else _mapped(folder)

    def count(self, operator: Operator, phases: Phases, answered: bool) -> None:
        """One request more; called on one thread."""
        _, queue, decode, compute, encode = phases.spent
        row = self._own[_ROWS[operator.name, operator.version]]
        spent = queue + decode + compute + encode
        if answered:
            row[:_LAST] += (1, spent, 0, 0, queue, decode, compute, encode)
        else:
            row[2:4] += (1, spent)
        row[_LAST] = time_ns() // 1_000_000

    def read(self) -> dict[Operator, dict[str, int]]:
        """What was counted of each operator version in all processes, by field."""
        if self._folder is None:
            counted = self._own[np.newaxis]
        else:
            files = [np.fromfile(path, np.int64) for path in self._folder.glob(_PATTERN)]
            counted = np.array([found.reshape(_SHAPE) for found in files if found.size == self._own.size])
        sums = counted.sum(0)
        sums[:, _LAST] = counted[..., _LAST].max(0)
        rows = (dict(zip(FIELDS, row, strict=True)) for row in sums.tolist())
        return dict(zip(OPERATORS, rows, strict=True))


def _mapped(folder: Path) -> NDArray[Any]:
    """The counts of this process in its file, which goes on where a process of the same number has stopped."""
    size = _SHAPE[0] * _SHAPE[1] * 8
    with os.fdopen(os.open(folder / f"counts-{os.getpid()}", os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        file.truncate(size)
        return np.frombuffer(mmap(file.fileno(), size), np.int64).reshape(_SHAPE)
