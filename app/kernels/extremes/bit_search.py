"""Where the first extreme of a row of narrow floats stands, by NumPy's search of their bits.

As unsigned integers the most negative number is the largest, as signed ones the most positive. That is the extreme of
nearly every row; where it is not, or where there may be a NaN or zeros of both signs, there is no answer here.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.extremes.folding import fold_rows
from app.kernels.rounding import FloatFormat

SHORT = 256
"""Rows shorter than this are sooner searched for an extreme that is known: NumPy is slow to begin a search of a row."""


def first_extremes(rows: NDArray[Any], form: FloatFormat, largest: bool) -> NDArray[np.intp] | None:
    """The first index of the extreme of each row of bits (n, r); None where bits do not tell."""
    sign = 1 << (8 * rows.itemsize - 1)
    signed = rows.view(f"i{rows.itemsize}")
    # Of two views, the one that is searched tells its own largest element by those of its rows.
    searched, other = (signed, rows) if largest else (rows, signed)
    if int(np.maximum.reduce(other, axis=None)) > form.infinity + (sign if largest else 0):
        return None
    indices = None if rows.shape[1] < SHORT else searched.argmax(axis=1)
    found = fold_rows(np.maximum, searched) if indices is None else searched[np.arange(len(rows)), indices]
    lowest, highest = int(found.min()), int(found.max())
    zero = 0 if largest else sign
    if zero < lowest and highest <= zero + form.infinity:
        return np.equal(searched, found[:, np.newaxis]).argmax(axis=1) if indices is None else indices
    if largest or highest >= sign:
        return None
    return rows.argmin(axis=1)  # none has a sign, so the bits are in order
