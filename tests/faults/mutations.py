"""What becomes of a request on a bad day: bytes that are changed, lost, doubled or moved, and fields that lie."""

import re
from collections.abc import Callable
from random import Random

from tests.faults.bodies import Sent

NUMBERS = (
    *b"0 -0 1 -1 2 7 255 256 65536 -129 0.5 1.0 1e0 00 +1 1. .5 1e 0x10 1_0 65520 1e38".split(),
    *b"9007199254740993 9223372036854775807 9223372036854775808 18446744073709551616 4611686018427387904".split(),
    *b'3.5e38 1e400 -1e400 1e-400 1e999999999 NaN Infinity -Infinity null true "NaN" "1" [] {}'.split(),
    b"9" * 400,
    b"0." + b"0" * 400 + b"1",
    b"1" + b"0" * 308,
)

WORDS = (
    b'"data" "dtype" "shape" "values" "base64" "axes" "axis" "keepdims" "inputs" "name" "datatype" "parameters" "id" '
    b'"outputs" "binary_data_size" "float16" "int64" "bool" "BOOL" "FP64" null true [ ] { } , : " \\ \\u0000 \\ud800 '
    b"\xef\xbb\xbf \xff \x00 // ( ) < > | V2 True False 'descr': 'shape':"
).split()

_NUMBER = re.compile(rb"-?[0-9][0-9.e+-]*")


def flipped(content: bytes, random: Random) -> bytes:
    """One bit is another."""
    at = random.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]


def cut(content: bytes, random: Random) -> bytes:
    """The end is missing."""
    return content[: random.randrange(len(content))]


def without(content: bytes, random: Random) -> bytes:
    """Something in between is missing."""
    start, stop = _range(content, random)
    return content[:start] + content[stop:]


def with_noise(content: bytes, random: Random) -> bytes:
    """Something has come in between."""
    at = random.randrange(len(content) + 1)
    return content[:at] + random.randbytes(random.randint(1, 9)) + content[at:]


def doubled(content: bytes, random: Random) -> bytes:
    """Something comes twice."""
    start, stop = _range(content, random)
    return content[:stop] + content[start:]


def swapped(content: bytes, random: Random) -> bytes:
    """Two neighbours have changed places."""
    start, stop = _range(content, random)
    middle = random.randint(start, stop)
    return content[:start] + content[middle:stop] + content[start:middle] + content[stop:]


def renumbered(content: bytes, random: Random) -> bytes:
    """A number is another, or none."""
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    one = random.choice(found)
    return content[: one.start()] + random.choice(NUMBERS) + content[one.end() :]


def reworded(content: bytes, random: Random) -> bytes:
    """A word stands where there was none, or another."""
    start, stop = _range(content, random)
    return content[:start] + random.choice(WORDS) + content[random.choice((start, stop)) :]


def _range(content: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(content))
    return start, min(len(content), start + random.choice((1, 2, 4, 8, 16, 64)))


BYTES: dict[str, Callable[[bytes, Random], bytes]] = {
    change.__name__: change for change in (flipped, cut, without, with_noise, doubled, swapped, renumbered, reworded)
}
"""By name: what is done to a body that has some bytes."""

VALUES = {
    "content-type": ("application/json", "application/x-npy", "application/octet-stream", "text/csv", "", ";", "*/*"),
    "content-encoding": ("gzip", "zstd", "deflate", "br", "identity", "gzip, gzip", "", "x-gzip", "\xff"),
    "accept": ("application/x-npy", "application/octet-stream", "*/*", "text/csv", "", ";q=", "a/b;q=nan"),
    "accept-encoding": ("gzip", "deflate", "identity;q=0", "*;q=2", ""),
    "inference-header-content-length": ("0", "1", "-1", "7", "99999999", "1e3", "9" * 30, "", "\xb2"),
    "request-timeout": ("30", "0", "-1", "nan", "1e9", "9" * 40, ""),
}


def misled(sent: Sent, random: Random) -> Sent:
    """A field is missing, or says something else."""
    name = random.choice((*VALUES, *sent.fields))
    fields = {key: value for key, value in sent.fields.items() if key != name}
    if random.random() < 0.8:
        fields[name] = random.choice(VALUES[name])
    return sent._replace(fields=fields)


def requeried(sent: Sent, random: Random) -> Sent:
    """The query says something else."""
    query = sent.query.encode() or random.choice((b"axes=0", b"keepdims=1", b"shape=2,3&dtype=int8"))
    changed = BYTES[random.choice(list(BYTES))](query, random)
    return sent._replace(query="".join(map(chr, changed)).replace("\x00", "%00"))
