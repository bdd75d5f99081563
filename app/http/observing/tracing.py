"""Spans of requests, where OpenTelemetry is told to send some. It is an extra, and imported only then."""

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol

from app.http.observing.traceparent import Parent

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""The variables by which OpenTelemetry is told where spans go; without one of them there are none."""


class Tracer(Protocol):
    """What makes spans."""

    def span(self, parent: Parent | None, began: int, entry: Mapping[str, Any]) -> dict[str, str]:
        """Tell of the request of a log entry, that ends now and `began` so many nanoseconds after the epoch. What the
        log is to say of it."""

    def close(self) -> None:
        """Send what has not been sent."""


def check_tracing(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether OpenTelemetry's variables ask for spans; ModuleNotFoundError if they do, and it is not installed."""
    if not any(environment.get(name) for name in ENDPOINTS):
        return False
    try:
        import_module("app.http.observing.spans")
    except ModuleNotFoundError as error:
        said = f"{' or '.join(ENDPOINTS)} is set, but {error.name} is not installed: requirements-otel.lock has it"
        raise ModuleNotFoundError(said, name=error.name) from None
    return True


def tracer_of(environment: Mapping[str, str] = os.environ) -> Tracer | None:
    """What makes the spans that are asked for; None if there are to be none, ModuleNotFoundError as above."""
    if not check_tracing(environment):
        return None
    from app.http.observing.spans import Spans, exporting

    return Spans(exporting())
