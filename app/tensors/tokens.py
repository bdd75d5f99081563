"""The tokens of JSON, and what is said of a body where another one is expected.

Beside JSON there are the tokens NaN, Infinity and -Infinity.
"""

import re
from json import loads
from typing import NoReturn

from app.errors import MalformedBody

WS = rb"[ \t\r\n]*+"
NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
NAME = rb"NaN|-?Infinity"
TEXT = rb'"[^"\\\x00-\x1f]*+"'

TOKEN = re.compile(WS + rb"(?:([\[{])|([\]}])|([,:])|(%b)|(\")|(%b|true|false|null|%b))" % (TEXT, NAME, NUMBER))
OPEN, CLOSE, _, PLAIN, QUOTE, SCALAR = range(1, 7)

_INSIDE = re.compile(rb'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,4096}+')
_CONTINUED = bytes(range(0x80, 0xC0))
"""Bytes of a character in UTF-8 behind its first one."""
_BLANK = re.compile(WS)

VALUE, FIELD = "a value", "a field name in double quotes"
"""What is expected where anything but a comma, a colon or an end is."""

_MISTAKEN = re.compile(
    rb"(?P<none>none|null)\b|(?P<true>true)\b|(?P<false>false)\b"
    rb"|(?P<nan>[+-]?nan)\b|(?P<infinity>\+?inf(inity)?)\b|(?P<minus>-inf(inity)?)\b"
    rb"|(?P<quote>')|(?P<curly>\xe2\x80[\x98-\x9f])|(?P<comment>/[/*])|(?P<mark>\xef\xbb\xbf)",
    re.IGNORECASE,
)
_HINTS = {
    "none": "did you mean null?",
    "true": "did you mean true?",
    "false": "did you mean false?",
    "nan": "did you mean NaN?",
    "infinity": "did you mean Infinity?",
    "minus": "did you mean -Infinity?",
    "quote": "JSON takes double quotes",
    "curly": "JSON takes straight double quotes",
    "comment": "JSON has no comments",
    "mark": "a byte order mark stands there",
}
"""What is said of something that is found in the place of a value, and which is none."""


def end_of_text(body: bytes, start: int) -> int:
    """Behind the closing quote of the text that opens at `start`."""
    at = start + 1
    while inside := _INSIDE.match(body, at):
        at = inside.end()
    character = body[at : at + 1]
    if character == b"\\":
        malformed(body, at, "an escape that JSON does not have")
    if character != b'"':
        malformed(body, at, "a control character in a text" if character else "a text without end")
    if body.find(b"\\u", start, at) >= 0:
        text_of(body, start, at + 1)
    return at + 1


def text_of(body: bytes, start: int, end: int) -> str:
    """What the text between two quotes says."""
    said: str = loads(body[start:end])
    if not said.isascii():
        try:
            said.encode()
        except UnicodeEncodeError:
            malformed(body, start, "half a surrogate pair, which is no character, in the text")
    return said


def behind_blanks(body: bytes, at: int) -> int:
    return _BLANK.match(body, at).end()  # type: ignore[union-attr]


def expected(body: bytes, at: int, what: str) -> NoReturn:
    """Refuse what comes next, which is not `what`."""
    if not body:
        raise MalformedBody("the body is not JSON: it is empty")
    at = behind_blanks(body, at)
    hint = _hint(body, at, what)
    malformed(body, at, f"{what} is expected", f" ({hint})" if hint else "")


def _hint(body: bytes, at: int, what: str) -> str:
    """What there probably is instead; "" if that cannot be told."""
    if at == len(body):
        return "the text ends there"
    if body[at : at + 1] in b"]}" and what in (VALUE, FIELD):
        comma = body.rfind(b",", 0, at)
        return "is there a comma too many before it?" if comma >= 0 and behind_blanks(body, comma + 1) == at else ""
    mistaken = _MISTAKEN.match(body, at) if what == VALUE else None
    return _HINTS[str(mistaken.lastgroup)] if mistaken else ""


def malformed(body: bytes, at: int, found: str, hint: str = "") -> NoReturn:
    """Say what is found, and where."""
    line = body.count(b"\n", 0, at) + 1
    column = len(body[body.rfind(b"\n", 0, at) + 1 : at].translate(None, _CONTINUED)) + 1
    raise MalformedBody(f"the body is not JSON: {found} at line {line}, column {column}{hint}")


def value_at(body: bytes, at: int) -> tuple[int, int, int]:
    """The kind of the value that comes next, where the token it begins with stands, and where that ends; MalformedBody
    if none comes."""
    token = TOKEN.match(body, at)
    if token is None or token.lastindex not in (OPEN, PLAIN, QUOTE, SCALAR):
        expected(body, at, VALUE)
    return token.lastindex, token.start(token.lastindex), token.end()


def name_at(body: bytes, at: int) -> tuple[str, int]:
    """The name of a member that comes next, and where it ends; MalformedBody if none does."""
    token = TOKEN.match(body, at)
    if token is None or token.lastindex not in (PLAIN, QUOTE):
        expected(body, at, FIELD)
    start, end = token.start(token.lastindex), token.end()
    if token.lastindex == QUOTE:
        end = end_of_text(body, start)
    return text_of(body, start, end), end
