"""A JSON body taken apart: the text of the tensor's elements, and what is left without it.

Nearly all of a body is one list of numbers or one base64 string, and nearly none of it says what to do with them.
So the long text is cut out by looking for its end among the bytes, and only the short rest, the skeleton, is read
as JSON with Python objects and checked for keys given twice. `quick` cuts what usual bodies look like and declines
the others; `careful` takes any JSON, at the price of one Python object per element, and is the judge of both: it
raises MalformedBody and DuplicateKey. A cut may be taken at the wrong place only in bodies that `quick` declines.
"""

import re
from collections import Counter
from json import JSONDecodeError, JSONDecoder, dumps, loads
from typing import Any, Final, NamedTuple, NoReturn

from app.errors import DuplicateKey, InvalidShape, MalformedBody
from app.tensors.nesting import MAX_RANK, VALUES

CUT: Final = float("nan")
"""Stands in the fields where a text was cut out: what the token NaN reads as in a skeleton."""


class Unusual(Exception):
    """A text that the quick reading leaves to the careful one; never seen by a caller."""


class Integer(str):
    """The text of a number without fraction and exponent."""

    __slots__ = ()


class Real(str):
    """The text of a number with a fraction or an exponent."""

    __slots__ = ()


class Skeleton(NamedTuple):
    """The members of a body, CUT among them if `values` or `base64` was cut out.

    `values` is a list's text (bytes, from `quick`) or nested lists of Integer, Real, str, bool, None and dict (from
    `careful`, the tokens NaN, Infinity and -Infinity as str); `base64` the text between the quotes.
    """

    fields: object
    values: Any = None
    base64: memoryview | None = None


def quick(body: bytes) -> Skeleton:
    """A usual body taken apart; Unusual, MalformedBody or DuplicateKey if it is none."""
    if b"\\" in body:
        raise Unusual
    if (start := _after(body, b'"values"', b"[")) >= 0:
        end, brace = body.find(b'"', start), body.find(b"}", start)
        end = body.rfind(b"]", start, brace if end < 0 or 0 <= brace < end else end) + 1
        return Skeleton(_fields(body[:start] + b"NaN" + body[end:]), values=body[start:end])
    if (start := _after(body, b'"base64"', b'"')) >= 0:
        end = body.find(b'"', start + 1)
        if end < 0:
            raise Unusual
        fields = _fields(body[:start] + b"NaN" + body[end + 1 :])
        return Skeleton(fields, base64=memoryview(body)[start + 1 : end])
    raise Unusual


def careful(body: bytes) -> Skeleton:
    """Any body taken apart; MalformedBody or DuplicateKey if it is not JSON."""
    try:
        text = body.decode()
        if "\\" in text:
            text = _STRING.sub(_plain, text)
            text.encode()
    except UnicodeDecodeError as error:
        raise MalformedBody(f"the body is not UTF-8 at byte {error.start}") from None
    except UnicodeEncodeError:
        raise MalformedBody("the body holds half a surrogate pair, which is no character") from None
    except JSONDecodeError as error:
        _malformed(error)
    found = _VALUES.search(text)
    if found is None:
        return Skeleton(_read(text))
    try:
        values, end = _LITERALS.raw_decode(text, found.end())
    except JSONDecodeError as error:
        _malformed(error)
    except RecursionError:
        raise InvalidShape(f"values are nested deeper than {MAX_RANK} lists, the highest rank", VALUES) from None
    cut = "null" if values is None else "NaN"
    return Skeleton(_read(text[: found.end()] + cut + text[end:]), values)


def _after(body: bytes, name: bytes, opening: bytes) -> int:
    """Where the value of a member starts, if `opening` is its first byte, else -1."""
    found = body.find(name)
    if found < 0:
        return -1
    colon = _COLON.match(body, found + len(name))
    return colon.end() if colon and body.startswith(opening, colon.end()) else -1


def _fields(skeleton: bytes) -> object:
    try:
        return _MEMBERS.decode(skeleton.decode())
    except (ValueError, RecursionError):
        raise Unusual from None


def _read(text: str) -> object:
    try:
        return _ANY_MEMBERS.decode(text)
    except JSONDecodeError as error:
        _malformed(error)
    except RecursionError:
        raise MalformedBody("the body is nested too deeply") from None


def _malformed(error: JSONDecodeError) -> NoReturn:
    raise MalformedBody(f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        twice = next(name for name, times in Counter(name for name, _ in pairs).items() if times > 1)
        raise DuplicateKey(f"the key {dumps(twice)[:40]} is given more than once in one object")
    return members


def _plain(string: re.Match[str]) -> str:
    """A JSON string without any escape it does not need."""
    return dumps(loads(string[0]), ensure_ascii=False)


def _integer(text: str) -> int:
    """An integer of the skeleton. Python refuses to read very long ones; none of them is of use here."""
    return int(text[:400])


_COLON = re.compile(rb"[ \t\r\n]*:[ \t\r\n]*")
_VALUES = re.compile(r'(?<!\\)"values"[ \t\r\n]*:[ \t\r\n]*')
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')

_MEMBERS = JSONDecoder(object_pairs_hook=_object, parse_constant=lambda _: CUT)
_ANY_MEMBERS = JSONDecoder(object_pairs_hook=_object, parse_constant=lambda _: CUT, parse_int=_integer)
_LITERALS = JSONDecoder(object_pairs_hook=_object, parse_int=Integer, parse_float=Real, parse_constant=str)
