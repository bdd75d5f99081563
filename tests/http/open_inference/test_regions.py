"""System shared memory: what is registered is checked at every request, and nothing beyond it is touched."""

import os
import sys
from collections.abc import Iterator
from errno import ENOSPC
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.http.service import Service
from tests.inference import infer_path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files of shared memory are Linux's")

MIN = infer_path("reduce_min", 20)
SIZE = 1 << 16


@pytest.fixture(scope="module")
def service() -> Service:
    return Service(shared_memory=True)


@pytest.fixture
def memory(service: Service) -> Iterator[Path]:
    """Shared memory of 64 KiB of float32 elements 1, 2, …, registered as "in"."""
    path = Path(f"/dev/shm/keepdims-test-{os.getpid()}")
    path.write_bytes(np.arange(1, SIZE // 4 + 1, dtype=np.float32).tobytes())
    assert register(service, "in", path.name, 0, SIZE).status_code == 200
    yield path
    service.post("/v2/systemsharedmemory/unregister")
    path.unlink(missing_ok=True)


def register(service: Service, name: str, key: Any, offset: Any, size: Any) -> Any:
    asked = {"key": key, "offset": offset, "byte_size": size}
    return service.post(f"/v2/systemsharedmemory/region/{name}/register", asked)


def infer(service: Service, shape: list[int], offset: int = 0, datatype: str = "FP32", **output: Any) -> Any:
    size = int(np.prod(shape)) * {"FP32": 4, "BOOL": 1, "FP64": 8}[datatype]
    where = {"shared_memory_region": "in", "shared_memory_byte_size": size, "shared_memory_offset": offset}
    asked: dict[str, Any] = {"inputs": [{"name": "data", "datatype": datatype, "shape": shape, "parameters": where}]}
    if output:
        asked["outputs"] = [{"name": "reduced", "parameters": output}]
    return service.post(MIN, asked)


def test_a_tensor_is_read_where_it_is(service: Service, memory: Path) -> None:
    for offset, least in ((0, 1), (64, 17), (SIZE - 4096, SIZE / 4 - 1023)):
        assert infer(service, [1024], offset).json()["outputs"][0]["data"] == [least]
    assert infer(service, [SIZE // 4]).json()["outputs"][0]["data"] == [1]
    assert infer(service, [0, 3]).json()["outputs"][0]["shape"] == [1, 1]


def test_a_tensor_may_begin_at_an_odd_place(service: Service, memory: Path) -> None:
    content = memory.read_bytes()
    memory.write_bytes(b"\0" + content[:-1])
    assert infer(service, [1024], 1).json()["outputs"][0]["data"] == [1]


def test_an_answer_is_put_where_it_is_wanted(service: Service, memory: Path) -> None:
    before = memory.read_bytes()
    where: dict[str, Any] = {"shared_memory_region": "in", "shared_memory_byte_size": 16, "shared_memory_offset": 8}
    (found,) = infer(service, [1024], 64, **where).json()["outputs"]
    assert found == {
        "name": "reduced",
        "datatype": "FP32",
        "shape": [1],
        "parameters": {**where, "shared_memory_byte_size": 4},
    }
    assert memory.read_bytes() == before[:8] + np.float32(17).tobytes() + before[12:]


def test_an_answer_that_does_not_fit_changes_nothing(service: Service, memory: Path) -> None:
    before = memory.read_bytes()
    response = infer(service, [4], shared_memory_region="in", shared_memory_byte_size=3)
    assert (response.status_code, memory.read_bytes()) == (400, before)
    assert "the answer takes 4 bytes" in response.json()["error"]


def test_axes_may_be_in_shared_memory_too(service: Service, memory: Path) -> None:
    memory.write_bytes(np.array([1, 0], np.int64).tobytes() + bytes(SIZE))
    where = {"shared_memory_region": "in", "shared_memory_byte_size": 8}
    data = {"name": "data", "datatype": "FP32", "shape": [2, 2], "data": [4, 3, 2, 1]}
    axes = {"name": "axes", "datatype": "INT64", "shape": [1], "parameters": where}
    assert service.post(MIN, {"inputs": [data, axes]}).json()["outputs"][0]["data"] == [3, 1]


def test_what_is_registered_is_told(service: Service, memory: Path) -> None:
    known = {"name": "in", "key": memory.name, "offset": 0, "byte_size": SIZE}
    assert service.get("/v2/systemsharedmemory/status").json() == [known]
    assert service.get("/v2/systemsharedmemory/region/in/status").json() == [known]
    assert service.get("/v2/systemsharedmemory/region/x/status").status_code == 404
    assert register(service, "in", memory.name, 0, 8).status_code == 400
    assert register(service, "a%2Fb.", memory.name, 8, 8).status_code == 200
    assert len(service.get("/v2/systemsharedmemory/status").json()) == 2
    for same in ("a%2Fb.", "a%2fb%2E", "a/b."):  # Triton's client leaves the slash as it is
        assert service.get(f"/v2/systemsharedmemory/region/{same}/status").json()[0]["name"] == "a/b."
    for _ in range(2):
        assert service.post("/v2/systemsharedmemory/region/a%2Fb./unregister").status_code == 200
    assert service.get("/v2/systemsharedmemory/status").json() == [known]


def test_a_name_must_be_utf8(service: Service, memory: Path) -> None:
    for ask in (service.get, service.post):
        for name in ("%FF", "a%80", "%ED%A0%80"):
            what = "status" if ask == service.get else "register"
            response = ask(f"/v2/systemsharedmemory/region/{name}/{what}")
            assert response.status_code == 400
            assert "not UTF-8" in response.json()["error"]
    assert register(service, "%E2%82%AC", memory.name, 0, 8).status_code == 200
    assert service.get("/v2/systemsharedmemory/region/%E2%82%AC/status").json()[0]["name"] == "\u20ac"
    assert service.get("/v2/systemsharedmemory/region/in%2Fstatus").status_code == 404
    assert service.get(f"/v2/systemsharedmemory/region/{'n' * 500}/status").status_code == 404


@pytest.mark.parametrize("shape", [[4], [0]])
def test_an_answer_needs_its_region_even_if_it_is_empty(service: Service, memory: Path, shape: list[int]) -> None:
    tensor = {"name": "data", "datatype": "FP32", "shape": [*shape, 2], "data": [1.0, 2.0] * shape[0]}
    axes = {"name": "axes", "datatype": "INT64", "shape": [1], "data": [1]}
    for name, offset in (("nowhere", 0), ("in", SIZE + 1)):
        where = {"shared_memory_region": name, "shared_memory_byte_size": 16, "shared_memory_offset": offset}
        outputs = [{"name": "reduced", "parameters": where}]
        response = service.post(MIN, {"inputs": [tensor, axes], "outputs": outputs})
        assert response.status_code == 400, response.text
        assert name in response.json()["error"]


def test_offsets_count_from_where_the_region_begins(service: Service, memory: Path) -> None:
    service.post("/v2/systemsharedmemory/unregister")
    assert register(service, "in", memory.name, 4096, 4096).status_code == 200
    assert infer(service, [4], 64).json()["outputs"][0]["data"] == [1041]
    assert infer(service, [1024]).status_code == 200
    response = infer(service, [1024], 4)
    assert response.status_code == 400
    assert "not all in the region" in response.json()["error"]


def test_what_cannot_be_written_down_is_refused(
    service: Service, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        response = register(service, "new", memory.name, 0, 8)
    assert response.status_code == 503
    assert "no space left" in response.json()["error"]
    assert register(service, "new", memory.name, 0, 8).status_code == 200


@pytest.mark.parametrize("change", ["cut", "gone", "another"])
def test_memory_that_changed_is_refused(service: Service, memory: Path, change: str) -> None:
    if change == "cut":
        os.truncate(memory, SIZE - 1)
    else:
        memory.unlink()
    if change == "another":
        memory.mkdir()
    response = infer(service, [4])
    if change == "another":
        memory.rmdir()
    assert response.status_code == 400
    assert '"in"' in response.json()["error"]


def test_an_unknown_region_is_refused(service: Service) -> None:
    response = infer(service, [4])
    assert (response.status_code, response.json()["error"]) == (400, 'no region is registered as "in"')


@pytest.mark.parametrize(
    ("key", "offset", "size"),
    [
        ("../etc/passwd", 0, 4),
        ("/../etc/passwd", 0, 4),
        ("..", 0, 4),
        ("", 0, 4),
        ("/", 0, 4),
        ("a\0b", 0, 4),
        ("nothing-there", 0, 4),
        (3, 0, 4),
        ("x", -1, 4),
        ("x", 0, "4"),
        ("x", 0, None),
        ("x", 0.5, 4),
        ("x", True, 4),
        ("x", 2**62, 4),
    ],
)
def test_what_cannot_be_registered(service: Service, key: Any, offset: Any, size: Any) -> None:
    response = register(service, "bad", key, offset, size)
    assert response.status_code == 400
    assert response.json().keys() == {"error"}
    assert len(response.content) < 400


def test_what_a_body_says_that_registers_is_read(service: Service, memory: Path) -> None:
    path, good = "/v2/systemsharedmemory/region/new/register", {"key": memory.name, "offset": 0, "byte_size": 8}
    for content, said in ((b"", "not JSON"), (b"[]", "a list"), ({**good, "ofset": 8}, '"ofset"'), ({}, "key")):
        response = service.post(path, content)
        assert response.status_code == 400
        assert said in response.json()["error"]
    assert service.post(path, {**good, "offset": None, "byte_size": 8.0}).status_code == 200


def test_a_region_must_be_in_its_memory(service: Service, memory: Path) -> None:
    assert register(service, "far", memory.name, SIZE - 4, 8).status_code == 400
    assert register(service, "n" * 65, memory.name, 0, 8).status_code == 400
    link = memory.with_name(f"{memory.name}-link")
    link.symlink_to("/etc/passwd")
    try:
        assert register(service, "link", link.name, 0, 8).status_code == 400
    finally:
        link.unlink()


def test_bools_are_looked_at_there_too(service: Service, memory: Path) -> None:
    memory.write_bytes(b"\1\2" + bytes(SIZE))
    response = infer(service, [2], datatype="BOOL")
    assert response.status_code == 400
    assert "a bool must be 0 or 1" in response.json()["error"]


def test_without_the_setting_no_region_is_looked_at() -> None:
    response = infer(Service(), [4])
    assert response.status_code == 400
    assert "KEEPDIMS_SHARED_MEMORY" in response.json()["error"]


@pytest.mark.parametrize(
    "where",
    [
        {"shared_memory_region": "in"},
        {"shared_memory_region": 3, "shared_memory_byte_size": 4},
        {"shared_memory_region": "in", "shared_memory_byte_size": -4},
        {"shared_memory_region": "in", "shared_memory_byte_size": 4, "shared_memory_offset": "0"},
        {"shared_memory_region": "in", "shared_memory_byte_size": 4, "binary_data_size": 4},
    ],
)
def test_a_place_that_makes_no_sense_is_refused(service: Service, memory: Path, where: dict[str, Any]) -> None:
    asked = {"inputs": [{"name": "data", "datatype": "FP32", "shape": [1], "parameters": where}]}
    assert service.post(MIN, asked).status_code == 400
