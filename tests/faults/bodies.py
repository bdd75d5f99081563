"""Valid requests of every format there is: what mutations begin with, and what is fuzzed."""

import gzip
import re
import zlib
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.http.encodings import zstd
from tests import files, inference, wire
from tests.oracle import rows
from tests.samples import finite, samples


class Sent(NamedTuple):
    """A request to one operator version."""

    operator: str
    version: int
    path: str
    query: str
    fields: dict[str, str]
    content: bytes


class Asked(NamedTuple):
    """What a request says, in no format."""

    operator: str
    version: int
    dtype: str
    values: NDArray[Any]
    given: dict[str, Any]


def asked(random: Random, all_finite: bool) -> Asked:
    """Any operator version, dtype, parameters and up to a few hundred elements. `all_finite`: for a format that has no
    words for what is not."""
    operator, version = random.choice(rows.ROWS)
    dtype = random.choice(rows.dtypes(operator, version))
    least = 1 if operator.startswith("Arg") else 0
    shape = [random.choice((1, 2, 3, 5, 8, 0, 17)) for _ in range(random.randint(least, 3))]
    draw = np.random.default_rng(random.getrandbits(32))
    sample = random.choice(list(samples(dtype).values()))
    values = sample(draw, dtype, int(np.prod(shape))).reshape(shape)
    if all_finite and values.dtype.kind in "fV":
        values = np.where(finite(values), values, np.zeros((), values.dtype))
    return Asked(operator, version, dtype, values, _given(random, operator, version, len(shape)))


def _given(random: Random, operator: str, version: int, rank: int) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in rows.parameters(operator, version):
        if name == "axis":
            given[name] = random.randrange(rank)
        elif name == "axes":
            given[name] = random.sample(range(rank), random.randint(0, rank))
        else:
            given[name] = random.randint(0, 1)
    return {name: value for name, value in given.items() if random.random() < 0.7}


def _path(operator: str, version: int) -> tuple[str, str]:
    """What names an operator in a path, and the path of a version."""
    name = re.sub("(?<!^)(?=[A-Z])", "_", operator).lower()
    return name, f"/v{version}/{name}"


def _json(random: Random, encoding: wire.Encoding) -> Sent:
    what = asked(random, all_finite=False)
    body = wire.request_body(what.dtype, what.values, what.given, encoding)
    return Sent(*what[:2], _path(*what[:2])[1], "", {"content-type": "application/json"}, body)


def _npy(random: Random, version: int) -> Sent:
    what = asked(random, all_finite=False)
    order: files.Order = random.choice(("C", "F"))
    endian: files.Endian = random.choice(("<", ">"))
    body = files.npy(what.dtype, what.values, order, endian, version)
    return Sent(*what[:2], _path(*what[:2])[1], files.query(what.given), _fields(random, files.NPY), body)


def _octets(random: Random) -> Sent:
    what = asked(random, all_finite=False)
    described = {"dtype": what.dtype, "shape": list(what.values.shape)}
    body = files.raw(what.dtype, what.values)
    query = files.query(described | what.given)
    return Sent(*what[:2], _path(*what[:2])[1], query, _fields(random, files.RAW), body)


def _inference(random: Random, binary: bool) -> Sent:
    what = asked(random, all_finite=not binary)
    body, fields = inference.request(
        what.dtype, what.values, what.given, binary, random.random() < 0.5, axes_last=random.random() < 0.5
    )
    path = inference.infer_path(_path(*what[:2])[0], what.version)
    return Sent(*what[:2], path, "", {name.lower(): value for name, value in fields.items()}, body)


def _fields(random: Random, fields: dict[str, str]) -> dict[str, str]:
    """Those of a binary body, answered alike or as JSON."""
    return fields if random.random() < 0.5 else {"content-type": fields["content-type"]}


FORMATS: dict[str, Callable[[Random], Sent]] = {
    "json": partial(_json, encoding="values"),
    "json-base64": partial(_json, encoding="base64"),
    "npy-1": partial(_npy, version=1),
    "npy-2": partial(_npy, version=2),
    "npy-3": partial(_npy, version=3),
    "octets": _octets,
    "inference": partial(_inference, binary=False),
    "inference-binary": partial(_inference, binary=True),
}
"""By name: what makes a valid request."""

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": partial(gzip.compress, mtime=0),
    "zstd": zstd.compress,
    "deflate": zlib.compress,
}
"""By Content-Encoding; the last is known to the Open Inference Protocol alone."""


def encoded(sent: Sent, encoding: str) -> Sent:
    """The same in an encoding."""
    if not encoding:
        return sent
    return sent._replace(fields={**sent.fields, "content-encoding": encoding}, content=COMPRESS[encoding](sent.content))
