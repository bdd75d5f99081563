"""A large binary inference takes as little memory as a large .npy body, sent plain, compressed or shared."""

import http.client
import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.conftest import serving
from tests.http.test_memory import MOST, PIECE, memory
from tests.inference import LENGTH, infer_path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files that tell a process's memory are Linux's")

SHAPE = (256, 256, 1024)
SIZE = 1 << 28
AXES = np.array([0, 1], np.int64).tobytes()
HEADER = json.dumps(
    {
        "inputs": [
            {"name": "axes", "shape": [2], "datatype": "INT64", "parameters": {"binary_data_size": 16}},
            {"name": "data", "shape": SHAPE, "datatype": "FP32", "parameters": {"binary_data_size": SIZE}},
        ],
        "parameters": {"binary_data_output": True},
    }
).encode()


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with serving(tmp_path_factory.mktemp("memory"), KEEPDIMS_SHARED_MEMORY="1") as found:
        yield found


def content(elements: bytes) -> Iterator[bytes]:
    yield HEADER + AXES
    for _ in range(0, SIZE, PIECE):
        yield elements


def compressed() -> Iterator[bytes]:
    compress = zlib.compressobj(1)
    for piece in content(bytes(PIECE)):  # zlib takes half a minute for others
        yield compress.compress(piece)
    yield compress.flush()


@pytest.mark.parametrize("encoding", ["", "deflate"])
def test_a_large_inference_takes_little_memory(process: tuple[str, int], encoding: str) -> None:
    url, pid = process
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins anew
    before = memory(pid, "VmRSS")
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=240)
    headers = {LENGTH: str(len(HEADER))}
    if encoding:
        headers["Content-Encoding"] = encoding
        connection.request("POST", infer_path("reduce_min"), compressed(), headers, encode_chunked=True)
    else:
        headers["Content-Length"] = str(len(HEADER) + len(AXES) + SIZE)
        elements = np.random.default_rng(1).normal(size=PIECE // 4).astype("<f4").tobytes()
        connection.request("POST", infer_path("reduce_min"), content(elements), headers)
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    assert response.status == 200, answer[:300]
    assert len(answer) - int(response.headers[LENGTH]) == 4096
    assert memory(pid, "VmHWM") - before < MOST


def test_a_tensor_in_shared_memory_is_not_copied(process: tuple[str, int]) -> None:
    url, pid = process
    shared = Path("/dev/shm/keepdims-test-large")
    with shared.open("wb") as file:  # written, as what has holes is copied
        file.writelines(bytes(PIECE) for _ in range(0, SIZE, PIECE))
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=240)

    def post(path: str, members: object) -> None:
        connection.request("POST", path, json.dumps(members).encode())
        response = connection.getresponse()
        answer = response.read()
        assert response.status == 200, answer[:300]

    try:
        register = "/v2/systemsharedmemory/region/large/register"
        post(register, {"key": f"/{shared.name}", "offset": 0, "byte_size": SIZE})
        where = {"shared_memory_region": "large", "shared_memory_byte_size": SIZE}
        data = {"name": "data", "shape": SHAPE, "datatype": "FP32", "parameters": where}
        Path(f"/proc/{pid}/clear_refs").write_text("5")
        before = memory(pid, "VmRSS")
        post(infer_path("reduce_min"), {"inputs": [data]})
        # The pages of the region itself count while they are mapped, and once.
        assert memory(pid, "VmHWM") - before < SIZE + MOST
        assert memory(pid, "VmRSS") - before < MOST
    finally:
        connection.close()
        shared.unlink()
