"""Lists of numbers in JSON -> their numbers in a row.

simdjson writes them into a buffer without an object for each. Where it is not installed, and where it gives up on an
integer beyond 64 bits, orjson makes Python objects of them. Both hold the interpreter while they read, and should be
given pieces of a text that they read in a moment.
"""

from itertools import chain
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

try:
    import simdjson
except ImportError:  # no wheel for this Python
    simdjson = None  # type: ignore[assignment]

Kind = Literal["d", "i", "u"]
"""float64, int64, uint64."""

KINDS: dict[Kind, type[np.number[Any]]] = {"d": np.float64, "i": np.int64, "u": np.uint64}

_TYPES: dict[Kind, set[type]] = {"d": {int, float}, "i": {int}, "u": {int}}


_DIGITS = 768
"""Digits of a number that orjson looks at; it takes what follows for more than nothing, zeros too, and so a tie for
none. A number of more has a run of at least half as many before or after its point."""

_RUN = b"0" * (_DIGITS // 2)
_ALL_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)


class NoNumerals(ValueError):
    """A text that is no JSON, or holds something else than numbers of a kind in lists of one depth."""


class Reader:
    """Reads texts one after another."""

    def __init__(self) -> None:
        self._parser: Any = simdjson.Parser() if simdjson else None

    def read(self, text: bytes, depth: int, kind: Kind) -> NDArray[Any]:
        """The numbers of lists nested `depth` deep, the nearest float64s or exact; NoNumerals if it holds others.

        Minus zero loses its sign where it is written as an integer. A depth that is not everywhere the same may pass.
        """
        if self._parser:
            try:
                return np.frombuffer(self._parser.parse(text).as_buffer(of_type=kind), KINDS[kind])
            except (ValueError, TypeError, RuntimeError):
                if kind != "d":
                    raise NoNumerals from None
        return _listed(text, depth, kind)


def is_json(text: bytes) -> bool:
    """Whether a list or an object is JSON, with no number too large for any dtype, and nested less than 1024 deep."""
    try:
        if simdjson:
            simdjson.Parser().parse(text)
        else:
            orjson.loads(text)
    except (ValueError, RuntimeError):
        return False
    return True


def looked_through(text: bytes) -> bool:
    """Whether orjson looks at every digit of all numbers; of some texts of long numbers this is denied although it
    does."""
    return len(text) <= _DIGITS or _RUN not in text.translate(_ALL_ZEROS)


def _listed(text: bytes, depth: int, kind: Kind) -> NDArray[Any]:
    if kind == "d" and not looked_through(text):
        raise NoNumerals
    try:
        items = orjson.loads(text)
        for _ in range(depth - 1):
            items = list(chain.from_iterable(items))
        if not _TYPES[kind].issuperset(map(type, items)):
            raise NoNumerals
        return np.array(items, KINDS[kind])
    except (TypeError, ValueError, OverflowError):
        raise NoNumerals from None
