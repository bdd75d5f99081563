"""Lists and objects of any length and depth, found to be JSON at the speed of their text.

A window of text is cut behind one of its marks, the brackets and commas outside of texts. What is open before it and
is needed for it is opened again, what is open behind it is closed, and a parser in C judges the whole. Where it
refuses, the window is walked token by token, and that says what is wrong and where.

Of what is open a byte is kept, of an open object 8 bytes more, and of each name that may come twice 8 bytes: a hash of
it and of the object it stands in. Only where two of them are alike is the text gone through again for the names.
"""

import re
from array import array
from typing import NamedTuple, NoReturn

import numpy as np
import orjson
from numpy.typing import NDArray

from app.errors import DuplicateKey
from app.names import quoted
from app.tensors.marks import Marks
from app.tensors.numerals import is_json
from app.tensors.tokens import (
    CLOSE,
    FIELD,
    OPEN,
    PLAIN,
    QUOTE,
    SCALAR,
    TOKEN,
    VALUE,
    end_of_text,
    expected,
    name_at,
    value_at,
)

WINDOW, NARROW = 1 << 16, 1 << 12
"""Bytes looked at together, and how many where they are nested too deep for the parser."""

FEW = 64
"""Bytes at the start that are read token by token: most lists and objects have no more."""

DEEPEST = 1000
"""Lists and objects in one another that the parser takes."""


class End(NamedTuple):
    """Where a list or object ends, and how many are open in it at most, itself included."""

    at: int
    depth: int


def end_of(body: bytes, start: int) -> End:
    """Of the list or object that opens at `start`; MalformedBody or DuplicateKey if it is no JSON."""
    look = _Look(body, start, frozenset())
    found = look.all()
    hashes = np.sort(np.concatenate(look.hashes)) if look.hashes else np.empty(0, np.uint64)
    twice = hashes[1:][hashes[1:] == hashes[:-1]]
    if twice.size:
        _Look(body, start, frozenset(twice.tolist())).all()
    return found


_FIRST, _NEXT, _BEHIND = range(3)
"""What comes: an item or the end, behind an opening bracket; an item, behind a comma; a comma or the end, behind an
item."""


class _Look:
    """One way through a list or an object."""

    def __init__(self, body: bytes, start: int, suspects: frozenset[int]) -> None:
        """`suspects`: hashes of names that came twice, whose names are to be compared."""
        self.hashes: list[NDArray[np.uint64]] = []
        self._body = body
        self._at = start
        self._state = _BEHIND
        self._opened = bytearray()
        self._objects = array("q")  # where in the body each object opens that is open
        self._depth = 0
        self._window = WINDOW
        self._suspects = suspects
        self._names: set[tuple[int, str]] = set()
        self._open(start)

    def all(self) -> End:
        self._walk(self._at + FEW)
        while self._opened:
            window = self._body[self._at : self._at + self._window]
            if not window or not (self._same(window) or self._judged(window)):
                self._walk(self._at + len(window))
        return End(self._at, self._depth)

    def _same(self, window: bytes) -> bool:
        """Whether the window is but opening brackets of lists, or but closing ones."""
        if window[:1] not in b"[]" or (brackets := window.translate(None, b" \t\r\n")).strip(brackets[:1]):
            return False
        count = len(brackets)
        if brackets[:1] == b"[":
            if self._state == _BEHIND or self._opened[-1:] == b"{":
                return False
            self._opened += brackets
            self._depth = max(self._depth, len(self._opened))
            self._state = _FIRST
        else:
            if self._state == _NEXT or self._opened[-count - 1 :].strip(b"[") or count >= len(self._opened):
                return False
            del self._opened[-count:]
            self._state = _BEHIND
        self._at += len(window)
        return True

    def _judged(self, window: bytes, most: int = WINDOW) -> bool:
        """Whether the parser takes the window up to its last mark, or to so many; then that is where to go on."""
        seen = Marks.of(window, len(self._opened), most)
        if seen is None:
            return False
        height = len(self._opened)
        closing = -min(0, int(seen.depths.min()))
        again = min(closing + 1, height)
        if again + int(seen.depths.max()) > DEEPEST:
            self._window = NARROW
            return self._judged(window[:NARROW], DEEPEST - 1)
        if seen.marks.size < DEEPEST // 2:
            self._window = min(2 * self._window, WINDOW)
        top = bytes(self._opened[-again:])
        left = top[: again - closing] + seen.left_open()
        text = window[: seen.end]
        if not self._is_json(text, top, left):
            return False
        if seen.colons.size:
            self._note(seen, text)
        if closing:
            popped = self._opened[-closing:].count(b"{")
            del self._opened[-closing:]
            if popped:
                del self._objects[-popped:]
        self._objects.frombytes((seen.objects_left_open() + self._at).astype(np.int64).tobytes())
        self._opened += seen.left_open()
        self._depth = max(self._depth, height + int(seen.depths.max()))
        self._at += seen.end
        last = text[-1:]
        self._state = _NEXT if last == b"," else _FIRST if last in b"[{" else _BEHIND
        return True

    def _is_json(self, text: bytes, top: bytes, left: bytes) -> bool:
        """Whether the text may stand where the brackets `top` are open, and leaves the brackets `left` open."""
        if text[-1:] == b",":
            text = text[:-1]
            before = text.rstrip(_BLANKS)[-1:]
            if before in (b"[", b"{") or (not before and self._state != _BEHIND):
                return False
        if self._state == _NEXT and text.lstrip(_BLANKS)[:1] in (b"", b"]", b"}"):
            return False
        start = top[:-1].replace(b"{", b'{"":') + top[-1:]
        if self._state == _BEHIND:
            start += b"0 " if top[-1:] == b"[" else b'"":0 '
        end = left[::-1].translate(_CLOSING)
        if b"N" in text or b"I" in text:
            text = _NAMES.sub(b" 0 ", text)
        return is_json(start + text + end) or is_json(start + _LARGE.sub(_smaller, text) + end)

    def _note(self, seen: "Marks", text: bytes) -> None:
        """The names in a window that may come twice, those that stand alone in objects that are closed left out."""
        owners = seen.owners(self._at, self._opened, self._objects)
        order = np.argsort(owners, kind="stable")
        alike = np.concatenate(([False], owners[order][1:] == owners[order][:-1], [False]))
        several = np.empty(owners.size, np.bool_)
        several[order] = alike[1:] | alike[:-1]
        kept = np.flatnonzero(several | (owners < self._at) | np.isin(owners, seen.objects_left_open() + self._at))
        if kept.size:
            starts, ends = seen.names(kept)
            raw = b",".join([text[start:end] for start, end in zip(starts, ends, strict=True)])
            self._hash(owners[kept], orjson.loads(b"[%b]" % raw))

    def _hash(self, owners: NDArray[np.int64], names: list[str]) -> None:
        hashes = np.array(list(map(hash, names)), np.int64).view(np.uint64)
        hashes ^= hashes >> np.uint64(32)
        hashes = hashes * _ODD + owners.view(np.uint64) * _OTHER
        if not self._suspects:
            self.hashes.append(hashes)
            return
        for mixed, owner, name in zip(hashes.tolist(), owners.tolist(), names, strict=True):
            if mixed in self._suspects:
                if (owner, name) in self._names:
                    raise DuplicateKey(f"the key {quoted(name)} is given more than once in one object")
                self._names.add((owner, name))

    def _walk(self, end: int) -> None:
        """Token by token to the first that ends behind `end`; MalformedBody if there is none that may come."""
        body = self._body
        while self._opened:
            in_list = self._opened[-1] == ord("[")
            token = TOKEN.match(body, self._at)
            kind = token.lastindex if token else None
            mark = body[token.end() - 1 : token.end()] if token else b""
            if token is None or kind is None:
                self._refuse(in_list)
            if kind == CLOSE and self._state != _NEXT and mark == (b"]" if in_list else b"}"):
                self._at = token.end()
                self._opened.pop()
                if not in_list:
                    self._objects.pop()
                self._state = _BEHIND
            elif self._state == _BEHIND:
                if mark != b"," or kind in (PLAIN, QUOTE, SCALAR):
                    self._refuse(in_list)
                self._at = token.end()
                self._state = _NEXT
            else:
                if not in_list:
                    self._name()
                self._item()
            if self._at >= end:
                return

    def _name(self) -> None:
        name, end = name_at(self._body, self._at)
        self._hash(np.array([self._objects[-1]], np.int64), [name])
        token = TOKEN.match(self._body, end)
        if token is None or self._body[token.end() - 1 : token.end()] != b":":
            expected(self._body, end, "a colon")
        self._at = token.end()

    def _item(self) -> None:
        kind, start, end = value_at(self._body, self._at)
        if kind == OPEN:
            self._open(end - 1)
            return
        self._at = end if kind != QUOTE else end_of_text(self._body, start)
        self._state = _BEHIND

    def _open(self, start: int) -> None:
        self._opened.append(self._body[start])
        if self._body[start] == ord("{"):
            self._objects.append(start)
        self._depth = max(self._depth, len(self._opened))
        self._at = start + 1
        self._state = _FIRST

    def _refuse(self, in_list: bool) -> NoReturn:
        what = VALUE if in_list else FIELD
        if self._state == _BEHIND:
            what = '"," or "]"' if in_list else '"," or "}"'
        expected(self._body, self._at, what)


def _smaller(found: re.Match[bytes]) -> bytes:
    """A number as good as one that is JSON but too large for the parser."""
    return b"e0" if found[0][:1] in b"eE" else found[0][:2]


_BLANKS = b" \t\r\n"
_CLOSING = bytes.maketrans(b"[{", b"]}")
_NAMES = re.compile(rb"NaN|-?Infinity")
_LARGE = re.compile(rb"[eE][+-]?[0-9]{3,}|[0-9]{19,}")
_ODD, _OTHER = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
