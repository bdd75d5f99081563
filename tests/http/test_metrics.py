"""What is counted, and what is told of it."""

from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from app.http.budget.room import Share
from app.http.observing.metrics import FAMILIES, Metrics, slot
from app.spec.operators import OPERATORS
from tests.conftest import serving
from tests.http.service import BODY, Service

Samples = dict[str, list[tuple[dict[str, str], float]]]


def samples(text: str) -> Samples:
    found: Samples = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, []).append((sample.labels, sample.value))
    return found


def value(found: Samples, name: str, **labels: str) -> float:
    """The sum of all samples with these labels."""
    return sum(each for given, each in found.get(name, []) if labels.items() <= given.items())


def told(service: Service) -> Samples:
    return samples(service.get("/metrics").text)


def test_a_reduction_is_counted_by_all_that_is_known_of_it() -> None:
    service = Service()
    body = b'{"data": {"dtype": "float32", "values": [[3, 1, 2], [9, 7, 8]]}}'
    for _ in range(3):
        assert service.post("/v12/reduce_min", body).status_code == 200
    found = told(service)
    row = {"operator": "ReduceMin", "version": "12"}
    labels = row | {"format": "application/json", "dtype": "float32", "status": "200"}
    assert value(found, "keepdims_requests_total", **labels) == value(found, "keepdims_requests_total") == 3
    assert value(found, "keepdims_request_seconds_count", **row) == 3
    assert value(found, "keepdims_request_seconds_bucket", le="+Inf", **row) == 3
    assert value(found, "keepdims_read_bytes_total", format="application/json") == 3 * len(body)
    assert value(found, "keepdims_elements_total", operator="ReduceMin", dtype="float32") == 3 * 6
    assert value(found, "keepdims_refusals_total") == 0
    for phase in ("read", "decode", "compute", "encode"):
        assert value(found, "keepdims_phase_seconds_count", phase=phase) == 3
        assert 0 < value(found, "keepdims_phase_seconds_sum", phase=phase) < 60
    spent = value(found, "keepdims_phase_seconds_sum")
    assert value(found, "keepdims_request_seconds_sum", **row) == pytest.approx(spent)


def test_a_refusal_is_counted_by_its_reason() -> None:
    service = Service(api_keys="key", open_metrics=True)
    bearer = {"authorization": "Bearer key"}
    assert service.post("/v12/reduce_min", b"{", bearer).status_code == 400
    assert service.post("/v12/reduce_min", b'{"data": {"dtype": "float3", "values": [1]}}', bearer).status_code == 422
    assert service.post("/v2/models/reduce_min/infer", b"{", bearer).status_code == 400
    assert service.post("/v12/reduce_min", BODY).status_code == 401
    assert service.get("/v2/models/stats").status_code == 401
    assert service.get("/nowhere").status_code == 404
    assert service.get("/v2/nowhere").status_code == 404
    found = told(service)
    refused = {"malformed-body": 2, "unknown-dtype": 1, "unauthorized": 2, "not-found": 2}
    seen = {labels["reason"]: count for labels, count in found["keepdims_refusals_total"] if count}
    assert seen == refused
    assert value(found, "keepdims_requests_total", status="422", dtype="") == 1
    assert value(found, "keepdims_requests_total", format="open-inference", status="400") == 1


def test_memory_in_flight_is_told() -> None:
    service = Service(max_inflight_bytes=10**9)
    Share(service.room).take(12345)
    found = told(service)
    assert value(found, "keepdims_inflight_bytes") == 12345
    assert value(found, "keepdims_inflight_limit_bytes") == 10**9


def test_every_count_has_a_place_of_its_own() -> None:
    metrics = Metrics()
    places = [slot("keepdims_request_seconds", row.name, str(row.version)) for row in OPERATORS]
    places.append(slot("keepdims_inflight_bytes"))
    assert len(set(places)) == len(places)
    for at in places:
        metrics.add(at)
    found = samples(metrics.text().decode())
    assert value(found, "keepdims_request_seconds_count") == len(OPERATORS)
    assert value(found, "keepdims_inflight_bytes") == 1


@pytest.mark.parametrize("name", FAMILIES)
def test_an_unknown_value_has_no_place(name: str) -> None:
    labels = sum(len(each.names) for each in FAMILIES[name].labels)
    if labels:
        with pytest.raises(ValueError, match="not in"):
            slot(name, *["nothing"] * labels)


def test_seconds_fall_into_their_buckets() -> None:
    metrics = Metrics()
    at = slot("keepdims_phase_seconds", "read")
    for nanoseconds in (100_000, 100_001, 59_000_000_000, 61_000_000_000):
        metrics.observe(at, nanoseconds)
    found = samples(metrics.text().decode())
    below = {
        labels["le"]: count for labels, count in found["keepdims_phase_seconds_bucket"] if labels["phase"] == "read"
    }
    assert [below[bound] for bound in ("0.0001", "0.00025", "10.0", "60.0", "+Inf")] == [1, 2, 2, 3, 4]


def test_worker_processes_are_counted_together(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_WORKERS="2") as (url, _):
        for _ in range(30):  # each on a connection of its own, so that both processes get some
            assert httpx.post(f"{url}/v12/reduce_min", json=BODY, trust_env=False).status_code == 200
        for _ in range(5):
            found = samples(httpx.get(f"{url}/metrics", trust_env=False).text)
            assert value(found, "keepdims_requests_total", operator="ReduceMin") == 30
            assert value(found, "keepdims_inflight_limit_bytes") > 0
