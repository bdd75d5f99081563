"""Any JSON body taken apart, member by member: slower than `skeleton`, in little memory, and the judge of what is JSON.

What the members could not have a use for is left out of them: what is nested deep or is long, such as a tensor under a
wrong name.
"""

import re
from collections.abc import Iterator

from app.errors import DuplicateKey, InvalidParameter, MalformedBody
from app.names import Unread, quoted
from app.tensors import skeleton
from app.tensors.enclosed import end_of
from app.tensors.skeleton import CUT, Skeleton, Span
from app.tensors.tokens import (
    OPEN,
    QUOTE,
    behind_blanks,
    end_of_text,
    expected,
    malformed,
    name_at,
    value_at,
)

DEEP = 70
"""Of lists and objects that nest deeper no more is kept than that something is nested in them."""

LONG = 1 << 16
"""Bytes, blanks not counted, beyond which a text, a list or an object is left unread."""

MOST = 4 * LONG
"""Bytes of a body beside what is cut out of it, blanks not counted."""

_KINDS = {b'"': "a text", b"[": "a list", b"{": "an object"}

_BLANKS = re.compile(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+")|[ \t\r\n]++')
"""Blanks, and texts, which may have some inside."""


def take_apart(body: bytes) -> Skeleton:
    """Any body taken apart; MalformedBody or DuplicateKey if it is not JSON, InvalidParameter if it is all skeleton."""
    members = _Members(body)
    values: list[Span] = []
    texts: list[Span] = []

    def data(name: str) -> object:
        if name == "values" and not members.next_is(b"null"):
            values.append(members.cut())
            return CUT
        if name == "base64" and members.next_is(b'"'):
            start, end = members.cut()
            texts.append((start + 1, end - 1))
            return CUT
        return members.value()

    def member(name: str) -> object:
        if name == "data" and members.next_is(b"{"):
            return {name: data(name) for name in members.names()}
        return members.value()

    found: object = {name: member(name) for name in members.names()} if members.next_is(b"{") else members.value()
    members.end()
    return Skeleton(found, next(iter(values), None), next(iter(texts), None))


def take_inputs_apart(body: bytes) -> tuple[object, list[Span]]:
    """Any body of the Open Inference Protocol taken apart, refused like others; CUT is the data of each input that has
    some, and the spans are where they stand in the body, in the same order."""
    members = _Members(body)
    spans: list[Span] = []

    def part(name: str) -> object:
        if name == "data" and not members.next_is(b"null"):
            spans.append(members.cut())
            return CUT
        return members.value()

    def item() -> object:
        return {name: part(name) for name in members.names()} if members.next_is(b"{") else members.value()

    def member(name: str) -> object:
        if name == "inputs" and members.next_is(b"["):
            return [item() for _ in members.items()]
        return members.value()

    found: object = {name: member(name) for name in members.names()} if members.next_is(b"{") else members.value()
    members.end()
    return found, spans


class _Members:
    """One way through the members of a body."""

    def __init__(self, body: bytes) -> None:
        if not body.isascii():
            try:
                body.decode()
            except UnicodeDecodeError as error:
                raise MalformedBody(f"the body is not UTF-8 at byte {error.start}") from None
        self._body = body
        self._start = self._at = behind_blanks(body, 0)
        self._cut = 0  # bytes cut out so far

    def next_is(self, text: bytes) -> bool:
        """Whether a text comes next."""
        return self._body.startswith(text, self._at)

    def names(self) -> Iterator[str]:
        """The names of the members of the object that comes next, each given before its value is read."""
        known: set[str] = set()
        for _ in self._each(b"}"):
            name = self._name()
            if name in known:
                raise DuplicateKey(f"the key {quoted(name)} is given more than once in one object")
            known.add(name)
            yield name

    def items(self) -> Iterator[None]:
        """Steps through the list that comes next, to each item before it is read."""
        return self._each(b"]")

    def value(self) -> object:
        """The value that comes next, or what stands for it."""
        start, depth = self._at, self._skip()
        text = _squeezed(self._body[start : self._at])
        first = text[:1]
        is_long = len(text) > LONG and first in _KINDS
        self._cut += self._at - start - (0 if is_long else len(text))
        if depth > DEEP:
            found: object = [[]] if first == b"[" else {"": {}}
        elif is_long:
            found = Unread(_KINDS[first], LONG)  # not emptied: that would be another request
        else:
            found = skeleton.value(text)
        self._check_room()
        return found

    def cut(self) -> Span:
        """Where the value stands that comes next."""
        start = self._at
        self._skip()
        self._cut += self._at - start
        return start, self._at

    def end(self) -> None:
        """MalformedBody if anything follows."""
        if (end := behind_blanks(self._body, self._at)) < len(self._body):
            malformed(self._body, end, "more text behind its end")

    def _each(self, closing: bytes) -> Iterator[None]:
        self._to(self._at + 1)
        if not self.next_is(closing):
            while True:
                yield
                self._to(self._at)
                if not self.next_is(b","):
                    break
                self._to(self._at + 1)
                self._check_room()
            if not self.next_is(closing):
                expected(self._body, self._at, f'"," or "{closing.decode()}"')
        self._at += 1

    def _name(self) -> str:
        name, end = name_at(self._body, self._at)
        self._to(end)
        if not self.next_is(b":"):
            expected(self._body, self._at, "a colon")
        self._to(self._at + 1)
        return name

    def _skip(self) -> int:
        """Go behind the value that comes next; in how many lists and objects something stands in it at most."""
        kind, start, end = value_at(self._body, self._at)
        if kind == OPEN:
            self._at, depth = end_of(self._body, self._at)
            return depth
        self._at = end if kind != QUOTE else end_of_text(self._body, start)
        return 0

    def _to(self, at: int) -> None:
        """Go on to what stands at `at` or behind the blanks there."""
        self._at = behind_blanks(self._body, at)
        self._cut += self._at - at

    def _check_room(self) -> None:
        """InvalidParameter if what was not cut out is more than is read, and the body is JSON."""
        if self._at - self._cut > MOST:
            self._at = self._start
            self._skip()
            self.end()
            raise InvalidParameter(f"beside its elements, the body has more than {MOST} bytes, which is the limit")


def _squeezed(text: bytes) -> bytes:
    """A text without blanks if it is too long with them: these say nothing."""
    if len(text) <= LONG or text[:1] == b'"' or len(text) - sum(map(text.count, (b" ", b"\t", b"\r", b"\n"))) > LONG:
        return text
    return _BLANKS.sub(rb"\1", text)
