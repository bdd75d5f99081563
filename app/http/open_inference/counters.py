"""How often a model was asked, and how long it took: counts of every worker process, for whichever is asked.

Each process counts in a file of its own, which the others read: so none waits for another, and what a process
counted stays counted when it is gone. One process alone needs no file.
"""

import os
from mmap import mmap
from pathlib import Path
from time import time_ns

import numpy as np

from app.http.phases import Phases
from app.spec.operators import OPERATORS, Operator

FIELDS = ("success", "success_ns", "fail", "fail_ns", "queue_ns", "input_ns", "infer_ns", "output_ns", "last_ms")
"""What is counted of a model version; all but `last_ms`, when it was last asked, are sums."""

_LAST = FIELDS.index("last_ms")
_PATTERN = "counts-*"
_SHAPE = len(OPERATORS), len(FIELDS)
_SIZE = 8 * len(OPERATORS) * len(FIELDS)
_ROWS = {
    (row.name, row.version): start for row, start in zip(OPERATORS, range(0, _SIZE // 8, len(FIELDS)), strict=True)
}
"""Where the fields of an operator version begin."""


class Counters:
    """The counts of all processes that share `folder`, or of this one alone."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._own = memoryview(bytearray(_SIZE) if folder is None else _mapped(folder)).cast("q")

    def count(self, operator: Operator, phases: Phases, answered: bool) -> None:
        """One request more; called on one thread."""
        _, queue, decode, compute, encode = phases.spent
        spent = queue + decode + compute + encode
        own, row = self._own, _ROWS[operator.name, operator.version]
        if answered:
            for field, more in enumerate((1, spent, 0, 0, queue, decode, compute, encode), row):
                own[field] += more
        else:
            own[row + 2] += 1
            own[row + 3] += spent
        own[row + _LAST] = time_ns() // 1_000_000

    def read(self) -> dict[Operator, dict[str, int]]:
        """What was counted of each operator version in all processes, by field."""
        if self._folder is None:
            files = [np.frombuffer(self._own, np.int64)]
        else:
            files = [np.fromfile(path, np.int64) for path in self._folder.glob(_PATTERN)]
        counted = np.array([found.reshape(_SHAPE) for found in files if found.nbytes == _SIZE])
        sums = counted.sum(0)
        sums[:, _LAST] = counted[..., _LAST].max(0)
        rows = (dict(zip(FIELDS, row, strict=True)) for row in sums.tolist())
        return dict(zip(OPERATORS, rows, strict=True))


def _mapped(folder: Path) -> mmap:
    """The counts of this process in its file, which goes on where a process of the same number has stopped."""
    with os.fdopen(os.open(folder / f"counts-{os.getpid()}", os.O_RDWR | os.O_CREAT, 0o600), "r+b") as file:
        file.truncate(_SIZE)
        return mmap(file.fileno(), _SIZE)
