"""Compressed bodies, decoded as they come and a bounded step at a time: nothing inflates before it is wanted."""

import re
import sys
import zlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Protocol

from app.errors import MalformedBody

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

WINDOW_LOG = 23
"""A window of 8 MiB at most, what RFC 9659 has senders of zstd content keep to."""

_GZIP = 16 + zlib.MAX_WBITS
"""What zlib takes for the format of gzip."""

REMEMBERED = 256
"""Headers longer than this are read anew every time: what is remembered must not grow with what is sent."""

_CODING = re.compile(r"([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*;[ \t]*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?")

_QUICK = 1
"""The level at which answers are compressed: what is sent to save time should not take more of it."""

_SLICE = 1 << 14
"""Bytes looked at together: of a body of many tiny members, the rest is copied once for each."""

_MEMBERS, _SMALL = 1 << 14, 1 << 10
"""So many members of a body may be of any size; if there are more, each must hold so many bytes on average. To begin
one takes some 40 us, however little it holds."""

_TURNS = 1 << 10
"""Calls to a decompressor in one step, however little content they give."""

_BROKEN = {
    "gzip": "is not gzip, or is corrupt",
    "deflate": "is not deflate in the format of zlib (RFC 9110), or is corrupt",
    "zstd": f"is not zstd, is corrupt, or needs a window beyond {2**WINDOW_LOG >> 20} MiB (RFC 9659)",
}


class Member(Protocol):
    """One gzip member or one zstd frame; a body is one or more of them."""

    @property
    def eof(self) -> bool:
        """Whether it has ended."""

    @property
    def needs_input(self) -> bool:
        """Whether it can say nothing more without more bytes."""

    @property
    def unused_data(self) -> bytes:
        """What was given and lies behind its end."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Up to `max_length` bytes of what it holds."""


class Inflating:
    """zlib's decompressor, with the manners of the others."""

    def __init__(self, wbits: int) -> None:
        self._inflating = zlib.decompressobj(wbits)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inflating.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflating.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        held = self._inflating.unconsumed_tail
        content = self._inflating.decompress(held + data if held else data, max_length)
        self.needs_input = len(content) < max_length and not self._inflating.unconsumed_tail
        return content


def _zstd_frame() -> Member:
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: WINDOW_LOG})


ENCODINGS: dict[str, Callable[[], Member]] = {
    "gzip": partial(Inflating, _GZIP),
    "zstd": _zstd_frame,
}
"""By name in Content-Encoding: what makes a decompressor of one member."""

PROTOCOL_ENCODINGS: dict[str, Callable[[], Member]] = {**ENCODINGS, "deflate": partial(Inflating, zlib.MAX_WBITS)}
"""Those of the Open Inference Protocol, whose clients also know this one."""


_WRITTEN = {"gzip": _GZIP, "deflate": zlib.MAX_WBITS}
"""The encodings that an answer may be had in."""


def answer_encoding(accept: str) -> str:
    """The encoding that an Accept-Encoding header asks for an answer in, or "" for none."""
    return (_asked_for if len(accept) <= REMEMBERED else _asked_for.__wrapped__)(accept)


@lru_cache(maxsize=256)
def _asked_for(accept: str) -> str:
    """The encoding that the header prefers to identity, whatever else it lists (RFC 9110, 12.5.3).

    Compressing takes longer than reducing, and most often longer than sending what it saves. So it is done for callers
    who ask for it, by naming one encoding alone, as the protocol's clients do if they are told to, or by giving
    identity a lower weight. A list without identity, such as gzip, deflate, br, is what HTTP libraries send unasked; it
    leaves the choice to the server, and gets the answer as it is.
    """
    weights = _weights(accept)
    rest = weights.get("*")
    plain = weights.get("identity", rest)
    if plain is None:
        plain = 0 if len(weights) == 1 else 1
    best = max(_WRITTEN, key=lambda name: weights.get(name, rest or 0))
    return best if weights.get(best, rest or 0) > plain else ""


def allows(accept: str, encoding: str) -> bool:
    """Whether an Accept-Encoding header gives an encoding a weight, and identity no higher one: for content that is
    compressed already."""
    weights = _weights(accept)
    weight = weights.get(encoding, weights.get("*", 0))
    return weight > 0 and weight >= weights.get("identity", 0)


def _weights(accept: str) -> dict[str, float]:
    """The weight of each coding in an Accept-Encoding header."""
    weights: dict[str, float] = {}
    for part in accept.lower().split(","):
        if coding := _CODING.fullmatch(part.strip(" \t")):
            name = coding[1].removeprefix("x-")  # x-gzip is gzip
            weights[name] = max(float(coding[2] or 1), weights.get(name, 0))
    return weights


def compressed(content: bytes, encoding: str) -> bytes:
    """An answer in its encoding."""
    written = zlib.compressobj(_QUICK, wbits=_WRITTEN[encoding])
    return written.compress(content) + written.flush()


class Decompression:
    """The content of a compressed body."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._make = PROTOCOL_ENCODINGS[encoding]
        self._member = self._make()
        self._given: deque[bytes] = deque()
        self._within = False  # a member
        self._members = 0
        self._size = 0  # of the content

    def give(self, pieces: Sequence[bytes]) -> None:
        """The next bytes of the body."""
        for piece in pieces:
            self._given.extend(piece[start : start + _SLICE] for start in range(0, len(piece), _SLICE))

    @property
    def has_more(self) -> bool:
        """Whether there may be more content in what was given."""
        return bool(self._given) or (self._within and not self._member.needs_input)

    def step(self, most: int) -> bytes:
        """The next content, `most` bytes of it or a little; MalformedBody if the body is not what its encoding says."""
        content: list[bytes] = []
        room = most
        for _ in range(_TURNS):
            if not room or not self.has_more:
                break
            piece = self._decompress(room)
            room -= len(piece)
            content.append(piece)
        return b"".join(content)

    def end(self) -> None:
        """MalformedBody if the body ended within a member, or before one."""
        if self._within and self._members:
            raise MalformedBody(f"{self._more} is not {self._encoding}, or is cut short")
        if self._within or not self._members:
            raise MalformedBody(f"the {self._encoding} content is cut short")

    @property
    def _more(self) -> str:
        """What begins where a member has ended, if it is none."""
        return f"something follows the {self._encoding} content that"

    def _decompress(self, most: int) -> bytes:
        if not self._within:
            self._member = self._make()
            self._within = True
        member = self._member
        data = self._given.popleft() if member.needs_input else b""
        try:
            content = member.decompress(data, most)
        except (zlib.error, zstd.ZstdError):
            what = self._more if self._members else "the content"
            raise MalformedBody(f"{what} {_BROKEN[self._encoding]}") from None
        self._size += len(content)
        if member.eof:
            self._within = False
            self._members += 1
            if self._members > _MEMBERS and self._members * _SMALL > self._size:
                said = f"the {self._encoding} content has {self._members} members that hold {self._size} bytes"
                raise MalformedBody(f"{said}, but more than {_MEMBERS} must hold {_SMALL} each on average")
            if rest := member.unused_data:
                self._given.appendleft(rest)
        return content
