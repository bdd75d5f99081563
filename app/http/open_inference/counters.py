"""How often a model was asked, and how long it took: counts of every worker process, for whichever is asked."""

from pathlib import Path
from time import time_ns

import numpy as np

from app.http.budget.phases import Phases
from app.http.observing.sheets import Sheet
from app.spec.operators import OPERATORS, Operator

FIELDS = ("success", "success_ns", "fail", "fail_ns", "queue_ns", "input_ns", "infer_ns", "output_ns", "last_ms")
"""What is counted of a model version; all but `last_ms`, when it was last asked, are sums."""

_LAST = FIELDS.index("last_ms")
_SHAPE = len(OPERATORS), len(FIELDS)
_SIZE = len(OPERATORS) * len(FIELDS)
_ROWS = {(row.name, row.version): start for row, start in zip(OPERATORS, range(0, _SIZE, len(FIELDS)), strict=True)}
"""Where the fields of an operator version begin."""


class Counters:
    """The counts of all processes that share `folder`, or of this one alone."""

    def __init__(self, folder: Path | None) -> None:
        self._sheet = Sheet(folder, "models", _SIZE)
        self._own = self._sheet.own

    def count(self, operator: Operator, phases: Phases, answered: bool) -> None:
        """One request more; called on one thread."""
        read, queue, decode, compute, encode = phases.spent
        spent = queue + decode + compute + encode
        own, row = self._own, _ROWS[operator.name, operator.version]
        if answered:
            for field, more in enumerate((1, spent, 0, 0, queue, decode, compute, encode), row):
                own[field] += more
        else:
            own[row + 2] += 1
            own[row + 3] += read + spent
        own[row + _LAST] = time_ns() // 1_000_000

    def read(self) -> dict[Operator, dict[str, int]]:
        """What was counted of each operator version in all processes, by field."""
        counted = np.array([numbers.reshape(_SHAPE) for _, numbers in self._sheet.all()])
        sums = counted.sum(0)
        sums[:, _LAST] = counted[..., _LAST].max(0)
        rows = (dict(zip(FIELDS, row, strict=True)) for row in sums.tolist())
        return dict(zip(OPERATORS, rows, strict=True))
