"""Double-double arithmetic: a number as high + low, two float64 of which |low| <= ulp(high) / 2.

106 bits from float64 operations alone (Dekker, "A floating-point technique for extending the available precision",
1971; bounds in Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building blocks of
double-word arithmetic", 2017). NumPy offers no fused multiply-add, so products are split by their bits. Everything
here needs its numbers, products and their errors clear of overflow and of the subnormals, and then scales: a power of
two in goes out as the same power of two.
"""

from collections.abc import Sequence
from math import ldexp
from typing import TypeVar

import numpy as np

from app.kernels.rounding import Floats

# A head keeps 26 of 53 bits: half of the bits it leaves off, in units of the last, and a mask of those it keeps.
_HALF_TAIL = np.int64(1 << 26)
_HEAD_MASK = np.int64(-1 << 27)
# Times a number, less the product less the number: its leading 26 bits.
_SPLITTER = 2.0**27 + 1

Number = TypeVar("Number", float, Floats)


def two_sum(a: Number, b: Number) -> tuple[Number, Number]:
    """a + b as high + low, exactly, whatever their order of size (Knuth)."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def quick_two_sum(a: Number, b: Number) -> tuple[Number, Number]:
    """a + b as high + low, exactly, where |a| >= |b| or a is 0 (Dekker)."""
    high = a + b
    return high, b - (high - a)


def split(a: Floats, head: Floats, tail: Floats) -> None:
    """`a` as head + tail, exactly: the nearest number of 26 bits, and the 26 bits and a sign that it lacks."""
    bits = head.view(np.int64)
    np.add(a.view(np.int64), _HALF_TAIL, out=bits)
    bits &= _HEAD_MASK
    np.subtract(a, head, out=tail)


def two_product_into(high: Floats, other: Floats, low: Floats, scratch: Sequence[Floats]) -> None:
    """high + low = high * other, exactly (Dekker): the four products of heads and tails have 52 bits at most.

    `scratch` holds four arrays of the same shape.
    """
    tail, head2, tail2, last = scratch[:4]
    split(high, low, tail)
    split(other, head2, tail2)
    np.multiply(tail, tail2, out=last)
    tail2 *= low
    tail *= head2
    low *= head2
    high *= other
    low -= high
    low += tail2
    low += tail
    low += last


def multiply_into(high: Floats, low: Floats, other: Floats, rest: Floats, scratch: Sequence[Floats]) -> None:
    """high + low = (high + low) * (other + rest), within 5 * 2^-106 of itself. Overwrites `rest`.

    Joldes, Muller and Popescu, algorithm 10. `scratch` holds five arrays of the same shape.
    """
    low *= other
    rest *= high
    low += rest
    error, sums = scratch[4], rest
    two_product_into(high, other, error, scratch)
    error += low
    np.add(high, error, out=sums)
    high -= sums
    np.add(high, error, out=low)
    high[...] = sums


def two_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a * b as high + low, exactly."""
    high, low = a.copy(), np.empty_like(a)
    two_product_into(high, b, low, [np.empty_like(a) for _ in range(4)])
    return high, low


def two_product_of_one(a: float, b: float) -> tuple[float, float]:
    """a * b as high + low, exactly, for numbers below 2^996 (Veltkamp and Dekker)."""
    high = a * b
    a_head, b_head = a * _SPLITTER, b * _SPLITTER
    a_head, b_head = a_head - (a_head - a), b_head - (b_head - b)
    a_tail, b_tail = a - a_head, b - b_head
    return high, a_tail * b_tail - (((high - a_head * b_head) - a_tail * b_head) - a_head * b_tail)


def add(high: Number, low: Number, other: Number, rest: Number) -> tuple[Number, Number]:
    """The sum of two double-doubles of the same sign, within 2^-104 of itself."""
    total, error = two_sum(high, other)
    return quick_two_sum(total, error + (low + rest))


def from_fixed(value: int, point: int) -> tuple[float, float]:
    """value * 2^-point as high + low, for tables that are made of integers."""
    high = ldexp(value, -point)
    return high, ldexp(value - int(ldexp(high, point)), -point)
