"""Spans of requests, where OpenTelemetry is told to send some. It is an extra, and imported only then."""

import os
from collections.abc import Mapping
from typing import Any, Protocol

from app.http.traceparent import Parent

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""The variables by which OpenTelemetry is told where spans go; without one of them there are none."""


class Tracer(Protocol):
    """What makes spans."""

    def span(self, parent: Parent | None, began: int, entry: Mapping[str, Any]) -> dict[str, str]:
        """Tell of the request of a log entry, that ends now and `began` so many nanoseconds after the epoch. What the
        log is to say of it."""

    def close(self) -> None:
        """Send what has not been sent."""


def tracer_of(environment: Mapping[str, str] = os.environ) -> Tracer | None:
    """What makes the spans that OpenTelemetry's variables ask for; None if they ask for none, ModuleNotFoundError if it
    is not installed."""
    if not any(environment.get(name) for name in ENDPOINTS):
        return None
    try:
        from app.http.spans import Spans, exporting
    except ModuleNotFoundError as error:
        said = f"{' or '.join(ENDPOINTS)} is set, and {error.name} is not installed: requirements-otel.lock has it"
        raise ModuleNotFoundError(said, name=error.name) from None
    return Spans(exporting())
