"""Small requests that would have much held, read or answered are refused, in little memory, by a server that lives."""

import gzip
import json
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest

from app.http.encodings import zstd
from tests.conftest import serving
from tests.faults.processes import memory
from tests.faults.sockets import address_of, connect, head, read_answer
from tests.files import npy_of
from tests.http.service import Service

MIB = 1 << 20
LIMIT = 8 * MIB
MOST = 96 * MIB
"""Bytes that the server may take more than before, whatever comes: no more than for honest bodies of the limits."""

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstd.compress,
    "deflate": zlib.compress,
}
URL, INFER = "/v13/reduce_max", "/v2/models/reduce_max/infer"
HUGE = 40 << 20
RAW = {"name": "data", "shape": [HUGE], "datatype": "UINT8", "parameters": {"binary_data_size": HUGE}}
RAW_HEAD = json.dumps({"inputs": [RAW]}).encode()

STARTS: dict[str, tuple[str, dict[str, str], bytes]] = {
    "json": (URL, {}, b'{"data": {"dtype": "uint8", "values": ['),
    "json-base64": (URL, {}, b'{"data": {"dtype": "uint8", "shape": [9], "base64": "'),
    "npy": (
        URL,
        {"content-type": "application/x-npy"},
        npy_of(f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({HUGE},)}}"),
    ),
    "octets": (f"{URL}?dtype=uint8&shape={HUGE}", {"content-type": "application/octet-stream"}, b""),
    "octets, and more": (f"{URL}?dtype=uint8&shape=9", {"content-type": "application/octet-stream"}, b""),
    "inference": (INFER, {}, b'{"inputs": ['),
    "inference-binary": (INFER, {"inference-header-content-length": str(len(RAW_HEAD))}, RAW_HEAD),
}
"""By format: path, fields, and what comes before a bomb. The shape is far less than
they hold, and more than is held."""


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with serving(tmp_path_factory.mktemp("bombs"), KEEPDIMS_MAX_BODY_BYTES=str(LIMIT)) as found:
        yield found


@pytest.fixture(scope="module")
def small() -> Service:
    return Service(max_body_bytes=LIMIT, max_stream_bytes=4 * LIMIT)


def told(process: tuple[str, int], path: str, fields: dict[str, str], body: bytes) -> tuple[int, bytes]:
    """Status and body of an answer."""
    lines = [f"{name}: {value}".encode() for name, value in fields.items()]
    start = f"POST {path} HTTP/1.1".encode()
    with connect(address_of(process[0])) as connection:
        connection.sendall(head(*lines, b"content-length: %d" % len(body), start=start) + body)
        answer = read_answer(connection)
    assert answer is not None
    return answer.status, answer.body


@cache
def zeros(encoding: str, size: int) -> bytes:
    return COMPRESS[encoding](bytes(size))


def bombs(encoding: str, start: bytes) -> dict[str, bytes]:
    """Bodies of up to a few MB, by what they are."""
    compress = COMPRESS[encoding]
    found = {
        "nested": compress(compress(start) + zeros(encoding, HUGE)),
        "one of 1000 MB": _endless(encoding, start),
    }
    if encoding != "deflate":  # of which a body has one
        found["10 GB in members"] = compress(start) + zeros(encoding, 10 * MIB) * 1024
        found["many of a byte"] = compress(start) + compress(b" ") * 10_000
        found["many of nothing"] = compress(start) + compress(b"") * 10_000
    return found


def _endless(encoding: str, start: bytes) -> bytes:
    """Without writing all of it: a part of it again and again, without an end."""
    if encoding == "zstd":
        block = b"\x02\x00\x10\x00"  # 128 KiB of one byte, not the last
        return zstd.compress(start) + b"\x28\xb5\x2f\xfd\x00\x58" + block * 8000
    packed = zlib.compressobj(wbits=31 if encoding == "gzip" else 15)
    return packed.compress(start) + packed.flush(zlib.Z_FULL_FLUSH) + _zeros() * 1000


@cache
def _zeros() -> bytes:
    """1 MiB of zeros, that needs nothing before it."""
    packed = zlib.compressobj(wbits=-15)
    return packed.compress(bytes(MIB)) + packed.flush(zlib.Z_FULL_FLUSH)


ALL = [
    (format, encoding)
    for format, encoding in product(STARTS, COMPRESS)
    if encoding != "deflate" or format.startswith("inference")
]


@pytest.mark.skipif(sys.platform != "linux", reason="the files that tell a process's memory are Linux's")
@pytest.mark.parametrize(("format", "encoding"), ALL, ids=[" ".join(each) for each in ALL])
def test_bombs_go_off_in_little_memory(process: tuple[str, int], format: str, encoding: str) -> None:
    path, fields, start = STARTS[format]
    before = memory(process[1], "VmRSS")
    for name, body in bombs(encoding, start).items():
        status, said = told(process, path, {**fields, "content-encoding": encoding}, body)
        assert status in (400, 413, 422), (name, said)
    assert memory(process[1], "VmHWM") - before < MOST


@pytest.mark.parametrize("log", [24, 27, 31, 41])
@pytest.mark.parametrize("format", STARTS)
def test_a_window_beyond_the_bound_is_refused(small: Service, format: str, log: int) -> None:
    path, fields, start = STARTS[format]
    body = b"\x28\xb5\x2f\xfd\x00" + bytes([(log - 10) << 3]) + b"\x02\x00\x10\x00" * 9 + b"\x01\x00\x00"
    answer = small.post(path, zstd.compress(start) + body, {**fields, "content-encoding": "zstd"})
    assert answer.status_code in (400, 413)


def test_skipped_frames_are_passed_over(small: Service) -> None:
    skipped = struct.pack("<II", 0x184D2A50, 1000) + bytes(1000)
    body = skipped * 500 + zstd.compress(b'{"data": {"dtype": "uint8", "values": [3, 4]}}') + skipped * 500
    answer = small.post(URL, body, {"content-encoding": "zstd"})
    assert answer.json()["reduced"]["values"] == [4]


SHAPES = ([0, 1 << 62], [0, 1 << 40], [1 << 62, 0], [0, 50 * MIB], [0, 1 << 31, 1 << 31], [0, *[1 << 10] * 7])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("format", ["json", "base64", "npy", "octets", "inference", "inference-binary"])
def test_answers_far_larger_than_requests_are_refused(small: Service, format: str, shape: list[int]) -> None:
    axis = shape.index(0)
    query = f"axes={axis}"
    empty = {"dtype": "float32", "shape": shape}
    asked = {"name": "data", "datatype": "FP32", "shape": shape}
    axes = {"name": "axes", "datatype": "INT64", "shape": [1], "data": [axis]}
    raw = json.dumps({"inputs": [axes, asked | {"parameters": {"binary_data_size": 0}}]}).encode()
    requests = {
        "json": ("", {}, json.dumps({"data": empty | {"values": []}, "axes": [axis]}).encode()),
        "base64": ("", {}, json.dumps({"data": empty | {"base64": ""}, "axes": [axis]}).encode()),
        "npy": (
            f"?{query}",
            {"content-type": "application/x-npy", "accept": "application/x-npy"},
            npy_of(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}}}"),
        ),
        "octets": (
            f"?{query}&dtype=float32&shape={','.join(map(str, shape))}",
            {"content-type": "application/octet-stream"},
            b"",
        ),
        "inference": ("", {}, json.dumps({"inputs": [axes, asked | {"data": []}]}).encode()),
        "inference-binary": ("", {"inference-header-content-length": str(len(raw))}, raw),
    }
    query, fields, body = requests[format]
    path = "/v2/models/reduce_sum/infer" if format.startswith("inference") else "/v13/reduce_sum"
    answer = small.post(path + query, body, fields)
    assert answer.status_code in (400, 413, 422), answer.text
    assert len(answer.content) < 1000


def test_an_answer_as_text_is_larger_than_its_elements(small: Service) -> None:
    elements = np.full(LIMIT // 9, 0.1234567890123)
    query = f"?dtype=float64&shape={elements.size}&axes=&noop_with_empty_axes=1"
    raw = {"content-type": "application/octet-stream"}
    binary = small.post(f"/v13/reduce_sum{query}", elements.tobytes(), raw | {"accept": "application/octet-stream"})
    assert (binary.status_code, binary.content) == (200, elements.tobytes())
    text = small.post(f"/v13/reduce_sum{query}", elements.tobytes(), raw)
    assert text.status_code == 200
    double = elements.repeat(2)
    refused = small.post(f"/v13/reduce_sum{query.replace(str(elements.size), str(double.size))}", double.tobytes(), raw)
    assert refused.status_code == 422
