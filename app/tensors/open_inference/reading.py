"""The text of a request -> what it asks for, by the three readings that our own JSON has."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

import orjson
from numpy.typing import NDArray

from app.errors import InvalidParameter, Refusal
from app.tensors import grammar, literal, plain, short, skeleton
from app.tensors.open_inference.members import Asked, asked
from app.tensors.skeleton import CUT, Members, Span, Unusual

INPUTS = 2
"""There are data and axes, each once."""


def read_anew(text: bytes) -> Asked:
    """What the JSON of a request asks for; a Refusal if it is malformed or breaks a rule.

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
        return _asked(text, *grammar.take_inputs_apart(text), literal.read)
    except Unusual:  # an input whose data was cut out has become a text
        said = f"an input has more than {grammar.LONG} bytes beside its data, which is the limit"
        raise InvalidParameter(said, "/inputs") from None


def _asked(text: bytes, members: object, spans: list[Span], read: Any) -> Asked:
    """What a text asks for that was taken apart: each input's data was cut out."""
    inputs = members.get("inputs") if isinstance(members, dict) else None
    items = inputs if isinstance(inputs, list) else []
    lists = [item for item in items if isinstance(item, dict) and item.get("data") is CUT]
    if len(lists) != len(spans):
        raise Unusual
    for item, span in zip(lists, spans, strict=True):
        item["data"] = span

    def values(found: Any, dtype: str) -> NDArray[Any]:
        if not isinstance(found, tuple):
            raise Unusual
        array: NDArray[Any] = read(text, *found, dtype, integral=True)
        return array

    return asked(members, values)


def _take_apart(text: bytes) -> tuple[object, list[Span]]:
    """A usual text taken apart; Unusual or DuplicateKey if it is none."""
    rest, spans = cut(text)
    if len(rest) > skeleton.SHORT or b"\\u" in rest:
        raise Unusual
    return skeleton.members(rest, len(spans)), spans


def cut(text: bytes) -> tuple[bytes, list[Span]]:
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
    if text.count(b":") != keys or short.bent(text):
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
