"""A JSON body taken apart: the text of the tensor's elements, and what is left without it.

Nearly all of a body is one list of numbers or one base64 text, and nearly none of it says what to do with them. So
the long text is cut out by looking for its end among the bytes, and only the short rest, the skeleton, is read as
JSON with Python objects and checked for keys given twice.

A cut may be taken at a wrong place: then the text is not one whole list, or the skeleton no JSON, and both decline.
"""

import re
from collections import Counter
from collections.abc import Callable
from json import JSONDecoder
from typing import Any, Final, NamedTuple

from app.errors import DuplicateKey
from app.names import Bare, quoted

Span = tuple[int, int]
Members = dict[str, Any]


class Unusual(Exception):
    """A text that a quick reading leaves to a more careful one; never seen by a caller."""


class NotFinite(float, Bare):
    """A number that is none, by name or by its size, with its text."""

    text: str

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, text: str) -> "NotFinite":
        number = cls(text)
        number.text = text
        return number


CUT: Final = NotFinite.of("NaN")
"""Stands in the members where a text was cut out; no other value is this one."""


SHORT = 1 << 16
"""Bytes of skeleton in a usual body, at most."""


class Skeleton(NamedTuple):
    """The members of a body, CUT among them if `values` or `base64` was cut out, and where it stands in the body."""

    members: object
    values: Span | None = None
    base64: Span | None = None


def take_apart(body: bytes) -> Skeleton:
    """A usual body taken apart; Unusual or DuplicateKey if it is none."""
    found = _LONG_TEXT.search(body)
    if found is None:
        raise Unusual
    start = found.end()
    if found[1] == b"[":
        start -= 1
        end = end_of_list(body, start)
        return Skeleton(_around(body, start, end), values=(start, end))
    end = body.find(b'"', start)
    if end < 0:
        raise Unusual
    return Skeleton(_around(body, start - 1, end + 1), base64=(start, end))


def _around(body: bytes, start: int, end: int) -> object:
    skeleton = body[:start] + b"NaN" + body[end:] if len(body) - end + start <= SHORT else b""
    if not skeleton or b"\\u" in skeleton:  # may be half a surrogate pair, which only a walk tells
        raise Unusual
    return members(skeleton)


def start_of_list(start: bytes, end: int) -> int:
    """Where the list of values begins in the first bytes of a body, up to `end`; -1 if it does not, or base64 does."""
    found = _LONG_TEXT.search(start, 0, end)
    return found.end() - 1 if found is not None and found[1] == b"[" else -1


def end_of_list(body: bytes, start: int) -> int:
    """Behind the last ] before the next member, or before the end of the object; there is neither : nor } in lists."""
    end = body.find(b"}", start)
    end = end if end >= 0 else len(body)
    colon = body.find(b":", start, end)
    if colon >= 0:
        end = body.rfind(b'"', start, body.rfind(b'"', start, colon))
    end = body.rfind(b"]", start, end) + 1
    if not end:
        raise Unusual
    return end


def members(skeleton: bytes, cuts: int = 1) -> object:
    """What is left of a body, its tokens NaN read as CUT, of which there must be `cuts`; Unusual if it is no JSON."""
    names: list[str] = []

    def constant(name: str) -> NotFinite:
        names.append(name)
        return CUT

    try:
        found = _reader(constant).decode(skeleton.decode())
    except (ValueError, RecursionError):
        raise Unusual from None
    if names != ["NaN"] * cuts:
        raise Unusual
    return found


def value(text: bytes) -> object:
    """What a text of which nothing was cut says, which is known to be JSON."""
    return _READER.decode(text.decode())


def _reader(constant: Callable[[str], NotFinite]) -> JSONDecoder:
    return JSONDecoder(object_pairs_hook=_object, parse_constant=constant, parse_float=_real, parse_int=_integer)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise DuplicateKey(f"the key {quoted(twice)} is given more than once in one object")
    return found


def _real(text: str) -> float:
    number = float(text)
    return number if number - number == 0 else NotFinite.of(text)


def _integer(text: str) -> int:
    """An integer of the skeleton. Python refuses to read very long ones; none of them is of use here."""
    return int(text[:400])


_READER = _reader(NotFinite.of)
_LONG_TEXT = re.compile(rb'(?<!\\)"(?:values"[ \t\r\n]*:[ \t\r\n]*(?=\[)|base64"[ \t\r\n]*:[ \t\r\n]*(?="))([\["])')
