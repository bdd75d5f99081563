"""Spans as OpenTelemetry makes them, named by its conventions for HTTP."""

from collections.abc import Mapping
from threading import Thread
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from app import __version__
from app.http.observing.traceparent import Parent

PARTING = 3.0
"""Seconds that a process which ends spends on its last spans."""

NAMES = {
    "method": "http.request.method",
    "path": "url.path",
    "status": "http.response.status_code",
    "reason": "error.type",
    "read": "http.request.body.size",
    "sent": "http.response.body.size",
    "operator": "keepdims.operator",
    "version": "keepdims.version",
    "format": "keepdims.format",
    "dtype": "keepdims.dtype",
    "elements": "keepdims.elements",
}
"""The members of a log entry that a span has too, and their names as attributes."""


class Spans:
    """Makes them, each when its request has been answered."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("keepdims", __version__)

    def span(self, parent: Parent | None, began: int, entry: Mapping[str, Any]) -> dict[str, str]:
        """See `Tracer`."""
        attributes = {name: entry[member] for member, name in NAMES.items() if member in entry}
        for phase, seconds in entry.get("phases", {}).items():
            attributes[f"keepdims.seconds.{phase}"] = seconds
        name = f"{entry['method']} {entry['path']}" if "operator" in entry else entry["method"]
        context = None if parent is None else set_span_in_context(_remote(parent))
        span = self._tracer.start_span(name, context, SpanKind.SERVER, attributes, start_time=began)
        if entry.get("status", 0) >= 500:
            span.set_status(Status(StatusCode.ERROR))
        span.end()
        made = span.get_span_context()
        return {"trace_id": f"{made.trace_id:032x}", "span_id": f"{made.span_id:016x}"}

    def close(self) -> None:
        """Send the last spans, if anything takes them in time."""
        sending = Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        sending.join(PARTING)


def exporting() -> TracerProvider:
    """What sends spans where OpenTelemetry's variables say, as the service that they name, or ours."""
    ours = Resource.create({"service.name": "keepdims", "service.version": __version__})
    provider = TracerProvider(resource=ours.merge(OTELResourceDetector().detect()))  # they may name us otherwise
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _remote(parent: Parent) -> NonRecordingSpan:
    flags = TraceFlags(TraceFlags.SAMPLED if parent.sampled else TraceFlags.DEFAULT)
    return NonRecordingSpan(SpanContext(int(parent.trace_id, 16), int(parent.span_id, 16), True, flags))
