"""96 bodies of 32 MB at once: each is answered or told to come again, and memory stays within bounds and comes back."""

import base64
import gzip
import http.client
import io
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep
from typing import NamedTuple

import httpx
import numpy as np
import pytest

from app.machine import usable_memory
from tests.conftest import serving
from tests.faults.processes import memory
from tests.faults.sockets import Address, address_of

CROWD = 96
SIZE = 32 << 20
ROOM = 768 << 20
MOST = 1_200_000_000
NEAR = 100 << 20
"""Bytes that a process may keep of what it had at its highest."""

NEEDED = 4 << 30
"""Bytes of memory that the machine needs: for the server, the bodies and what is on its way."""

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the files that tell a process's memory are Linux's"),
    pytest.mark.skipif(usable_memory() < NEEDED, reason=f"96 bodies on their way take {NEEDED >> 30} GiB of memory"),
]


class Upload(NamedTuple):
    """A request and what its answer holds, where it is not refused; None if it always is."""

    path: str
    fields: dict[str, str]
    body: bytes
    reduced: list[object] | None


def uploads() -> list[Upload]:
    """One of each format; every element is small, so that a sum says all of them."""
    draw = np.random.default_rng(5)
    octets = draw.integers(0, 256, SIZE, np.uint8)
    halves = draw.integers(-9, 9, SIZE // 4).astype(np.float32)
    file = io.BytesIO()
    np.save(file, halves)
    digits = draw.integers(0, 10, SIZE // 2, np.uint8)
    text = np.full(SIZE, ord(","), np.uint8)
    text[::2] = digits + ord("0")
    values = b'{"data": {"dtype": "float64", "values": [' + text[:-1].tobytes() + b"]}}"
    three_quarters = octets[: SIZE // 4 * 3]
    coded = b'{"data": {"dtype": "uint8", "shape": [%d], "base64": "%b"}, "answer": {"encoding": "values"}}' % (
        three_quarters.size,
        base64.b64encode(three_quarters.tobytes()),
    )
    infer = {"name": "data", "shape": [SIZE], "datatype": "UINT8", "parameters": {"binary_data_size": SIZE}}
    start = json.dumps({"inputs": [infer]}).encode()
    length = {"inference-header-content-length": str(len(start))}
    npy, raw = {"content-type": "application/x-npy"}, {"content-type": "application/octet-stream"}
    zipped = {"content-encoding": "gzip"}
    bomb = gzip.compress(b'{"data": {"dtype": "uint8", "values": [' + b"1," * (SIZE // 2) + b"1]}}", 1)
    endless = gzip.compress(b'{"data": ' + bytes(300 << 20), 1)
    return [
        Upload("/v13/reduce_sum", npy, file.getvalue(), [float(np.float32(halves.sum(dtype=np.float64)))]),
        Upload(f"/v12/reduce_max?dtype=uint8&shape={SIZE}", raw, octets.tobytes(), [255]),
        Upload("/v12/reduce_max", {}, coded, [255]),
        Upload("/v13/reduce_sum", {}, values, [float(digits.sum(dtype=np.int64))]),
        Upload("/v12/reduce_min", zipped, bomb, [1]),
        Upload("/v12/reduce_min", zipped, endless, None),
        Upload("/v2/models/reduce_max/infer", length, start + octets.tobytes(), [255]),
        Upload(f"/v12/reduce_max?dtype=uint8&shape={300 << 20}", raw | zipped, gzip.compress(bytes(300 << 20), 1), [0]),
    ]


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with serving(tmp_path_factory.mktemp("crowds"), KEEPDIMS_MAX_INFLIGHT_BYTES=str(ROOM)) as found:
        yield found


def told(address: Address, upload: Upload) -> tuple[int, str | None, bytes]:
    """Status, Retry-After and body of what an upload is answered."""
    connection = http.client.HTTPConnection(*address, timeout=120)
    try:
        connection.request("POST", upload.path, upload.body, upload.fields)
        answer = connection.getresponse()
        return answer.status, answer.getheader("retry-after"), answer.read()
    finally:
        connection.close()


def reduced(body: bytes) -> list[object]:
    members = json.loads(body)
    return members["reduced"]["values"] if "reduced" in members else members["outputs"][0]["data"]


def settled(url: str, pid: int, before: int) -> tuple[float, int]:
    """The bytes that the service says it holds, and those by which it has grown, once it has had some time."""
    until = monotonic() + 10
    while True:
        counted = httpx.get(f"{url}/metrics", trust_env=False).text.splitlines()
        held = sum(float(line.split()[-1]) for line in counted if line.startswith("keepdims_inflight_bytes"))
        grown = memory(pid, "VmRSS") - before
        if (held == 0 and grown < NEAR) or monotonic() > until:
            return held, grown
        sleep(0.1)


def test_a_crowd_finds_its_bounds(process: tuple[str, int]) -> None:
    url, pid = process
    address = address_of(url)
    kinds = uploads()
    for upload in kinds:  # alone, each is answered
        status, _, body = told(address, upload)
        assert (status, upload.reduced and reduced(body)) == (413 if upload.reduced is None else 200, upload.reduced)
    before = memory(pid, "VmRSS")
    with ThreadPoolExecutor(CROWD) as crowd:
        answers = list(crowd.map(lambda upload: (upload, *told(address, upload)), kinds * (CROWD // len(kinds))))
    for upload, status, retry, body in answers:
        if status == 200:
            assert reduced(body) == upload.reduced
        else:
            assert (status, retry) in ((503, "1"), (413, None)), body
            assert status == 503 or upload.reduced is None
    statuses = [status for _, status, _, _ in answers]
    assert {200, 503} <= set(statuses)
    assert memory(pid, "VmHWM") < MOST
    held, grown = settled(url, pid, before)
    assert held == 0
    assert grown < NEAR
    status, _, body = told(address, kinds[3])
    assert (status, reduced(body)) == (200, kinds[3].reduced)
