"""Nested lists <-> shape."""

from collections.abc import Sequence
from itertools import chain
from math import prod
from typing import Any

from app.errors import InvalidShape, RaggedNesting, ShapeMismatch

MAX_RANK = 64
"""As many dimensions as NumPy has."""

VALUES = "/data/values"


def flatten(nested: object) -> tuple[list[Any], tuple[int, ...]]:
    """The elements of nested lists in row-major order, and their shape; RaggedNesting or InvalidShape if none."""
    level: list[Any] = [nested]
    shape: list[int] = []
    while any(isinstance(item, list) for item in level):
        if len(shape) == MAX_RANK:
            raise InvalidShape(f"values are nested deeper than {MAX_RANK} lists, the highest rank", VALUES)
        size = len(level[0]) if isinstance(level[0], list) else None
        for index, item in enumerate(level):
            found = len(item) if isinstance(item, list) else None
            if found != size:
                said = f"{_said(found)} stands where {_said(size)} stood before it"
                raise RaggedNesting(f"values are ragged: {said}", place(index, shape))
        shape.append(len(level[0]))
        level = list(chain.from_iterable(level))
    return level, tuple(shape)


def _said(size: int | None) -> str:
    return "a single value" if size is None else f"a list of {size}"


def place(index: int, shape: Sequence[int]) -> str:
    """The JSON pointer of an element, by its flat index and the shape it is nested in."""
    steps: list[str] = []
    for size in reversed(shape):
        index, step = divmod(index, size)
        steps.append(f"/{step}")
    return VALUES + "".join(reversed(steps))


def settle(declared: tuple[int, ...] | None, nested: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a tensor from what it says and how it is nested.

    A flat list can have any shape of its size, and empty lists do not show the dimensions that come after them.
    """
    if declared is None or declared == nested:
        return nested
    if 0 in nested and declared[: len(nested)] == nested:
        return declared
    if len(nested) != 1:
        raise ShapeMismatch(f"values are nested as {list(nested)}, and shape says {list(declared)}", "/data/shape")
    if nested[0] != prod(declared):
        said = f"values has {nested[0]} elements, and shape {list(declared)} has {prod(declared)}"
        raise ShapeMismatch(said, "/data/shape")
    return declared
