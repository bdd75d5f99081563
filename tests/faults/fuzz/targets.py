"""What is fuzzed: each takes any bytes, and whatever it raises is a finding."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from random import Random

from app.errors import Refusal
from app.http.encodings import Decompression, zstd
from app.tensors import json_body, npy
from app.tensors.elements import Elements
from app.tensors.open_inference.patterns import decode
from app.tensors.open_inference.reading import read_anew
from tests.faults.bodies import COMPRESS, FORMATS, Sent, encoded
from tests.faults.outcomes import check
from tests.faults.ways import Ways

MOST = 1 << 22
"""Bytes of content that a target decompresses."""


class Differs(Exception):
    """Two ways to the same give different answers."""


def json(data: bytes) -> None:
    """A JSON body, whole and in pieces."""
    _same(lambda: json_body.decode(data), lambda: _arrived(data))


def _arrived(data: bytes) -> object:
    arrival = json_body.arrival()
    for start in range(0, len(data), 100):
        arrival.feed([data[start : start + 100]])
    return arrival.finish()


def open_inference(data: bytes) -> None:
    """The JSON of the Open Inference Protocol: by what is remembered of others, and anew."""
    _same(lambda: decode(data), lambda: read_anew(data))


def npy_file(data: bytes) -> None:
    """An npy file, its elements whole and in pieces."""
    try:
        found = npy.preamble(data, "")
    except Refusal:
        return
    if found is None or found.header.size > MOST:
        return
    preamble, rest = found, data[found.offset :]

    def read(size: int) -> bytes:
        elements = Elements(preamble.header, preamble.big_endian)
        pieces = [rest[start : start + size] for start in range(0, len(rest), size)]
        values = b"".join(elements.block([piece]).values.tobytes() for piece in pieces)
        elements.end()
        return values

    _same(lambda: read(len(rest) or 1), lambda: read(7))


def encodings(data: bytes) -> None:
    """Content in each encoding: as much as the libraries find, if they find it good."""
    for name, whole in (("gzip", gzip.decompress), ("zstd", zstd.decompress), ("deflate", zlib.decompress)):
        try:
            found = b"".join(_decompressed(name, data))
        except Refusal:
            continue
        if len(found) < MOST and found != whole(data):
            raise Differs(name)


def _decompressed(name: str, data: bytes) -> Iterator[bytes]:
    decompression, size = Decompression(name), 0
    for start in range(0, len(data), 50):
        decompression.give([data[start : start + 50]])
        while decompression.has_more and size < MOST:
            yield (piece := decompression.step(1000))
            size += len(piece)
    if size < MOST:
        decompression.end()


class Service:
    """The whole of it: a head of path, query and fields, an empty line, and the body."""

    def __init__(self) -> None:
        self._ways = Ways()

    def __call__(self, data: bytes) -> None:
        sent = parsed(data)
        if sent is not None:
            check(sent, dict(self._ways.all(sent, Random(len(data)))))


def parsed(data: bytes) -> Sent | None:
    """The request that some bytes are taken for, or None."""
    head, _, content = data.partition(b"\n\n")
    path, query, *lines = (line.decode("latin-1") for line in head.split(b"\n", 20)) if b"\n" in head else ("", "")
    operator = OPERATORS.get(path)
    if operator is None:
        return None
    fields = dict(line.lower().split(":", 1) for line in lines if ":" in line and line.split(":")[0] in NAMES)
    return Sent(*operator, path, query, fields, content)


def spelled(sent: Sent) -> bytes:
    """The bytes that are taken for a request."""
    lines = [sent.path, sent.query, *(f"{name}:{value}" for name, value in sent.fields.items())]
    return "\n".join(lines).encode("latin-1") + b"\n\n" + sent.content


def _same(one: Callable[[], object], other: Callable[[], object]) -> None:
    """Both say the same, or both refuse."""
    if (found := _outcome(one)) != (again := _outcome(other)):
        raise Differs(f"{found!r:.500} and {again!r:.500}")


def _outcome(call: Callable[[], object]) -> object:
    try:
        return repr(call())
    except Refusal as refusal:
        return repr(refusal), refusal.place


NAMES = ("content-type", "content-encoding", "accept", "accept-encoding", "inference-header-content-length")


def seeds(*formats: str, encodings: tuple[str, ...] = ("",)) -> Iterator[Sent]:
    """Valid requests."""
    for number, (format, encoding) in enumerate(list(product(formats, encodings)) * 12):
        yield encoded(FORMATS[format](Random(number)), encoding)


OPERATORS = {sent.path: (sent.operator, sent.version) for sent in seeds(*FORMATS)}
"""By the paths that seeds have."""

TARGETS: dict[str, tuple[Callable[[], Callable[[bytes], None]], Callable[[], list[bytes]]]] = {
    "json": (lambda: json, lambda: [sent.content for sent in seeds("json", "json-base64")]),
    "open_inference": (lambda: open_inference, lambda: [sent.content for sent in seeds("inference")]),
    "npy": (lambda: npy_file, lambda: [sent.content for sent in seeds("npy-1", "npy-2", "npy-3")]),
    "encodings": (lambda: encodings, lambda: [sent.content for sent in seeds("json", encodings=tuple(COMPRESS))]),
    "service": (Service, lambda: list(map(spelled, seeds(*FORMATS, encodings=tuple(COMPRESS))))),
}
"""By name: what makes the target, and what it begins with."""
