"""What is counted of each model version, in one process and in several."""

import json
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.http.observing.sheets import Sheet
from tests.conftest import serving
from tests.http.service import Service
from tests.inference import LENGTH, infer_path

GOOD = {"inputs": [{"name": "data", "datatype": "FP32", "shape": [2], "data": [3, 1]}]}


def statistics(answer: Any) -> dict[tuple[str, str], dict[str, Any]]:
    return {(item["name"], item["version"]): item for item in answer.json()["model_stats"]}


def test_requests_are_counted_by_model_version() -> None:
    service = Service()
    for _ in range(3):
        assert service.post(infer_path("reduce_min", 12), GOOD).status_code == 200
    assert service.post(infer_path("reduce_min"), b"{").status_code == 400
    everything = statistics(service.get("/v2/models/stats"))
    assert len(everything) == 53
    found = everything["reduce_min", "12"]
    assert (found["inference_count"], found["execution_count"]) == (3, 3)
    spent = found["inference_stats"]
    assert {name: item["count"] for name, item in spent.items()} == {
        **dict.fromkeys(("success", "queue", "compute_input", "compute_infer", "compute_output"), 3),
        **dict.fromkeys(("fail", "cache_hit", "cache_miss"), 0),
    }
    parts = ("queue", "compute_input", "compute_infer", "compute_output")
    assert spent["success"]["ns"] == sum(spent[part]["ns"] for part in parts) > 0
    assert spent["compute_infer"]["ns"] > 0
    assert found["last_inference"] > 1_700_000_000_000
    failed = everything["reduce_min", "20"]
    assert (failed["inference_count"], failed["inference_stats"]["fail"]["count"]) == (0, 1)
    assert everything["reduce_max", "20"]["last_inference"] == 0


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{", {}, 400),
        (b"{", {LENGTH: "x"}, 400),
        (b"{", {LENGTH: "2"}, 400),
        (b"{", {"content-encoding": "br"}, 415),
        (json.dumps(GOOD).encode(), {"content-encoding": "gzip"}, 400),
        (b" " * 10_000, {}, 400),
    ],
)
def test_a_refusal_takes_time_too(content: bytes, headers: dict[str, str], status: int) -> None:
    service = Service()
    assert service.post(infer_path("reduce_min", 12), content, headers).status_code == status
    found = statistics(service.get("/v2/models/reduce_min/versions/12/stats"))["reduce_min", "12"]["inference_stats"]
    assert found["fail"]["count"] == 1
    assert found["fail"]["ns"] > 1000
    assert found["success"] == {"count": 0, "ns": 0}


def test_a_model_without_a_version_has_all_of_them() -> None:
    service = Service()
    found = statistics(service.get("/v2/models/arg_min/stats"))
    assert list(found) == [("arg_min", "1"), ("arg_min", "11"), ("arg_min", "12"), ("arg_min", "13")]
    assert list(statistics(service.get("/v2/models/arg_min/versions/11/stats"))) == [("arg_min", "11")]


def test_a_sheet_has_no_holes(tmp_path: Path) -> None:
    for _ in range(2):  # the second goes on where the first has stopped
        sheet = Sheet(tmp_path, "some", 1 << 16)
        sheet.own[7] += 1
    (path,) = tmp_path.iterdir()
    with path.open("rb") as file:
        assert os.lseek(file.fileno(), 0, os.SEEK_HOLE) == 1 << 19
    ((_, numbers),) = sheet.all()
    assert (numbers[7], numbers.sum(), numbers.size) == (2, 2, 1 << 16)


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("workers"), KEEPDIMS_WORKERS="2", KEEPDIMS_SHARED_MEMORY="1") as (url, _):
        yield url


def test_all_worker_processes_count_together(workers: str) -> None:
    def ask(_: int) -> int:  # a connection of its own: whichever process takes it
        return httpx.post(workers + infer_path("reduce_sum", 13), content=json.dumps(GOOD), trust_env=False).status_code

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(ask, range(60))) == {200}
    for _ in range(10):
        found = statistics(httpx.get(f"{workers}/v2/models/reduce_sum/versions/13/stats", trust_env=False))
        assert found["reduce_sum", "13"]["inference_count"] == 60


def test_all_worker_processes_know_a_region(workers: str) -> None:
    memory = Path("/dev/shm/keepdims-test-workers")
    memory.write_bytes(bytes(8))
    try:
        region = {"key": f"/{memory.name}", "offset": 0, "byte_size": 8}
        path = f"{workers}/v2/systemsharedmemory/region/one"
        assert httpx.post(f"{path}/register", json=region, trust_env=False).status_code == 200
        for _ in range(20):
            assert httpx.get(f"{path}/status", trust_env=False).json() == [{"name": "one", **region}]
        assert httpx.post(f"{path}/unregister", trust_env=False).status_code == 200
        assert {httpx.get(f"{path}/status", trust_env=False).status_code for _ in range(20)} == {404}
    finally:
        memory.unlink()


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    log = tmp_path / "log"
    log.mkdir()
    with serving(log, KEEPDIMS_WORKERS="2") as (url, _):
        assert httpx.post(url + infer_path("reduce_sum"), content=json.dumps(GOOD), trust_env=False).status_code == 200
        assert list(tmp_path.glob("keepdims-*/models-*"))
    assert list(tmp_path.glob("keepdims-*")) == []
