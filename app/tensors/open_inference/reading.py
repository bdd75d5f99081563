"""The text of a request -> what it asks for, by the three readings that our own JSON has."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import orjson
from numpy.typing import NDArray

from app.errors import InvalidParameter, Refusal
from app.tensors import grammar, literal, plain, short, skeleton
from app.tensors.nesting import settle
from app.tensors.open_inference.members import AXES, DATA, Asked, Input, asked
from app.tensors.skeleton import CUT, Members, Span, Unusual

RESTS, REMEMBERED = 256, 512
"""Requests of a client differ in their elements and ids: so many texts without these are remembered, if they are that
short."""

INPUTS = 2
"""There are data and axes, each once."""

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
    settle(given.header.shape, values.shape)
    return Input(given.header, values.reshape(-1))


_patterns: dict[bytes, Pattern] = {}


def decode(text: bytes) -> Asked:
    """What the JSON of a request asks for; a Refusal if it is malformed or breaks a rule."""
    if len(text) > short.SHORT or (b"-0" in text and short.MINUS_ZERO.search(text)):
        return _decode(text)
    try:
        rest, spans = _cut(text)
        rest, identity = _unnamed(rest)
        pattern = _patterns.get(rest)
        if pattern is not None:
            return pattern.filled(text, spans, identity)
    except (Unusual, Refusal, ValueError):
        return _decode(text)
    found = _decode(text)
    if len(rest) <= REMEMBERED and found.id == identity:
        _remember(rest, spans, found)
    return found


def _unnamed(rest: bytes) -> tuple[bytes, str]:
    """A text without the value of its one id, and that; the text and "" if it has none or several, or an unusual
    one."""
    if b'"id"' in rest and rest.count(b'"id"') == 1 and (found := _ID.search(rest)):
        return rest[: found.start(1)] + rest[found.end(1) :], found[1].decode()
    return rest, ""


def _remember(rest: bytes, spans: Sequence[Span], found: Asked) -> None:
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
        if len(_patterns) >= RESTS:
            _patterns.clear()
        _patterns[rest] = Pattern(found, names, {})


def _decode(text: bytes) -> Asked:
    """The same, read anew.

    Each reading leaves to the next what it does not take; the last takes everything, and what it refuses is refused.
    """
    if len(text) <= short.SHORT:
        try:
            return asked(_short(text), short.read)
        except (Unusual, Refusal):
            pass
    try:
        return _asked(text, *_take_apart(text), plain.read)
    except (Unusual, Refusal):
        pass
    try:
        found = _asked(text, *grammar.take_inputs_apart(text), literal.read)
    except Unusual:  # an input whose data was cut out has become a text
        said = f"an input has more than {grammar.LONG} bytes beside its data, which are read at most"
        raise InvalidParameter(said, "/inputs") from None
    if found.id == grammar.LONG_TEXT:
        raise InvalidParameter(f"id has more than {grammar.LONG} bytes, which are read at most", "/id")
    return found


def _asked(text: bytes, members: object, spans: list[Span], read: Any) -> Asked:
    """What a text asks for that was taken apart: each input's data was cut out."""
    inputs = members.get("inputs") if isinstance(members, dict) else None
    items = inputs if isinstance(inputs, list) else []
    cut = [item for item in items if isinstance(item, dict) and item.get("data") is CUT]
    if len(cut) != len(spans):
        raise Unusual
    for item, span in zip(cut, spans, strict=True):
        item["data"] = span

    def values(found: Any, dtype: str) -> NDArray[Any]:
        if not isinstance(found, tuple):
            raise Unusual
        array: NDArray[Any] = read(text, *found, dtype, integral=True)
        return array

    return asked(members, values)


def _take_apart(text: bytes) -> tuple[object, list[Span]]:
    """A usual text taken apart; Unusual or DuplicateKey if it is none."""
    rest, spans = _cut(text)
    if len(rest) > skeleton.SHORT or b"\\u" in rest:
        raise Unusual
    return skeleton.members(rest, len(spans)), spans


def _cut(text: bytes) -> tuple[bytes, list[Span]]:
    """A usual text with NaN for each list of elements, and where these are; Unusual if one has no end, or there are
    more than inputs: each may have its end looked for through all that follows."""
    spans: list[Span] = []
    kept: list[bytes] = []
    at = 0
    while found := _DATA.search(text, at):
        if len(spans) == INPUTS:
            raise Unusual
        start = found.end() - 1
        end = skeleton.end_of_list(text, start)
        spans.append((start, end))
        kept += (text[at:start], b"NaN")
        at = end
    kept.append(text[at:])
    return b"".join(kept), spans


def _short(text: bytes) -> Members:
    """The members of a short text, each given once."""
    try:
        members: Members = orjson.loads(text)
        keys = sum(map(len, _objects(members)))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise Unusual from None
    if text.count(b":") != keys or (b"-0" in text and short.MINUS_ZERO.search(text)):
        raise Unusual
    return members


def _objects(members: Members) -> Iterator[dict[str, object]]:
    """All objects of a usual request."""
    yield members
    yield members.get("parameters") or {}
    for tensor in chain(members["inputs"], members.get("outputs") or ()):
        yield tensor
        yield tensor.get("parameters") or {}


_DATA = re.compile(rb'(?<!\\)"data"[ \t\r\n]*:[ \t\r\n]*\[')
_ID = re.compile(rb'(?<!\\)"id"[ \t\r\n]*:[ \t\r\n]*"([^"\\\x00-\x1f]*)"')
