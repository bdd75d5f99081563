"""What is asked of the servers."""

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np

from app.spec.operators import OPERATORS
from benchmarks import formats, load, memory, shared
from benchmarks.client import Connection, Request
from benchmarks.columns import Plan, Rows, Setting, Subject, Workload
from benchmarks.formats import Format, Matrix
from benchmarks.peers import FLOOR, OURS, Peer
from benchmarks.process import Server, check
from benchmarks.timing import seconds

SMALL = np.array([[3, 1, 2], [9, 7, 8]], np.float32)
PATHS = [operator.path for operator in OPERATORS if operator.version == 13]
"""Every operator has a version 13; they are called alike."""


def _matrix(shape: tuple[int, int]) -> Matrix:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


def _size(shape: tuple[int, ...]) -> str:
    size = prod(shape) * 4
    return f"{size >> 20} MiB" if size >> 20 else f"{size} bytes"


def _rows(setting: Setting, format: Callable[[Peer], Format | None], x: Matrix, beside: Matrix | None = None) -> Rows:
    """Every server that speaks the format."""

    def subject(server: Server, format: Format) -> Subject:
        large = None if beside is None else check(server, server.peer.binary, beside)
        return Subject(server, check(server, format, x), large)

    spoken = {server: format(server.peer) for server in setting.servers.values()}
    return {server.name: partial(subject, server, format) for server, format in spoken.items() if format is not None}


# How servers compare


def _small(setting: Setting) -> Plan:
    yield "small JSON", _rows(setting, lambda peer: peer.json, SMALL)


def _small_beside_large(setting: Setting) -> Plan:
    shape = setting.scale.binaries[-1]
    title = f"small JSON beside {_size(shape)} binary"
    yield title, _rows(setting, lambda peer: peer.json, SMALL, _matrix(shape))


def _large(setting: Setting) -> Plan:
    numbers = _matrix(setting.scale.numbers)
    yield f"{numbers.size:,} numbers as JSON", _rows(setting, lambda peer: peer.json, numbers)
    for shape in setting.scale.binaries:
        yield f"{_size(shape)} binary", _rows(setting, lambda peer: peer.binary, _matrix(shape))
    x = _matrix(setting.scale.binaries[-1])
    yield f"{_size(x.shape)} as base64 in JSON", _rows(setting, lambda peer: peer.base64, x)


# How our operators compare


def _by_operator(setting: Setting, make: Callable[[Matrix, str], Request], x: Matrix) -> Rows:
    def subject(name: str, path: str) -> Subject:
        return Subject(setting.servers[name], make(x, path))

    rows = {path.rpartition("/")[2]: partial(subject, OURS, path) for path in PATHS}
    return {FLOOR: partial(subject, FLOOR, formats.MINIMUM), **rows}


def _small_by_operator(setting: Setting) -> Plan:
    yield "small JSON", _by_operator(setting, formats.keepdims_json, SMALL)


def _large_by_operator(setting: Setting) -> Plan:
    x = _matrix(setting.scale.binaries[-1])
    yield f"{_size(x.shape)} .npy", _by_operator(setting, formats.keepdims_npy, x)


# How time and memory grow


def _growth(setting: Setting) -> Plan:
    for power in range(3, setting.scale.growth + 1):
        x = _matrix(_of(power))
        rows = {name: _asked(setting.servers[name], x) for name in (FLOOR, OURS)}
        yield _named(power), rows


def _of(power: int) -> tuple[int, int]:
    """The shape of about 10 ** power bytes."""
    return 10 ** (power // 2), 10 ** (power - power // 2) // 4


def _named(power: int) -> str:
    return f"{10 ** (power % 3)} {('kB', 'MB', 'GB')[power // 3 - 1]}"


def _asked(server: Server, x: Matrix) -> Callable[[], Subject]:
    return lambda: Subject(server, check(server, server.peer.binary, x))


def _stream(setting: Setting) -> Plan:
    title = f"{setting.scale.stream / 1e9:.2g} GB, peak memory"
    unsent = formats.keepdims_npy(SMALL)
    yield title, {name: partial(Subject, setting.servers[name], unsent) for name in (FLOOR, OURS)}


# What need not travel


def _shared(setting: Setting) -> Plan:
    power = setting.scale.growth
    x = _matrix(_of(power))
    yield f"{_named(power)} binary", _rows(setting, lambda peer: peer.inference, x)

    def subject(server: Server, format: Format, key: str) -> Subject:
        return Subject(server, shared.told(server, format, x, key))

    spoken = {server: format for server in setting.servers.values() if (format := server.peer.inference) is not None}
    with shared.placed(x) as key:
        rows: Rows = {server.name: partial(subject, server, format, key) for server, format in spoken.items()}
        yield f"{_named(power)} in shared memory", rows


# What is measured


def _rate(setting: Setting, subject: Subject) -> float:
    return load.rate(subject.server.port, subject.request, setting.scale.seconds)


def _milliseconds(setting: Setting, subject: Subject) -> float:
    with Connection(subject.server.port) as connection:
        return 1e3 * seconds(lambda: connection.exchange(subject.request))


def _latency(setting: Setting, subject: Subject) -> float:
    return 1e3 * load.latency(subject.server.port, subject.request, setting.scale.seconds, subject.beside)


def _rise(setting: Setting, subject: Subject) -> float:
    return memory.rise(subject.server.name, setting.environments, setting.scale.stream) / 1e6


WORKLOADS: dict[str, Workload] = {
    "small": Workload("servers", "req/s", _small, _rate),
    "large": Workload("servers", "ms", _large, _milliseconds),
    "mixed": Workload("servers", "ms", _small_beside_large, _latency),
    "small-operators": Workload("operators", "req/s", _small_by_operator, _rate),
    "large-operators": Workload("operators", "ms", _large_by_operator, _milliseconds),
    "growth": Workload("growth", "ms", _growth, _milliseconds),
    "shared": Workload("memory", "ms", _shared, _milliseconds),
    "stream": Workload("growth", "MB", _stream, _rise),
}
