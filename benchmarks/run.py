"""One run: servers first, kernels after them, with a word to stderr as each thing is done."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import kernels, report
from benchmarks.columns import SCALES, Column, Setting, columns
from benchmarks.kernels import Choice, Row
from benchmarks.machine import machine, versions
from benchmarks.peers import FLOOR, OURS, PEERS
from benchmarks.process import all_serving
from benchmarks.workloads import WORKLOADS


@dataclass
class Results:
    """All that a run found; `absent` are the servers that were not there, with the reason."""

    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())
    machine: dict[str, str] = field(default_factory=machine)
    versions: dict[str, str] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    columns: list[Column] = field(default_factory=list)
    kernels: list[Row] = field(default_factory=list)

    def markdown(self) -> str:
        """Every table that there is something in."""
        parts = [f"### Machine\n\nMeasured on {self.date}.\n\n" + report.pairs(("", ""), self.machine | self.versions)]
        parts += [
            report.section(name, chosen)
            for name in report.TITLES
            if (chosen := [column for column in self.columns if column.table == name])
        ]
        if missing := self.absent | report.failures(self.columns):
            parts.append("### Not measured\n\n" + report.pairs(("", "why"), missing))
        if self.columns:
            notes = {name: peer.note for name, peer in PEERS.items()}
            parts.append("### How the servers are set up\n\n" + report.pairs(("", ""), notes))
        if self.kernels:
            parts.append(report.kernels(self.kernels))
        return "\n".join(parts)


def run(
    scale: str, workloads: Sequence[str], peers: Sequence[str], environments: Path, choices: Sequence[Choice]
) -> Results:
    """Measure the workloads on the floor, on keepdims and on the peers, and the kernels of `choices`."""
    results = Results()
    with ExitStack() as stack:
        if workloads:
            names = [name for name in PEERS if name in {FLOOR, OURS, *peers}]
            servers, results.absent = all_serving(names, environments, stack)
            for name, reason in results.absent.items():
                _say(f"{name}: skipped, {reason}")
            setting = Setting(servers, environments, SCALES[scale])
            for name in workloads:
                for column in columns(WORKLOADS[name], setting):
                    results.columns.append(column)
                    _say(f"{column.title}, {column.unit}: {column.values}")
        else:
            servers = {}
        results.versions = versions(servers)
    if choices:
        _say(report.table(report.LIVE_TITLES, []).rstrip())
    for choice in choices:
        for row in kernels.rows(choice):
            results.kernels.append(row)
            _say(f"| {' | '.join(report.live(row))} |")
    return results


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
