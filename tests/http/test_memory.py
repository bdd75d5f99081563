"""A large body is reduced in little memory, by a server of its own."""

import http.client
import sys
from collections.abc import Iterator
from math import prod
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.conftest import serving
from tests.files import NPY, npy_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files that tell a process's memory are Linux's")

PIECE = 1 << 20
MOST = 64 << 20
"""Bytes that a request may add: batches, states of 65536 outputs, what threads and their heaps take."""


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with serving(tmp_path_factory.mktemp("memory")) as found:
        yield found


def upload(url: str, path: str, shape: tuple[int, ...], fortran: bool) -> None:
    """Sends an npy body of float32 elements that is made on the way."""
    header = npy_of(repr({"descr": "<f4", "fortran_order": fortran, "shape": shape}))
    elements = np.random.default_rng(1).normal(size=PIECE // 4).astype("<f4").tobytes()
    size = 4 * prod(shape)

    def body() -> Iterator[bytes]:
        yield header
        for start in range(0, size, PIECE):
            yield elements[: size - start]

    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=240)
    connection.request("POST", path, body(), {**NPY, "content-length": str(len(header) + size)})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    assert response.status == 200, content[:300]


def memory(pid: int, field: str) -> int:
    """Bytes: VmRSS now, or VmHWM at its highest."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(next(line for line in status.splitlines() if line.startswith(field)).split()[1])


def growth(process: tuple[str, int], path: str, shape: tuple[int, ...], fortran: bool) -> int:
    """Bytes by which memory rises at its highest, above what it was before."""
    url, pid = process
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak begins anew
    before = memory(pid, "VmRSS")
    upload(url, path, shape, fortran)
    return memory(pid, "VmHWM") - before


SHAPE = (256, 256, 1024)
"""256 MiB; 65536 outputs where its last axis is reduced, or both others."""


@pytest.mark.parametrize("fortran", [False, True], ids=["C", "Fortran"])
@pytest.mark.parametrize(
    "path",
    [
        "/v12/reduce_min?axes=0,1",
        "/v13/reduce_sum?axes=-1",
        "/v13/reduce_sum?axes=0,1",
        "/v13/reduce_log_sum_exp",
        "/v12/arg_min?axis=2",
    ],
)
def test_a_large_body_takes_little_memory(process: tuple[str, int], path: str, fortran: bool) -> None:
    assert growth(process, path, SHAPE, fortran) < MOST
