"""A search of long lines that looks closely only at the group of each line that holds its extreme."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def found_in_groups(
    length: int,
    size: int,
    of_groups: Callable[[slice], Array],
    rivals: Callable[[Array], Array],
    nearest: Callable[[Array, Array], Array],
    window: Callable[[Array], Array],
) -> tuple[Array, Array]:
    """The extremes of lines of `length` elements, and their indices.

    `of_groups` gives the extremes of all groups of `size` elements in a part of every line, `rivals` those of whole
    lines, `nearest` the first or last place in each line that ties with them, and `window` the group of each line that
    begins at a given element.
    """
    starts = np.arange(0, length - size + 1, size)
    found = of_groups(slice(0, len(starts) * size))
    if length % size:
        # The last group may overlap the one before: what ties in both has the same index, whichever is searched.
        starts = np.append(starts, length - size)
        found = np.concatenate([found, of_groups(slice(length - size, length))], axis=1)
    best = rivals(found)
    first = starts[nearest(found, best)]
    return best, first + nearest(window(first), best)
