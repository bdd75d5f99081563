"""The query string beside a binary body: parameters by their names in ONNX, as text.

    axes=0,-1&keepdims=0

An empty `axes` is an empty list. HTTP libraries write what their language calls true and false: true or True. Other
texts that are no integers stay texts, for whom the parameters are to refuse.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote_plus

from app.errors import DuplicateKey, InvalidParameter
from app.names import quoted
from app.tensors.nesting import MAX_RANK

MAX_QUERY = 4096
"""Characters; far more than parameters need."""

LISTS = {"axes": "axes=0,1", "shape": "shape=2,3"}
"""How a list is written, by its name."""

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_BOOLS = {"true": True, "True": True, "false": False, "False": False}


def members(query: str) -> dict[str, str]:
    """Names and values, percent-decoded; DuplicateKey if a name comes twice."""
    if len(query) > MAX_QUERY:
        raise InvalidParameter(f"the query has {len(query)} characters; the limit is {MAX_QUERY}")
    found: dict[str, str] = {}
    for name, value in pairs(query):
        if name in found:
            remedy = f"; write {LISTS[name]}" if name in LISTS else ""
            raise DuplicateKey(f"{quoted(name)} is given twice in the query{remedy}")
        found[name] = value
    return found


def pairs(query: str) -> Iterator[tuple[str, str]]:
    """Each name and its value, percent-decoded, as they come."""
    for part in filter(None, query.split("&")):
        name, _, value = part.partition("=")
        if not name:
            raise InvalidParameter(f"the query has a value without a name: {quoted(part)}")
        yield unquote_plus(name), unquote_plus(value)


def parameters(given: dict[str, str]) -> dict[str, object]:
    """The values of parameters as JSON would have them."""
    return {name: _axes(value) if name == "axes" else _scalar(value) for name, value in given.items()}


def _axes(value: str) -> list[object]:
    listed = value.split(",") if value else []
    if len(listed) > MAX_RANK:
        raise InvalidParameter(f"axes has {len(listed)} members, but the highest rank is {MAX_RANK}", "/axes")
    return [_scalar(axis) for axis in listed]


def _scalar(value: str) -> object:
    return _BOOLS[value] if value in _BOOLS else _integer(value)


def _integer(value: str) -> object:
    return int(value) if _INTEGER.fullmatch(value) else value
