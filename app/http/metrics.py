"""What is counted, and told at /metrics."""

import os

from fastapi import APIRouter, Response
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from app.spec.operators import Operator

MULTIPROCESS = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder where worker processes keep their counts; prometheus-client reads it when it is imported."""

_SECONDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60)


class Metrics:
    """The counts of one application. Every label has few values: a caller cannot make up one."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "keepdims_requests",
            "Reductions asked for, by what came of them; the dtype is empty where it never got so far.",
            ("operator", "version", "format", "dtype", "status"),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "keepdims_request_seconds",
            "From the header of a reduction's request to its answer, the wait for its body included.",
            ("operator", "version"),
            registry=self._registry,
            buckets=_SECONDS,
        )

    def text(self) -> bytes:
        """All counts, of all worker processes, as Prometheus reads them."""
        if MULTIPROCESS not in os.environ:
            return generate_latest(self._registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)


class Tally:
    """The counts of one operator version, with what does not change looked up once."""

    def __init__(self, metrics: Metrics, operator: Operator) -> None:
        self._names = operator.name, str(operator.version)
        self._requests = metrics.requests
        self._seconds = metrics.seconds.labels(*self._names)
        self._found: dict[tuple[str, str, int], Counter] = {}

    def count(self, given: str, dtype: str, status: int, seconds: float) -> None:
        """One request more, in the media type `given`, that was answered after so many seconds."""
        key = given, dtype, status
        counter = self._found.get(key)
        if counter is None:
            counter = self._found[key] = self._requests.labels(*self._names, given, dtype, str(status))
        counter.inc()
        self._seconds.observe(seconds)


def metrics_route(metrics: Metrics) -> APIRouter:
    """GET /metrics."""
    router = APIRouter()

    @router.api_route("/metrics", methods=["GET", "HEAD"], operation_id="metrics", summary="Counts, for Prometheus")
    def tell() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return router
