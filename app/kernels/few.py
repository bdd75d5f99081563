"""A few elements: by Python's own numbers, as NumPy's calls would cost far more than the arithmetic.

Its floats decide nearly all: `fsum` rounds a sum once and tells what is left of it, and a bound tells whether a result
rounds alike wherever it is within. Its integers, which are exact, decide the others.
"""

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.kernel import TOGETHER, Box
from app.kernels.rounding import BFLOAT16, FLOAT_FORMATS, cast

ELEMENTS, OUTPUTS = TOGETHER, 8
"""The most elements and outputs that are reduced this way."""


def rows(box: Box) -> list[list[float]] | None:
    """The elements of each output; None where they are many, or not all of them finite."""
    o, r1, i, r2 = box.shape
    if box.size > ELEMENTS or o * i > OUTPUTS:
        return None
    own = box.astype(np.float32) if box.dtype == BFLOAT16 else box
    along = own if r1 == 1 else own.transpose(0, 2, 1, 3)
    found: list[list[float]] = along.reshape(o * i, r1 * r2).tolist()
    return found if all(all(map(isfinite, row)) for row in found) else None


def rounded(results: list[float], dtype: np.dtype[Any]) -> NDArray[Any]:
    """What `cast` makes of the results."""
    limit = FLOAT_FORMATS[dtype].largest
    if dtype != BFLOAT16 and max(results) <= limit and min(results) >= -limit:
        return np.array(results, dtype)
    return cast(np.array(results), dtype)


def sum_of(terms: list[float]) -> tuple[int, int]:
    """The sum of finite numbers as integer * 2^exponent."""
    ratios = [x.as_integer_ratio() for x in terms]
    unit = max([denominator for _, denominator in ratios])
    return sum([numerator * (unit // denominator) for numerator, denominator in ratios]), 1 - unit.bit_length()


def product_of(row: list[float]) -> tuple[int, int]:
    """The product of finite numbers as integer * 2^exponent."""
    product, exponent = 1, 0
    for x in row:
        numerator, denominator = x.as_integer_ratio()
        product *= numerator
        exponent += 1 - denominator.bit_length()
    return product, exponent
