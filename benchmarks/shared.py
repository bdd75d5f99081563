"""A matrix in shared memory, which servers of the Open Inference Protocol are told of."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks import formats
from benchmarks.client import Connection, Failed, Request
from benchmarks.formats import JSON_HEADERS, Format, Matrix
from benchmarks.process import Server, check

MEMORY = Path("/dev/shm")


@contextmanager
def placed(x: Matrix) -> Iterator[str]:
    """The key of shared memory that holds `x` meanwhile; "" where there is none."""
    if not MEMORY.is_dir():
        yield ""
        return
    path = MEMORY / f"keepdims-bench-{os.getpid()}"
    try:
        x.tofile(path)
        yield path.name
    finally:
        path.unlink(missing_ok=True)


def told(server: Server, format: Format, x: Matrix, key: str) -> Request:
    """The request for `x` where it lies, once a server knows of it and has answered right; Failed if it does not."""
    if not key:
        raise Failed(f"there is no {MEMORY} here")
    region = json.dumps({"key": f"/{key}", "offset": 0, "byte_size": x.nbytes}).encode()
    with Connection(server.port) as connection:
        connection.exchange(Request(f"/v2/systemsharedmemory/region/{key}/register", JSON_HEADERS, region))
    return check(server, replace(format, request=lambda x: formats.in_region(format.request(x), key)), x)
