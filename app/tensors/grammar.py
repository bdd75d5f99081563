"""Any JSON body taken apart, token by token: slower than `skeleton`, in little memory, and the judge of what is JSON.

The walk keeps a byte for each open list or object and the names of open objects, no values. Beside JSON it takes the
tokens NaN, Infinity and -Infinity. What the skeleton could not have a use for is left out of it: what is nested deep
or is long, such as a tensor under a wrong name.
"""

import re
from json import dumps, loads
from sys import intern
from typing import Any, NamedTuple, NoReturn

from app.errors import DuplicateKey, InvalidParameter, MalformedBody
from app.tensors import skeleton
from app.tensors.skeleton import Skeleton, Span

DEEP = 70
"""Lists and objects in so many others come out empty."""

LONG_TEXT = "a long text"
"""Stands for one."""

LONG = 1 << 16
"""Bytes, blanks not counted, beyond which a text, or a list or object two or three deep, comes out as a text that says
so."""

WS = rb"[ \t\r\n]*+"
NUMBER = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
NAME = rb"NaN|-?Infinity"
TEXT = rb'"[^"\\\x00-\x1f]*+"'

TOKEN = re.compile(WS + rb"(?:([\[{])|([\]}])|([,:])|(%b)|(\")|(%b|true|false|null|%b))" % (TEXT, NAME, NUMBER))
OPEN, CLOSE, _, PLAIN, QUOTE, SCALAR = range(1, 7)

_RUN = re.compile(
    rb"(?:%b(?:%b|%b|%b|\[%b\]|\[%b(?:%b)%b\])%b,){1,4096}+" % (WS, NUMBER, NAME, TEXT, WS, WS, NUMBER, WS, WS)
)
_INSIDE = re.compile(rb'[^"\\\x00-\x1f]*+')
_ESCAPE = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_BLANK = re.compile(WS)
_BLANKS = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\r\n]++')
"""Blanks, and texts, which may have some inside."""


def take_apart(body: bytes) -> Skeleton:
    """Any body taken apart; MalformedBody or DuplicateKey if it is not JSON, InvalidParameter if it is all skeleton."""
    walk = _Walk(body, OURS)
    members: Any = walk.all()
    values, base64 = next(iter(walk.lists), None), next(iter(walk.texts), None)
    if values:
        members["data"]["values"] = skeleton.CUT
    if base64:
        members["data"]["base64"] = skeleton.CUT
    return Skeleton(members, values, base64)


def take_inputs_apart(body: bytes) -> tuple[object, list[Span]]:
    """Any body of the Open Inference Protocol taken apart, refused like others; CUT is the data of each input that has
    some, and the spans are where they stand in the body, in the same order."""
    walk = _Walk(body, INPUTS)
    members: Any = walk.all()
    spans = walk.lists
    if spans and isinstance(members, dict) and isinstance(members.get("inputs"), list):
        found = [item for item in members["inputs"] if isinstance(item, dict) and item.get("data") == {}]
        if len(found) == len(spans):
            for item in found:
                item["data"] = skeleton.CUT
            return members, spans
    return members, []


def end_of_text(body: bytes, start: int) -> int:
    """Behind the closing quote of the text that opens at `start`."""
    at = start + 1
    while True:
        at = _INSIDE.match(body, at).end()  # type: ignore[union-attr]
        character = body[at : at + 1]
        if character == b'"':
            return at + 1
        if character != b"\\":
            malformed(body, at, "a control character in a text" if character else "a text without end")
        if (escape := _ESCAPE.match(body, at)) is None:
            malformed(body, at, "an escape that JSON does not have")
        at = escape.end()


def text_of(body: bytes, start: int, end: int) -> str:
    """What the text between two quotes says."""
    said: str = loads(body[start:end])
    if b"\\u" in body[start:end]:
        try:
            said.encode()
        except UnicodeEncodeError:
            malformed(body, start, "half a surrogate pair, which is no character, in the text")
    return said


def malformed(body: bytes, at: int, found: str) -> NoReturn:
    line = body.count(b"\n", 0, at) + 1
    column = len(body[body.rfind(b"\n", 0, at) + 1 : at].decode(errors="replace")) + 1
    raise MalformedBody(f"the body is not JSON: {found} at line {line}, column {column}")


class Tensors(NamedTuple):
    """Where in a body tensors stand: in a member of the outermost object, within so many open lists and objects; the
    members of a tensor that are its elements, as values and as text; and what is written in the place of values."""

    member: str
    within: bytes
    values: str
    text: str
    instead: bytes


OURS = Tensors("data", b"{{", "values", "base64", b"null")
INPUTS = Tensors("inputs", b"{[{", "data", "", b"{}")


class _Walk:
    """One way through a body."""

    def __init__(self, body: bytes, tensors: Tensors) -> None:
        if not body.isascii():
            try:
                body.decode()
            except UnicodeDecodeError as error:
                raise MalformedBody(f"the body is not UTF-8 at byte {error.start}") from None
        self.lists: list[Span] = []
        self.texts: list[Span] = []
        self._body = body
        self._tensors = tensors
        self._at = 0
        self._opened = bytearray()  # one bracket for each list or object that is open
        self._names: list[str | set[str] | None] = []  # for each open object: none yet, its only one, or all of them
        self._path = ["", "", ""]  # by depth, the last name in the object that is open there
        self._kept = bytearray()  # the skeleton
        self._from = 0  # where the text starts that is not in it yet
        self._starts = [0] * (DEEP + 2)  # by depth, where in the skeleton, or in the body if deep, the last one opened
        self._in_values = False

    def all(self) -> object:
        """The members that are left without what is cut out."""
        self._value()
        while self._opened:
            in_list = self._opened[-1] == ord("[")
            token = TOKEN.match(self._body, self._at)
            mark = token[0][-1:] if token else b""
            if token and mark == b",":
                self._at = token.end()
                if in_list:
                    self._run()
                else:
                    self._name()
                self._value()
            elif token and mark == (b"]" if in_list else b"}"):
                self._at = token.end()
                self._close()
            else:
                self._expected(", or ]" if in_list else ", or }")
        if (end := self._after_blanks()) < len(self._body):
            malformed(self._body, end, "more text behind its end")
        return self._members()

    def _value(self) -> None:
        """A value, the first that is no list or object with something in it; those are opened."""
        while True:
            token = TOKEN.match(self._body, self._at)
            kind = token.lastindex if token else None
            if token is None or kind not in (OPEN, PLAIN, QUOTE, SCALAR):
                self._expected("a value")
            start, self._at = token.start(kind), token.end()
            if kind != OPEN:
                if kind == QUOTE:
                    self._at = end_of_text(self._body, start)
                    text_of(self._body, start, self._at)
                self._note(start, kind != SCALAR)
                return
            self._open(start)
            in_list = self._body[start] == ord("[")
            end = self._after_blanks()
            if self._body[end : end + 1] == (b"]" if in_list else b"}"):
                self._at = end + 1
                self._close()
                return
            if in_list:
                self._run()
            else:
                self._name()

    def _name(self) -> None:
        """The name of an object's member, and the colon behind it."""
        token = TOKEN.match(self._body, self._at)
        kind = token.lastindex if token else None
        if token is None or kind not in (PLAIN, QUOTE):
            self._expected("the name of a member")
        start, self._at = token.start(kind), token.end()
        if kind == QUOTE:
            self._at = end_of_text(self._body, start)
        name = text_of(self._body, start, self._at)
        known = self._names[-1]
        if known is None:
            self._names[-1] = intern(name)
        else:
            if isinstance(known, str):
                self._names[-1] = known = {known}
            if name in known:
                raise DuplicateKey(f"the key {dumps(name)[:40]} is given more than once in one object")
            known.add(name)
        if len(self._opened) <= len(self._path):
            self._path[len(self._opened) - 1] = name
        self._at = self._after_blanks()
        if self._body[self._at : self._at + 1] != b":":
            self._expected("a colon")
        self._at += 1

    def _run(self) -> None:
        """Many plain items of a list at once, up to a comma."""
        if run := _RUN.match(self._body, self._at):
            self._at = run.end()

    def _open(self, start: int) -> None:
        if self._in_tensor(self._tensors.values):
            self._in_values = True
            self.lists.append((start, start))
        bracket = self._body[start]
        self._opened.append(bracket)
        if bracket == ord("{"):
            self._names.append(None)
        depth = len(self._opened)
        if depth == DEEP + 1:
            self._starts[depth] = start
        elif depth in (2, 3) and not self._in_values:
            self._keep(start)
            self._starts[depth] = len(self._kept)

    def _close(self) -> None:
        depth = len(self._opened)
        if self._opened.pop() == ord("{"):
            self._names.pop()
        if self._in_values:
            if depth == len(self._tensors.within) + 1:
                self._in_values = False
                self.lists[-1] = self.lists[-1][0], self._at
                self._cut(*self.lists[-1], self._tensors.instead)
        elif depth == DEEP + 1:
            self._cut(self._starts[depth] + 1, self._at - 1, b"")
        elif depth in (2, 3):
            self._keep(self._at)
            if self._squeezed(self._starts[depth], LONG) > LONG:
                # Not emptied: that would be another request. A text is refused wherever a list or an object may stand.
                self._kept[self._starts[depth] :] = b'"a list or an object of too many bytes"'

    def _note(self, start: int, is_text: bool) -> None:
        """A value that is no list and no object, up to where the walk is."""
        if self._in_values:
            return
        if self._in_tensor(self._tensors.values) and not self._body.startswith(b"null", start):
            self.lists.append((start, self._at))
            self._cut(start, self._at, self._tensors.instead)
        elif is_text and self._tensors.text and self._in_tensor(self._tensors.text):
            self.texts.append((start + 1, self._at - 1))
            self._cut(start, self._at, b"null")
        elif is_text and self._at - start > LONG:
            self._cut(start, self._at, b'"%b"' % LONG_TEXT.encode())

    def _in_tensor(self, name: str) -> bool:
        """Whether the next value is a member of a tensor, of that name."""
        within = self._tensors.within
        return self._opened == within and self._path[0] == self._tensors.member and self._path[len(within) - 1] == name

    def _keep(self, end: int) -> None:
        self._kept += self._body[self._from : end]
        self._from = end

    def _cut(self, start: int, end: int, instead: bytes) -> None:
        self._keep(start)
        self._kept += instead
        self._from = end

    def _squeezed(self, start: int, most: int) -> int:
        """The bytes of the skeleton from `start` on, without blanks if it has too many with them: these say nothing."""
        size = len(self._kept) - start
        if size > most and size - sum(self._kept.count(blank, start) for blank in b" \t\r\n") <= most:
            self._kept[start:] = _BLANKS.sub(rb"\1", self._kept[start:])
            size = len(self._kept) - start
        return size

    def _members(self) -> object:
        self._keep(len(self._body))
        if (size := self._squeezed(0, 16 * LONG)) > 16 * LONG:
            said = f"what stands beside values or base64 takes {size} bytes; {16 * LONG} are read at most"
            raise InvalidParameter(said)
        return skeleton.members(bytes(self._kept), cuts=0)

    def _after_blanks(self) -> int:
        return _BLANK.match(self._body, self._at).end()  # type: ignore[union-attr]

    def _expected(self, what: str) -> NoReturn:
        malformed(self._body, self._after_blanks(), f"{what} is expected")
