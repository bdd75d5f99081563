"""Where the first extreme of a row of narrow floats stands, by NumPy's search of their bits.

As unsigned integers the most negative number is the largest, as signed ones the most positive. That is the extreme of
nearly every row; where it is not, or where there may be a NaN or zeros of both signs, there is no answer here.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.rounding import FloatFormat


def first_extremes(rows: NDArray[Any], form: FloatFormat, largest: bool) -> NDArray[np.intp] | None:
    """The first index of the extreme of each row of bits (n, r); None where bits do not tell."""
    sign, every = 1 << (8 * rows.itemsize - 1), np.arange(len(rows))
    signed = rows.view(f"i{rows.itemsize}")
    # Of two views, the one that is searched tells its own largest element by those of its rows.
    searched, other = (signed, rows) if largest else (rows, signed)
    farthest = int(np.maximum.reduce(other, axis=None))
    if farthest > (sign + form.infinity if largest else form.infinity):
        return None
    indices = searched.argmax(axis=1)
    found = searched[every, indices]
    lowest, highest = int(found.min()), int(found.max())
    if largest:
        return indices if lowest > 0 and highest <= form.infinity else None
    if sign < lowest and highest <= sign + form.infinity:
        return indices
    return rows.argmin(axis=1) if highest < sign else None  # then none has a sign, and the bits are in order
