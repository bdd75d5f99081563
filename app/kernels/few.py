"""A few elements: by Python's integers, which are exact, as NumPy's calls would cost far more than the arithmetic."""

from collections.abc import Iterable
from math import isfinite

import numpy as np

from app.kernels.kernel import Box

ELEMENTS, OUTPUTS = 64, 8
"""The most elements and outputs that are reduced this way."""

Ratio = tuple[int, int]
"""A fraction whose denominator is a power of two."""


def rows(box: Box) -> list[list[float]] | None:
    """The elements of each output; None where they are many, or not all of them finite."""
    o, r1, i, r2 = box.shape
    if box.size > ELEMENTS or o * i > OUTPUTS:
        return None
    with np.errstate(invalid="ignore"):  # signalling NaN
        wide = box.transpose(0, 2, 1, 3).reshape(o * i, r1 * r2).astype(np.float64)
    found: list[list[float]] = wide.tolist()
    return found if all(isfinite(x) for row in found for x in row) else None


def sum_of(ratios: Iterable[Ratio]) -> tuple[int, int]:
    """The sum of fractions as integer * 2^exponent."""
    terms = list(ratios)
    unit = max([denominator for _, denominator in terms])
    return sum([numerator * (unit // denominator) for numerator, denominator in terms]), 1 - unit.bit_length()


def product_of(row: list[float]) -> tuple[int, int]:
    """The product of finite numbers as integer * 2^exponent."""
    product, exponent = 1, 0
    for x in row:
        numerator, denominator = x.as_integer_ratio()
        product *= numerator
        exponent += 1 - denominator.bit_length()
    return product, exponent
