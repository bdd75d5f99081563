"""Whose part a request is, and the spans that are sent of it."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from app import __version__
from app.http.observing.spans import Spans, exporting
from app.http.observing.traceparent import Parent, parent_of
from app.http.observing.tracing import tracer_of
from tests.conftest import serving
from tests.http.service import BODY

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (f"00-{TRACE}-{SPAN}-01", Parent(TRACE, SPAN, True)),
        (f" 00-{TRACE}-{SPAN}-00 ", Parent(TRACE, SPAN, False)),
        (f"00-{TRACE}-{SPAN}-03", Parent(TRACE, SPAN, True)),
        (f"01-{TRACE}-{SPAN}-01-more", Parent(TRACE, SPAN, True)),
        (f"00-{TRACE}-{SPAN}-01-more", None),
        (f"01-{TRACE}-{SPAN}-01more", None),
        (f"ff-{TRACE}-{SPAN}-01", None),
        (f"00-{'0' * 32}-{SPAN}-01", None),
        (f"00-{TRACE}-{'0' * 16}-01", None),
        (f"00-{TRACE.upper()}-{SPAN}-01", None),
        (f"00-{TRACE}-{SPAN}", None),
        (f"00-{TRACE}-{SPAN}-01, 00-{TRACE}-{SPAN}-01", None),
        ("", None),
    ],
)
def test_traceparent_is_read_as_it_is_specified(given: str, found: Parent | None) -> None:
    assert parent_of(given.encode()) == found


def test_a_span_says_what_the_log_says() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans = Spans(provider)
    entry = {
        "method": "POST",
        "path": "/v12/reduce_min",
        "operator": "ReduceMin",
        "status": 200,
        "phases": {"read": 5e-9, "encode": 2e-9},
    }
    told = spans.span(Parent(TRACE, SPAN, True), 1_000, entry)
    assert told["trace_id"] == TRACE
    spans.span(None, 1_000, {"method": "GET", "path": "/secret", "status": 503})
    spans.span(Parent(TRACE, SPAN, False), 1_000, entry)  # whoever asks does not record it
    spans.close()
    first, other = exporter.get_finished_spans()
    assert first.name == "POST /v12/reduce_min"
    assert first.parent is not None
    assert first.parent.span_id == int(SPAN, 16)
    assert first.context.span_id == int(told["span_id"], 16)
    assert first.start_time == 1_000
    assert first.attributes is not None
    assert first.attributes["http.response.status_code"] == 200
    assert first.attributes["keepdims.operator"] == "ReduceMin"
    assert first.attributes["keepdims.seconds.encode"] == 2e-9
    assert other.name == "GET"  # a path that anybody may make up is no name
    assert other.parent is None
    assert other.status.status_code is StatusCode.ERROR


def test_there_are_no_spans_unless_they_are_asked_for() -> None:
    assert tracer_of({}) is None
    assert tracer_of({"OTEL_EXPORTER_OTLP_ENDPOINT": ""}) is None


@pytest.mark.parametrize(("given", "name"), [({}, "keepdims"), ({"OTEL_SERVICE_NAME": "mine"}, "mine")])
def test_spans_say_whose_they_are(given: dict[str, str], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    provider = exporting()
    provider.shutdown()
    assert provider.resource.attributes["service.name"] == name
    assert provider.resource.attributes["service.version"] == __version__


def test_spans_go_where_the_environment_says(tmp_path: Path) -> None:
    received: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Not to the terminal."""

    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        endpoint = f"http://127.0.0.1:{collector.server_port}"
        with serving(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=endpoint, no_proxy="*") as (url, _):
            headers = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
            assert httpx.post(f"{url}/v12/reduce_min", json=BODY, headers=headers, trust_env=False).status_code == 200
        collector.shutdown()
        thread.join()
    spans = [
        span
        for body in received
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    (ours,) = (span for span in spans if span.trace_id.hex() == TRACE)
    assert ours.parent_span_id.hex() == SPAN
    assert ours.name == "POST /v12/reduce_min"
