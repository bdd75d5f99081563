"""The usual text of a tensor: nested lists of what its dtype holds, read piece by piece into an array.

A text is cut at any of its commas; the lists open there are closed behind the piece and opened again before the next
one. So each piece is JSON by itself, is read at the speed of its text and in little memory, and other threads have
their turn when it is done. What cannot be read like that is declined, and `literal` has the word.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.tensors.narrowing import narrow, narrow_text
from app.tensors.nesting import MAX_RANK, shape_of
from app.tensors.numerals import Kind, NoNumerals, Reader
from app.tensors.skeleton import Unusual

PIECE = 1 << 18
"""Bytes read at once, a millisecond or two."""

Array = NDArray[Any]


class Piece(NamedTuple):
    """Text from one comma to another, both left out; `opened` lists are open before it and `closed` behind it."""

    text: bytes
    marks: bytes
    opened: int
    closed: int


def read(body: bytes, start: int, end: int, dtype: str, integral: bool = False) -> Array:
    """The tensor that the list in body[start:end] says, in the shape of its nesting; Unusual if it says none.

    `integral`: an integer may be written with a fraction that is zero.
    """
    integral = integral and NUMPY_DTYPES[dtype].kind in "iu"
    marks: list[bytes] = []
    parts: list[Array] = []
    depth = 0
    reader = Reader()
    try:
        for piece in _pieces(body, start, end):
            depth = depth or len(piece.marks) - len(piece.marks.lstrip(b"["))
            if depth > MAX_RANK:
                raise Unusual
            if integral and b"." in piece.text and b'"' not in piece.marks:
                piece = piece._replace(text=_ZERO_FRACTION.sub(b"", piece.text))
            marks.append(piece.marks.translate(None, _ODD) if piece.marks.strip(b"[],") else piece.marks)
            parts.append(_elements(piece, depth, dtype, reader))
    except NoNumerals:
        raise Unusual from None
    shape = shape_of(b",".join(marks))
    values = np.concatenate(parts) if len(parts) > 1 else parts[0]
    if shape is None or values.size != prod(shape):
        if shape is None or values.size or shape[-1] != 1:
            raise Unusual
        shape = (*shape[:-1], 0)
    return values.reshape(shape)


def _pieces(body: bytes, start: int, end: int) -> Iterator[Piece]:
    opened = 0
    while start < end:
        stop = body.rfind(b",", start, start + PIECE) if end - start > PIECE else end
        if stop < 0 and (stop := body.find(b",", start + PIECE, end)) < 0:
            stop = end
        text = body[start:stop]
        marks = _marks(text)
        closed = opened + marks.count(b"[") - marks.count(b"]")
        if closed < 0:
            raise Unusual
        yield Piece(text, marks, opened, closed)
        start, opened = stop + 1, closed


def _marks(text: bytes) -> bytes:
    """What is neither a digit nor belongs to a number. Of long rows, which have few brackets, the commas are counted
    between one bracket and the next: that takes a fifth of the time of looking at every character."""
    if b'"' in text or b"N" in text or b"I" in text:
        return text.translate(None, _PLAIN)
    commas = np.frombuffer(text, np.uint8) == ord(",")
    found: list[bytes] = []
    start = 0
    opened, closed = text.find(b"["), text.find(b"]")
    while opened >= 0 or closed >= 0:
        if len(found) > _MOST_MARKS:
            return text.translate(None, _PLAIN)
        at = opened if closed < 0 or 0 <= opened < closed else closed
        if at > start:
            found.append(b"," * int(np.count_nonzero(commas[start:at])))
        found.append(text[at : at + 1])
        start = at + 1
        if at == opened:
            opened = text.find(b"[", start)
        else:
            closed = text.find(b"]", start)
    found.append(b"," * int(np.count_nonzero(commas[start:])))
    return b"".join(found)


def _elements(piece: Piece, depth: int, dtype: str, reader: Reader) -> Array:
    kind = NUMPY_DTYPES[dtype]
    if dtype == "bool":
        return _numbers(_bools_as_numbers(piece), piece, depth, "u", reader).astype(np.bool_)
    if kind.kind not in "iu":
        return _floats(piece, depth, dtype, reader)
    text = piece.text
    if kind.itemsize == 8 and b'"' in piece.marks:
        text = _DIGITS.sub(rb" \1 ", text)
    wide = _numbers(text, piece, depth, "i" if kind.kind == "i" else "u", reader)
    values = wide.astype(kind, copy=False)
    if kind.itemsize < 8 and not np.array_equal(values, wide):
        raise Unusual
    return values


def _numbers(text: bytes, piece: Piece, depth: int, kind: Kind, reader: Reader) -> Array:
    return reader.read(b"".join((b"[" * piece.opened, text, b"]" * piece.closed)), depth, kind)


def _bools_as_numbers(piece: Piece) -> bytes:
    """true and false written as 1 and 0; no number may be there already."""
    if len(piece.text.translate(None, _DIGIT)) < len(piece.text):
        raise Unusual
    return piece.text.replace(b"true", b" 1 ").replace(b"false", b" 0 ")


def _floats(piece: Piece, depth: int, dtype: str, reader: Reader) -> Array:
    named = b"N" in piece.marks or b"I" in piece.marks
    text = _without_names(piece) if named else piece.text
    wide = _numbers(text, piece, depth, "d", reader)
    elements = _Elements(piece.text, wide.size)
    if np.count_nonzero(wide) < wide.size:
        wide = _with_signs(wide, elements)
    values, doubtful = narrow(wide, dtype)
    for index in doubtful.tolist():
        values[index] = value = narrow_text(elements.text(index), dtype)
        if np.isinf(value):
            raise Unusual
    if named:
        values = values if values.flags.writeable else values.copy()
        values[elements.at(ord("a"))] = np.nan
        infinities = np.flatnonzero(elements.characters == ord("I"))
        negative = elements.characters[infinities - 1] == ord("-")
        values[elements.index(infinities)] = np.where(negative, -np.inf, np.inf)
    return values


def _without_names(piece: Piece) -> bytes:
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

    def text(self, index: int) -> str:
        """What an element is written as."""
        start = self.commas[index - 1] + 1 if index else 0
        end = self.commas[index] if index < self.commas.size else len(self._text)
        return self._text[start:end].strip(b"[] \t\r\n").decode()


_MOST_MARKS = 256
_DIGIT = b"0123456789"
_PLAIN = _DIGIT + b"+-.eE \t\r\n"
_ODD = bytes(set(range(256)) - set(b"[],"))
_EXPONENT = np.frombuffer(b"eE", np.uint8)
_ZERO_FRACTION = re.compile(rb"(?<=[0-9])\.0+(?![0-9eE])")
_DIGITS = re.compile(rb'"(-?(?:0|[1-9][0-9]*))"')
