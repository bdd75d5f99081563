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
    signed = rows.view(f"i{rows.itemsize}")
    sign = 1 << (8 * rows.itemsize - 1)
    most_negative, most_positive = int(np.maximum.reduce(rows, axis=None)), int(np.maximum.reduce(signed, axis=None))
    if most_negative > sign + form.infinity or most_positive > form.infinity:
        return None
    if largest:
        indices = signed.argmax(axis=1)
        found = signed[np.arange(len(rows)), indices].min() > 0
    elif most_negative < sign:  # then none has a sign, and the bits are in order
        return rows.argmin(axis=1)
    else:
        indices = rows.argmax(axis=1)
        found = rows[np.arange(len(rows)), indices].min() > sign
    return indices if found else None
