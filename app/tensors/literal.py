"""Any text of a tensor, read exactly. Every refusal of an element or of its nesting is here.

What is nested as the lists before it were, and of the usual elements, is read in pieces as `plain` does; what is not,
element by element, and so is no more of a text than a few thousand bytes around each element that is unusual.
"""

import re
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.errors import InvalidShape, RaggedNesting
from app.tensors import plain
from app.tensors.conversion import NOT_FINITE, Integer, Real, Word, as_integer, convert
from app.tensors.nesting import MAX_RANK, VALUES, place
from app.tensors.numerals import Reader
from app.tensors.pieces import piece_of
from app.tensors.regular import Regular
from app.tensors.skeleton import Unusual
from app.tensors.tokens import CLOSE, NUMBER, OPEN, PLAIN, QUOTE, TOKEN, WS, end_of_text, text_of

BATCH = 1 << 14
"""Elements that are Python objects at one time."""

LEAST_PIECE = 1 << 12
"""Bytes of a piece that are read element by element at once if they are not usual."""

_RUN = re.compile(rb"(?:%b%b%b,){1,256}+" % (WS, NUMBER, WS))

_ESCAPED = re.compile(rb'"[^"\\]*+(?:\\[^"][^"\\]*+)++"')

_WORDS: dict[bytes, object] = {
    b"true": True,
    b"false": False,
    b"null": None,
    **{name.encode(): Word(name) for name in NOT_FINITE},
}


def read(body: bytes, start: int, end: int, dtype: str, integral: bool = False) -> NDArray[Any]:
    """The tensor that a value in body[start:end] says, in the shape of its nesting; the text is known to be JSON.

    `integral`: an integer may be written with a fraction that is zero, or with an exponent.
    Refused with InvalidElement, RaggedNesting or InvalidShape, whichever comes first in the text.
    """
    return _Lists(dtype, integral and NUMPY_DTYPES[dtype].kind in "iu").read(body, start, end)


class _Lists:
    """What is known of nested lists while they are read."""

    def __init__(self, dtype: str, integral: bool) -> None:
        self._dtype = dtype
        self._integral = integral
        self._reader = Reader()
        self._number = _as_integer if integral else _number
        self._steps: list[int] = []  # for each open list, how many of its items have ended
        self._sizes: list[int | None] = []  # by depth, the size of the lists there; None until the first has ended
        self._rank: int | None = None  # in how many lists the elements stand
        self._elements: list[Any] = []
        self._done: list[NDArray[Any]] = []
        self._count = 0

    def read(self, body: bytes, start: int, end: int) -> NDArray[Any]:
        start = self._walk(body, start, start, end)
        size = plain.PIECE
        while start < end:
            stop = body.rfind(b",", start, min(start + size, end))
            if stop > start and self._take(body[start:stop]):
                start = stop + 1
                size = min(2 * size, plain.PIECE)
            elif stop > start and size > LEAST_PIECE:
                size = LEAST_PIECE
            else:
                start = self._walk(body, start, start + size, end)
        self._convert()
        return np.concatenate(self._done).reshape([size or 0 for size in self._sizes])

    def _take(self, text: bytes) -> bool:
        """Whether a text from comma to comma goes on as the lists before it and has the usual elements; then they are
        read."""
        regular = Regular.of(self._sizes, self._steps)
        if regular is None:
            return False
        if b"\\" in text:
            text = _ESCAPED.sub(_unescaped, text)
        piece = piece_of(text, len(self._steps))
        if piece.closed < 1 or (steps := regular.behind(piece.brackets)) is None:
            return False
        try:
            values = plain.elements(piece, len(self._sizes), self._dtype, self._integral, self._reader)
        except Unusual:
            return False
        if values.size != regular.elements(steps):
            return False
        self._convert()
        self._done.append(values)
        self._count += values.size
        self._steps = steps
        if values.size:
            self._rank = len(self._sizes)
        return True

    def _walk(self, body: bytes, start: int, stop: int, end: int) -> int:
        """Token by token to the first comma between elements that is not before `stop`; behind it."""
        while start < end and (token := TOKEN.match(body, start, end)):
            kind = token.lastindex
            start = token.end()
            if kind == OPEN:
                self._open(body[start - 1] == ord("{"))
            elif kind == CLOSE:
                self._close()
            elif kind in (PLAIN, QUOTE):
                opening = token.start(kind)
                start = end_of_text(body, opening)
                self._element(text_of(body, opening, start))
            elif kind is not None and kind > QUOTE:
                word = token[kind]
                self._element(_WORDS[word] if word in _WORDS else self._number(word.decode()))
            elif start > stop:
                return start
            elif self._rank == len(self._steps) and (run := _RUN.match(body, start, end)):
                start = self._numbers(run, start)
        return end

    def _open(self, is_object: bool) -> None:
        if is_object:
            self._element({})
            self._convert()
        self._check_room()
        depth = len(self._steps)
        if depth == MAX_RANK:
            self._refuse(InvalidShape(f"the lists are nested deeper than {MAX_RANK}, the highest rank", VALUES))
        if depth == self._rank:
            self._refuse(self._ragged("a list stands where a single value stood before it"))
        self._steps.append(0)
        if len(self._sizes) == depth:
            self._sizes.append(None)

    def _close(self) -> None:
        size = self._steps.pop()
        depth = len(self._steps)
        before = self._sizes[depth]
        if before is None:
            self._sizes[depth] = size
        elif size != before:
            self._refuse(self._ragged(f"a list of {size} stands where a list of {before} stood before it"))
        self._end_of_item()

    def _element(self, element: object) -> None:
        self._check_room()
        depth = len(self._steps)
        if depth < len(self._sizes):
            stood = "a list" if self._sizes[depth] is None else f"a list of {self._sizes[depth]}"
            self._refuse(self._ragged(f"a single value stands where {stood} stood before it"))
        self._rank = depth
        self._elements.append(element)
        self._end_of_item()
        if len(self._elements) >= BATCH:
            self._convert()

    def _numbers(self, run: re.Match[bytes], start: int) -> int:
        """Numbers at once that stand among others, each with a comma behind it; where to go on reading."""
        texts = run[0].decode().split(",")[:-1]
        size = self._sizes[-1]
        if size is not None and self._steps[-1] + len(texts) > size:
            return start
        self._elements += [self._number(text.strip()) for text in texts]
        self._steps[-1] += len(texts)
        if len(self._elements) >= BATCH:
            self._convert()
        return run.end()

    def _check_room(self) -> None:
        """Refuse an item in a list that is already as long as those before it."""
        if self._steps and self._steps[-1] == (size := self._sizes[len(self._steps) - 1]):
            self._steps.pop()
            self._refuse(self._ragged(f"a list of more than {size} stands where a list of {size} stood before it"))

    def _end_of_item(self) -> None:
        if self._steps:
            self._steps[-1] += 1

    def _ragged(self, said: str) -> RaggedNesting:
        return RaggedNesting(f"the lists are ragged: {said}", VALUES + "".join(f"/{step}" for step in self._steps))

    def _refuse(self, refusal: InvalidShape | RaggedNesting) -> None:
        self._convert()
        raise refusal

    def _convert(self) -> None:
        """The elements so far, or a refusal of one of them."""
        self._done.append(convert(self._elements, self._dtype, lambda index: place(self._count + index, self._sizes)))
        self._count += len(self._elements)
        self._elements = []


def _unescaped(found: re.Match[bytes]) -> bytes:
    """A text without escapes, if it may be an element."""
    said: str = orjson.loads(found[0])
    return b'"%b"' % said.encode() if said.replace("-", "").isalnum() else found[0]


def _number(text: str) -> Integer | Real:
    return Integer(text) if text.lstrip("-").isdigit() else Real(text)


def _as_integer(text: str) -> Integer | Real:
    """An Integer, however a number that is one is written."""
    number = _number(text)
    return number if isinstance(number, Integer) else as_integer(number) or number
