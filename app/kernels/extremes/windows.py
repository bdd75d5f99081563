"""Where the extremes of rows of two or three elements stand.

Each element is compared with the next ones as if a row started there; only the results at real row starts are kept.
Most comparisons are in vain, but NumPy makes ten of elements that lie side by side in the time of one of elements that
lie a row apart.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

LENGTHS = (2, 3)
"""Of rows that are searched this way. Longer rows are faster as columns."""

WINDOWED_BYTES = 1 << 18
"""Of elements that are compared together: what comes of them stays in the second-level cache."""


def found_in_windows(elements: NDArray[Any], length: int, beats: np.ufunc, further: np.ufunc) -> NDArray[np.uint8]:
    """The index of the extreme in each row of `length` of the elements, 1-D.

    An element takes the place of the best before it where it `beats` that; `further` gives the better of two.
    """
    firsts, seconds = elements[:-1], elements[1:]
    found: NDArray[np.uint8] = beats(seconds, firsts).view(np.uint8)
    if length == 3:
        thirds = elements[2:]
        third = beats(thirds, further(firsts, seconds)[:-1]).view(np.uint8)
        third += third
        found = np.maximum(found[:-1], third, out=third)
    return found[::length]
