"""How much memory a server takes for a body that streams in."""

from itertools import chain, repeat
from math import prod
from pathlib import Path

import numpy as np

from benchmarks.client import Connection
from benchmarks.formats import MINIMUM, NPY_HEADERS, query
from benchmarks.process import serving

COLUMNS = 4096
PIECE = np.ones((64, COLUMNS), np.float32).tobytes()


def rise(name: str, environments: Path, size: int) -> float:
    """Bytes by which the peak of resident memory of a fresh server lies above what it held before it took in a .npy
    file of about `size` bytes, made as it is sent, in pieces of 1 MiB and without a length."""
    count = max(1, size // len(PIECE))
    shape = (count * len(PIECE) // 4 // COLUMNS, COLUMNS)
    assert prod(shape) * 4 == count * len(PIECE)
    header = str({"descr": "<f4", "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    file = chain([b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header], repeat(PIECE, count))
    with serving(name, environments) as server, Connection(server.port) as connection:
        before = _status(server.pid)["VmRSS"]
        connection.stream(f"{MINIMUM}?{query(MINIMUM)}", NPY_HEADERS, file)
        return float(_status(server.pid)["VmHWM"] - before)


def _status(pid: int) -> dict[str, int]:
    """The sizes that /proc tells of a process, in bytes."""
    lines = (line.split() for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {line[0][:-1]: int(line[1]) * 1024 for line in lines if line[-1] == "kB"}
