"""Shared memory with holes, and none left to fill them: a refusal, and never the end of the process."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from errno import ENOSPC
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.errors import BodyTooLarge, InvalidParameter
from app.http.open_inference.memory import Memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files of shared memory are Linux's")

PAGE = 1 << 12
SIZE = 16 * PAGE


@pytest.fixture
def sparse() -> Iterator[Path]:
    """16 pages, of which only the third was written."""
    path = Path(f"/dev/shm/keepdims-test-holes-{os.getpid()}")
    with path.open("wb") as file:
        file.seek(2 * PAGE)
        file.write(bytes([7]) * PAGE)
        file.truncate(SIZE)
    yield path
    path.unlink()


def read(path: Path, start: int, size: int, take: Callable[[int], None] | None = None) -> Any:
    with Memory(path.name, SIZE, "one") as found:
        return found.read(start, size, take)


def test_holes_are_read_and_stay_holes(sparse: Path) -> None:
    blocks = sparse.stat().st_blocks
    taken: list[int] = []
    whole = read(sparse, 5, SIZE - 5, taken.append)
    assert whole.tobytes() == sparse.read_bytes()[5:]
    assert taken == [SIZE - 5]
    assert read(sparse, 2 * PAGE, PAGE, taken.append).tolist() == [7] * PAGE
    assert (taken, sparse.stat().st_blocks) == ([SIZE - 5], blocks)
    assert read(sparse, 0, 0).size == 0


def test_what_is_written_is_not_copied(sparse: Path) -> None:
    mapped = read(sparse, 2 * PAGE, PAGE)
    sparse.write_bytes(b"")
    with sparse.open("r+b") as file:
        file.seek(2 * PAGE)
        file.write(bytes([9]) * PAGE)
    assert mapped[0] == 9


def test_holes_are_looked_for_only_where_there_are_some(sparse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def seek(_: int, start: int, __: int) -> int:
        looked.append(start)
        return SIZE

    monkeypatch.setattr(os, "lseek", seek)
    read(sparse, 2 * PAGE, PAGE)
    assert looked == [2 * PAGE]
    sparse.write_bytes(bytes(SIZE))
    read(sparse, 2 * PAGE, PAGE)
    assert looked == [2 * PAGE]


def test_a_copy_needs_room(sparse: Path) -> None:
    def refuse(size: int) -> None:
        raise BodyTooLarge(f"{size} bytes")

    with pytest.raises(BodyTooLarge):
        read(sparse, 0, SIZE, refuse)


def test_holes_are_filled_before_they_are_written(sparse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = np.arange(PAGE, dtype=np.uint8)
    filled: list[tuple[int, int]] = []

    def fill(_: int, start: int, size: int) -> None:
        filled.append((start, size))
        if len(filled) == 2:
            raise OSError(ENOSPC, "no memory")

    monkeypatch.setattr(os, "posix_fallocate", fill)
    with Memory(sparse.name, SIZE, "one", writing=True) as found:
        found.write(PAGE // 2, raw)
        found.write(2 * PAGE, raw)  # has been written before
        before = sparse.read_bytes()
        with pytest.raises(InvalidParameter, match='region "one" cannot be written: no space left'):
            found.write(8 * PAGE, raw)
    assert filled == [(PAGE // 2, PAGE), (8 * PAGE, PAGE)]
    assert before[PAGE // 2 : PAGE // 2 + PAGE] == raw.tobytes()
    assert sparse.read_bytes() == before


SMALL = """
mount -t tmpfs -o size=256k tmpfs /dev/shm || exit 77
exec "$0" - <<'END'
import os
from app.errors import InvalidParameter
from tests.http.service import Service

size = 1 << 20
os.truncate(os.open("/dev/shm/sparse", os.O_RDWR | os.O_CREAT), size)
service = Service(shared_memory=True)
asked = {"key": "sparse", "offset": 0, "byte_size": size}
assert service.post("/v2/systemsharedmemory/region/sparse/register", asked).status_code == 200

def infer(shape, output):
    where = {"shared_memory_region": "sparse", "shared_memory_byte_size": size}
    data = {"name": "data", "datatype": "UINT8", "shape": shape, "parameters": where}
    outputs = [{"name": "reduced", "parameters": where}] if output else []
    asked = {"inputs": [data], "outputs": outputs, "parameters": {"axes": [0]}}
    return service.post("/v2/models/reduce_max/infer", asked)

found = infer([size], False)
assert (found.status_code, found.json()["outputs"][0]["data"]) == (200, [0]), found.text
assert os.stat("/dev/shm/sparse").st_blocks == 0
found = infer([1, size], True)
assert (found.status_code, "no space left" in found.json()["error"]) == (400, True), found.text
print("lives")
END
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
def test_a_full_file_system_ends_no_process() -> None:
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", SMALL, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode in (1, 77) and "Traceback" not in done.stderr:
        pytest.skip(f"no name space of its own may be had here: {done.stderr.strip()}")
    assert (done.stdout, done.returncode) == ("lives\n", 0), done.stderr
