"""A workload fills columns of a table; the rows of a column are measured in turn."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.client import Failed, Request
from benchmarks.process import Server
from benchmarks.timing import in_turn


@dataclass(frozen=True)
class Scale:
    """How much is measured: matrices by their shapes, the largest growing body as a power of ten, bytes to stream."""

    rounds: int
    seconds: float
    numbers: tuple[int, int]
    binaries: tuple[tuple[int, int], tuple[int, int]]
    growth: int
    stream: int


SCALES: dict[str, Scale] = {
    "tiny": Scale(1, 0.05, (10, 10), ((4, 16), (8, 16)), 4, 1 << 22),
    "quick": Scale(2, 1, (1000, 1000), ((1024, 1024), (4096, 4096)), 8, 300_000_000),
    "default": Scale(5, 1, (1000, 1000), ((1024, 1024), (4096, 4096)), 9, 3_000_000_000),
}


class Setting(NamedTuple):
    """What a run works with: the servers that run, the folder of virtual environments, how much is measured."""

    servers: Mapping[str, Server]
    environments: Path
    scale: Scale


class Subject(NamedTuple):
    """A server, what it is asked, and what a second connection asks of it meanwhile without a pause."""

    server: Server
    request: Request
    beside: Request | None = None


Rows = dict[str, Callable[[], Subject]]
"""What makes the subject of each row; Failed if the server's answer is wrong."""

Plan = Iterator[tuple[str, Rows]]
"""Columns: title and rows."""


class Workload(NamedTuple):
    """`measure` takes one measurement in `unit`: req/s, ms or MB."""

    table: str
    unit: str
    plan: Callable[[Setting], Plan]
    measure: Callable[[Setting, Subject], float]


class Column(NamedTuple):
    """Medians by row, or the words why there is none."""

    table: str
    title: str
    unit: str
    values: dict[str, float | str]


def columns(workload: Workload, setting: Setting) -> Iterator[Column]:
    """The columns of a workload, one after another."""
    for title, rows in workload.plan(setting):
        values: dict[str, float | str] = {}
        measures: dict[str, Callable[[], float]] = {}
        for row, subject in rows.items():
            try:
                measure = partial(workload.measure, setting, subject())
                measure()
                measures[row] = measure
            except Failed as reason:
                values[row] = str(reason)
        medians = map(median, in_turn(list(measures.values()), setting.scale.rounds))
        yield Column(workload.table, title, workload.unit, values | dict(zip(measures, medians, strict=True)))
