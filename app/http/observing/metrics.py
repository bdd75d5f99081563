"""What is counted, and told at /metrics.

Every label has values that are known beforehand, and few: a caller cannot make one up. So each count has its slot in a
sheet of numbers, and costs an addition.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from fastapi import APIRouter, Response
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from app.errors import TimeUp
from app.http.budget.phases import PHASES
from app.http.observing.sheets import Numbers, Sheet, is_running
from app.http.problems import PROBLEMS, REASONS, STATUSES
from app.spec.dtypes import ONNX_NAMES
from app.spec.operators import OPERATORS
from app.tensors.formats import FORMATS

OPEN_INFERENCE = "open-inference"
"""What counts and logs call the format of bodies of the Open Inference Protocol."""

DISCONNECTED, TIME_UP = "disconnected", PROBLEMS[TimeUp].reason
"""Why work was given up."""

_BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)
"""Seconds; what took longer has a bucket of its own."""

_LIMITS = tuple(round(seconds * 1e9) for seconds in _BUCKETS)
_SHORTEST = _LIMITS[0]
_SUM = len(_BUCKETS) + 1
"""Where the sum of nanoseconds stands in the numbers of a histogram, behind those of its buckets."""

_SHOWN = 40
"""Families with at most this many label combinations show those that have not occurred, too."""


class Labels(NamedTuple):
    """Labels that go together, and the values they have."""

    names: tuple[str, ...]
    values: Sequence[tuple[str, ...]]


class Family(NamedTuple):
    """Numbers of one meaning, one for each combination of its axes' values."""

    kind: type[CounterMetricFamily] | type[GaugeMetricFamily] | type[HistogramMetricFamily]
    meaning: str
    labels: tuple[Labels, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """How its numbers lie: several for each combination where it is a histogram."""
        width = _SUM + 1 if self.kind is HistogramMetricFamily else 1
        return *(len(each.values) for each in self.labels), width

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return prod(self.shape)


def _labels(label: str, values: Sequence[str]) -> Labels:
    return Labels((label,), [(value,) for value in values])


_ROWS = Labels(("operator", "version"), [(row.name, str(row.version)) for row in OPERATORS])
_OPERATORS = _labels("operator", tuple(dict.fromkeys(row.name for row in OPERATORS)))
_FORMATS = _labels("format", ("", OPEN_INFERENCE, *FORMATS))
_DTYPES = _labels("dtype", ("", *ONNX_NAMES))
_STATUSES = _labels("status", [str(status) for status in STATUSES])

# fmt: off
FAMILIES: dict[str, Family] = {
    "keepdims_requests": Family(
        CounterMetricFamily, "Reductions asked for, by what came of them; without a dtype where it never got so far.",
        (_ROWS, _FORMATS, _DTYPES, _STATUSES)),
    "keepdims_request_seconds": Family(
        HistogramMetricFamily, "From the head of a reduction's request to its answer, the wait for its body included.",
        (_ROWS,)),
    "keepdims_phase_seconds": Family(
        HistogramMetricFamily, "The same time by where it went; of what happens at once, what had to be waited for.",
        (_labels("phase", PHASES),)),
    "keepdims_read_bytes": Family(
        CounterMetricFamily, "Bytes of bodies that were read.", (_FORMATS,)),
    "keepdims_elements": Family(
        CounterMetricFamily, "Elements that were reduced.", (_OPERATORS, _DTYPES)),
    "keepdims_refusals": Family(
        CounterMetricFamily, "Requests of all kinds that were refused, by the type of the problem.",
        (_labels("reason", REASONS),)),
    "keepdims_abandoned": Family(
        CounterMetricFamily, "Reductions that were given up, because the client left or its time was up.",
        (_labels("reason", (DISCONNECTED, TIME_UP)),)),
    "keepdims_inflight_bytes": Family(
        GaugeMetricFamily, "Memory that requests hold now."),
    "keepdims_inflight_limit_bytes": Family(
        GaugeMetricFamily, "Memory that requests may hold."),
}
# fmt: on

_ENDS = list(accumulate(family.size for family in FAMILIES.values()))
_STARTS = dict(zip(FAMILIES, (0, *_ENDS), strict=False))


class Metrics(Collector):
    """The counts of one application, or of all its worker processes."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: what the worker processes share, None if there is one alone."""
        self._sheet = Sheet(folder, "metrics", _ENDS[-1])
        self.numbers = self._sheet.own
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def add(self, slot: int, more: int = 1) -> None:
        """A count is so many more."""
        self.numbers[slot] += more

    def observe(self, slot: int, nanoseconds: int) -> None:
        """A histogram has one more."""
        numbers = self.numbers
        numbers[slot if nanoseconds <= _SHORTEST else slot + bisect_left(_LIMITS, nanoseconds)] += 1
        numbers[slot + _SUM] += nanoseconds

    def holds(self, taken: int, size: int) -> None:
        """Requests of this process hold so many bytes now, and may hold so many."""
        self.numbers[_STARTS["keepdims_inflight_bytes"]] = taken
        self.numbers[_STARTS["keepdims_inflight_limit_bytes"]] = size

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """What the registry asks for."""
        sheets = list(self._sheet.all())
        counted: Numbers = np.sum([numbers for _, numbers in sheets], axis=0)
        running: Numbers = np.sum([numbers for process, numbers in sheets if is_running(process)], axis=0)
        for name, family in FAMILIES.items():
            numbers = running if family.kind is GaugeMetricFamily else counted
            start = _STARTS[name]
            yield _told(name, family, numbers[start : start + family.size].reshape(family.shape))


def slot(name: str, *values: str) -> int:
    """Where the numbers of a combination of label values begin; KeyError if there is no such family, ValueError if
    there is no such value."""
    family = FAMILIES[name]
    given = iter(values)
    found = 0
    for labels in family.labels:
        found = found * len(labels.values) + labels.values.index(tuple(next(given) for _ in labels.names))
    return _STARTS[name] + found * family.shape[-1]


def _told(name: str, family: Family, numbers: Numbers) -> Metric:
    """A family as the registry has it."""
    told = family.kind(name, family.meaning, labels=[name for labels in family.labels for name in labels.names])
    combinations = numbers.shape[:-1]
    every = prod(combinations) <= _SHOWN
    for index in np.ndindex(combinations) if every else map(tuple, np.argwhere(numbers.any(axis=-1)).tolist()):
        labels = [value for each, at in zip(family.labels, index, strict=True) for value in each.values[at]]
        seen = numbers[index].tolist()
        if isinstance(told, HistogramMetricFamily):
            below = zip((*map(floatToGoString, _BUCKETS), "+Inf"), accumulate(seen[:_SUM]), strict=True)
            told.add_metric(labels, list(below), seen[_SUM] / 1e9)
        else:
            told.add_metric(labels, seen[0])
    return told


def metrics_route(metrics: Metrics) -> APIRouter:
    """GET /metrics."""
    router = APIRouter()

    @router.api_route("/metrics", methods=["GET", "HEAD"], operation_id="metrics", summary="Counts, for Prometheus")
    def tell() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return router
