"""Texts that have been read, so that the next one that differs in its elements and its id alone is not read anew."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import orjson

from app.errors import Refusal
from app.tensors import short, skeleton
from app.tensors.nesting import agreed_shape
from app.tensors.open_inference.members import AXES, DATA, Asked, Input
from app.tensors.open_inference.reading import cut, read_anew
from app.tensors.skeleton import CUT, Span, Unusual

RESTS, REMEMBERED = 256, 512
"""Requests of a client differ in their elements and ids: so many texts without these are remembered, if they are that
short."""

AXES_TEXTS, SHORT_AXES = 8, 64
"""And with each of them so many texts of axes, as most requests have the same."""


class Pattern(NamedTuple):
    """What a text asks for, but for its id and the values of the inputs `names`, whose lists were cut out in that
    order. `axes`: what has been read of such lists."""

    asked: Asked
    names: tuple[str, ...]
    axes: dict[bytes, Input]

    def filled(self, text: bytes, spans: Sequence[Span], identity: str) -> Asked:
        """The same with the id and the values in `text`; ValueError, Unusual or a Refusal if they take a closer
        look."""
        if len(spans) != len(self.names):
            raise Unusual
        known = self.asked
        data, axes = known.data, known.axes
        for name, (start, end) in zip(self.names, spans, strict=True):
            if name == DATA:
                data = _filled(data, text[start:end])
            else:
                axes = self._axes(text[start:end])
        return Asked(identity, data, axes, known.axes_first, known.parameters, known.binary, known.region)

    def _axes(self, text: bytes) -> Input:
        found = self.axes.get(text)
        if found is None:
            assert self.asked.axes is not None
            found = _filled(self.asked.axes, text)
            if len(text) <= SHORT_AXES:
                if len(self.axes) >= AXES_TEXTS:
                    self.axes.clear()
                self.axes[text] = found
        return found


def _filled(given: Input, text: bytes) -> Input:
    """An input with the values that a list says."""
    values = short.read(orjson.loads(text), given.header.dtype)
    agreed_shape(given.header.shape, values.shape)
    return Input(given.header, values.reshape(-1))


class Patterns:
    """Those of the texts that have been read here, by what is left without their lists of elements and their id."""

    def __init__(self) -> None:
        self.known: dict[bytes, Pattern] = {}

    def decode(self, text: bytes) -> Asked:
        """What the JSON of a request asks for; a Refusal if it is malformed or breaks a rule."""
        if len(text) > short.SHORT or short.bent(text):
            return read_anew(text)
        try:
            rest, spans = cut(text)
            rest, identity = _unnamed(rest)
            pattern = self.known.get(rest)
            if pattern is not None:
                return pattern.filled(text, spans, identity)
        except (Unusual, Refusal, ValueError):
            return read_anew(text)
        found = read_anew(text)
        if len(rest) <= REMEMBERED and found.id == identity:
            self._remember(rest, spans, found)
        return found

    def _remember(self, rest: bytes, spans: Sequence[Span], found: Asked) -> None:
        try:
            members: Any = skeleton.members(rest, len(spans))
        except (Unusual, Refusal):
            return
        names = tuple(item["name"] for item in members["inputs"] if item.get("data") is CUT)
        if len(names) == len(spans) and (b'"id"' not in rest or "id" in members):  # else it is that of something else
            if found.axes and AXES in names:
                found = found._replace(axes=Input(found.axes.header))
            if DATA in names:
                found = found._replace(data=Input(found.data.header))
            if len(self.known) >= RESTS:
                self.known.clear()
            self.known[rest] = Pattern(found, names, {})


def _unnamed(rest: bytes) -> tuple[bytes, str]:
    """A text without the value of its one id, and that; the text and "" if it has none or several, or an unusual
    one."""
    if b'"id"' in rest and rest.count(b'"id"') == 1 and (found := _ID.search(rest)):
        return rest[: found.start(1)] + rest[found.end(1) :], found[1].decode()
    return rest, ""


decode = Patterns().decode
"""What all requests of a process are read by."""

_ID = re.compile(rb'(?<!\\)"id"[ \t\r\n]*:[ \t\r\n]*"([^"\\\x00-\x1f]*)"')
