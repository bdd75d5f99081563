"""The usual text of a tensor: nested lists of what its dtype holds, read piece by piece into an array.

A text is cut at any of its commas; the lists open there are closed behind the piece and opened again before the next
one. So each piece is JSON by itself, is read at the speed of its text and in little memory, and other threads have
their turn when it is done. What cannot be read like that is declined, and `literal` has the word.
"""

import re
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.tensors.narrowing import narrow, narrow_texts
from app.tensors.nesting import MAX_RANK, shape_of
from app.tensors.numerals import Kind, NoNumerals, Reader
from app.tensors.pieces import TextPiece, piece_of
from app.tensors.skeleton import Unusual

PIECE = 1 << 17
"""Bytes read at once, a third of a millisecond: meanwhile nothing else can run that needs the interpreter, such as
what receives the rest of the body."""

Array = NDArray[Any]


class Values:
    """The elements of a list, read from comma to comma as far as its text has come."""

    def __init__(self, dtype: str, integral: bool = False) -> None:
        """`integral`: an integer may be written with a fraction that is zero."""
        self.dtype = dtype
        self._integral = integral and NUMPY_DTYPES[dtype].kind in "iu"
        self._reader = Reader()
        self._opened = 0
        self._depth = 0
        self._marks: list[bytes] = []
        self._parts: list[Array] = []

    @property
    def begun(self) -> bool:
        """Whether anything has been read."""
        return bool(self._parts)

    def ahead(self, text: bytes, start: int, end: int) -> int:
        """Read of text[start:end] what is long enough for a piece and certainly not the end of the list; more text is
        to come. Where to go on; Unusual if this is no such list."""
        while end - start > PIECE and (stop := _comma(text, start, end)) >= 0:
            piece = piece_of(text[start:stop], self._opened)
            if piece.closed < 1 or b":" in piece.text or b"}" in piece.text:
                break
            self._take(piece)
            start = stop + 1
        return start

    def finish(self, text: bytes, start: int, end: int) -> Array:
        """The tensor, in the shape of its nesting, now that the list ends with text[start:end]; Unusual if it is
        none."""
        while start < end:
            stop = _comma(text, start, end) if end - start > PIECE else -1
            stop = stop if stop >= 0 else end
            self._take(piece_of(text[start:stop], self._opened))
            start = stop + 1
        shape = shape_of(b",".join(self._marks))
        values = np.concatenate(self._parts) if len(self._parts) > 1 else self._parts[0]
        if shape is None or values.size != prod(shape):
            if shape is None or values.size or shape[-1] != 1:
                raise Unusual
            shape = (*shape[:-1], 0)
        return values.reshape(shape)

    def _take(self, piece: TextPiece) -> None:
        if piece.closed < 0:
            raise Unusual
        self._depth = self._depth or len(piece.marks) - len(piece.marks.lstrip(b"["))
        if self._depth > MAX_RANK:
            raise Unusual
        self._marks.append(piece.brackets)
        self._parts.append(elements(piece, self._depth, self.dtype, self._integral, self._reader))
        self._opened = piece.closed


def read(body: bytes, start: int, end: int, dtype: str, integral: bool = False) -> Array:
    """The tensor that the list in body[start:end] says, in the shape of its nesting; Unusual if it says none.

    `integral`: an integer may be written with a fraction that is zero.
    """
    return Values(dtype, integral).finish(body, start, end)


def _comma(text: bytes, start: int, end: int) -> int:
    """Where a piece ends: at the last comma within its size, or at the first one behind; -1 if there is none."""
    stop = text.rfind(b",", start, start + PIECE)
    return stop if stop >= 0 else text.find(b",", start + PIECE, end)


def elements(piece: TextPiece, depth: int, dtype: str, integral: bool, reader: Reader) -> Array:
    """The elements of a piece of lists nested `depth` deep; Unusual if it takes a closer look. Only its own brackets
    tell whether it is ragged."""
    if integral and b"." in piece.text and b'"' not in piece.marks:
        piece = piece._replace(text=_ZERO_FRACTION.sub(b"", piece.text))
    try:
        return _elements(piece, depth, dtype, reader)
    except NoNumerals:
        raise Unusual from None


def _elements(piece: TextPiece, depth: int, dtype: str, reader: Reader) -> Array:
    kind = NUMPY_DTYPES[dtype]
    if dtype == "bool":
        return _numbers(_bools_as_numbers(piece), piece, depth, "u", reader).astype(np.bool_)
    if kind.kind not in "iu":
        return _floats(piece, depth, dtype, reader)
    text = piece.text
    if kind.itemsize == 8 and b'"' in piece.marks:
        if not _DIGITS.fullmatch(text):
            raise Unusual
        text = text.replace(b'"', b" ")
    wide = _numbers(text, piece, depth, "i" if kind.kind == "i" else "u", reader)
    values = wide.astype(kind, copy=False)
    if kind.itemsize < 8 and not np.array_equal(values, wide):
        raise Unusual
    return values


def _numbers(text: bytes, piece: TextPiece, depth: int, kind: Kind, reader: Reader) -> Array:
    return reader.read(b"".join((b"[" * piece.opened, text, b"]" * piece.closed)), depth, kind)


def _bools_as_numbers(piece: TextPiece) -> bytes:
    """true and false written as 1 and 0; no number may be there already."""
    if len(piece.text.translate(None, _DIGIT)) < len(piece.text):
        raise Unusual
    return piece.text.replace(b"true", b" 1 ").replace(b"false", b" 0 ")


def _floats(piece: TextPiece, depth: int, dtype: str, reader: Reader) -> Array:
    named = b"N" in piece.marks or b"I" in piece.marks
    text = _without_names(piece) if named else piece.text
    wide = _numbers(text, piece, depth, "d", reader)
    elements = _Elements(piece.text, wide.size)
    if np.count_nonzero(wide) < wide.size:
        wide = _with_signs(wide, elements)
    values, doubtful = narrow(wide, dtype)
    if doubtful.size:
        doubtful = doubtful[
            ~(elements.integers(doubtful) & (np.abs(wide[doubtful]) < 2**53) & np.isfinite(values[doubtful]))
        ]
        decided = narrow_texts(elements.texts(doubtful), wide[doubtful], dtype)
        if np.isinf(decided).any():
            raise Unusual
        values[doubtful] = decided
    if named:
        values = values if values.flags.writeable else values.copy()
        values[elements.at(ord("a"))] = np.nan
        infinities = np.flatnonzero(elements.characters == ord("I"))
        negative = elements.characters[infinities - 1] == ord("-")
        values[elements.index(infinities)] = np.where(negative, -np.inf, np.inf)
    return values


def _without_names(piece: TextPiece) -> bytes:
    """NaN and the infinities written as 0, quoted or not; nothing else may be quoted."""
    text, marks = piece.text, piece.marks
    nans, infinities, quotes = marks.count(b"a"), marks.count(b"I"), marks.count(b'"')
    names = [name for name, times in ((b"-Infinity", infinities), (b"Infinity", infinities), (b"NaN", nans)) if times]
    if quotes:
        for name in names:
            text = text.replace(b'"%b"' % name, b" 0 ")
    if quotes < 2 * (nans + infinities):
        for name in names:
            text = text.replace(name, b" 0 ")
    return text


def _with_signs(wide: Array, elements: "_Elements") -> Array:
    """Numbers read with the zeros that are written -0 made minus zeros."""
    characters = elements.characters
    minus = np.flatnonzero((characters[:-1] == ord("-")) & (characters[1:] == ord("0")))
    if minus.size:
        indices = elements.index(minus)
        started = ~np.isin(characters[minus - 1], _EXPONENT) | (minus == 0)
        indices = indices[started]
        indices = indices[(wide[indices] == 0) & ~np.signbit(wide[indices])]
        if indices.size:
            wide = wide.copy()
            wide[indices] = -0.0
    return wide


class _Elements:
    """Where in a text its elements stand."""

    def __init__(self, text: bytes, size: int) -> None:
        """`size`: how many there are."""
        self._text = text
        self._size = size
        self.characters = np.frombuffer(text, np.uint8)

    @cached_property
    def commas(self) -> NDArray[np.intp]:
        """Where the commas between them stand; Unusual if there is none between some."""
        commas = np.flatnonzero(self.characters == ord(","))
        if commas.size + 1 != self._size:
            raise Unusual
        return commas

    def index(self, positions: NDArray[np.intp]) -> NDArray[np.intp]:
        """The elements that hold given characters."""
        return np.searchsorted(self.commas, positions)

    def at(self, character: int) -> NDArray[np.intp]:
        """The elements that hold a character."""
        return self.index(np.flatnonzero(self.characters == character))

    def texts(self, indices: NDArray[np.intp]) -> list[str]:
        """What some elements are written as."""
        bounds = np.concatenate(([-1], self.commas, [len(self._text)]))
        starts, ends = (bounds[indices] + 1).tolist(), bounds[indices + 1].tolist()
        found = [self._text[start:end].strip(b"[] \t\r\n") for start, end in zip(starts, ends, strict=True)]
        return [text.decode() for text in found]

    def integers(self, indices: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of some elements are written without a fraction and an exponent."""
        others = np.zeros(self._size, np.bool_)
        others[self.index(np.flatnonzero((self.characters == ord(".")) | (self.characters | 32 == ord("e"))))] = True
        return ~others[indices]


_DIGIT = b"0123456789"
_EXPONENT = np.frombuffer(b"eE", np.uint8)
_ZERO_FRACTION = re.compile(rb"(?<=[0-9])\.0+(?![0-9eE])")
_DIGITS = re.compile(rb'(?:[^"]*+"-?(?:0|[1-9][0-9]*+)")*+[^"]*+')
"""Text in which whatever is quoted is digits."""
