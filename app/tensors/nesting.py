"""Nested lists <-> shape."""

from collections.abc import Sequence
from math import prod

import numpy as np

from app.errors import InvalidShape, ShapeMismatch
from app.names import shown

MAX_RANK = 64
"""As many dimensions as NumPy has."""

VALUES = "/data/values"


def checked_shape(sizes: Sequence[object], place: str) -> tuple[int, ...]:
    """The shape that is given at `place`; InvalidShape if it has too many dimensions, or one that is none."""
    if len(sizes) > MAX_RANK:
        raise InvalidShape(f"shape has {len(sizes)} dimensions, but the highest rank is {MAX_RANK}", place)
    checked: list[int] = []
    for axis, size in enumerate(sizes):
        if type(size) is int and 0 <= size < 2**63:
            checked.append(size)
        else:
            said = f"a dimension must be an integer from 0 to 2**63 - 1, not {shown(size)}"
            raise InvalidShape(said, f"{place}/{axis}")
    return tuple(checked)


def shape_of(marks: bytes) -> tuple[int, ...] | None:
    """The shape of nested lists, by their brackets and commas alone; None if they are ragged or not closed.

    A list of one and an empty list have the same marks, so that a last dimension of 1 may as well be 0. Lists of one
    shape repeat the marks of the first of them, and each list is compared with itself, shifted by one item.
    """
    rank = len(marks) - len(marks.lstrip(b"["))
    if not 0 < rank <= MAX_RANK:
        return None
    sizes: list[int] = []
    item, end = 0, rank
    for level in range(1, rank + 1):
        start = rank - level
        end = marks.find(b"]" * level, end - level + 1) + level  # where the first list of this level closes
        size, over = divmod(end - start - 1, item + 1)
        if end < rank + level or over or not _repeats(marks, start + 1, end - 1, item + 1):
            return None
        sizes.append(size)
        item = end - start
    return tuple(reversed(sizes)) if end == len(marks) else None


def _repeats(marks: bytes, start: int, end: int, period: int) -> bool:
    """Whether items and the commas between them are alike: the first item is known to be one."""
    if period == 1:
        return marks.count(b",", start, end) == end - start
    inside = np.frombuffer(marks, np.uint8, end - start, start)
    first = inside[period - 1 : period]
    alike = bool(np.array_equal(inside[period:], inside[:-period]))
    return alike and bytes(first) in (b"", b",")


def place(index: int, shape: Sequence[int | None]) -> str:
    """The JSON pointer of an element, by its flat index and the shape it is nested in.

    A dimension is None while the first of its lists has not ended.
    """
    steps: list[str] = []
    for size in reversed(shape):
        index, step = (0, index) if size is None else divmod(index, size)
        steps.append(f"/{step}")
    return VALUES + "".join(reversed(steps))


def agreed_shape(declared: tuple[int, ...] | None, nested: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of a tensor from what it says and how it is nested.

    A flat list can have any shape of its size, and empty lists do not show the dimensions that come after them.
    """
    if declared is None or declared == nested:
        return nested
    if 0 in nested and declared[: len(nested)] == nested:
        return declared
    if len(nested) != 1:
        said = f"the elements are nested as {list(nested)}, but shape says {list(declared)}"
        raise ShapeMismatch(said, "/data/shape")
    if nested[0] != prod(declared):
        elements = "element" if nested[0] == 1 else "elements"
        said = f"the list has {nested[0]} {elements}, but shape {list(declared)} needs {prod(declared)}"
        raise ShapeMismatch(said, "/data/shape")
    return declared
