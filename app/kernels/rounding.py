"""The one rounding: from an exact or nearly exact value, half to even, into the output dtype.

A value is held as high + low, two float64 with |low| <= ulp(high) / 2, at times with a power of two beside
them. NumPy's own casts round a float64 correctly, so all that is left to do is never to round twice.
"""

from dataclasses import dataclass
from functools import cached_property
from math import frexp, inf, ldexp, nextafter
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class FloatFormat:
    """A binary float format: bits of precision, the exponent of its smallest normal number, its quiet NaN."""

    dtype: np.dtype[Any]
    precision: int
    lowest_exponent: int
    bits: np.dtype[Any]
    nan_bits: int

    @cached_property
    def magnitude(self) -> np.generic:
        """A mask of all bits but the sign."""
        mask: np.generic = self.bits.type((1 << (8 * self.dtype.itemsize - 1)) - 1)
        return mask

    @cached_property
    def infinity(self) -> int:
        """The bits of +inf."""
        return self.nan_bits - (1 << (self.precision - 2))

    @cached_property
    def largest(self) -> float:
        """The largest finite number."""
        return float(ml_dtypes.finfo(self.dtype).max)

    def exponent(self, bits: int) -> int:
        """e of a finite number's bits, without sign: it is below 2^(e + 1)."""
        return max(bits >> (self.precision - 1), 1) - 1 + self.lowest_exponent

    def unit(self, bits: int) -> int:
        """u of a finite number's bits, without sign: it is a multiple of 2^u."""
        return self.exponent(bits) - (self.precision - 1)

    @property
    def quiet_nan(self) -> np.generic:
        """The canonical NaN: positive, quiet, no payload."""
        nan: np.generic = np.array([self.nan_bits], self.bits).view(self.dtype)[0]
        return nan


FLOAT_FORMATS: dict[np.dtype[Any], FloatFormat] = {
    row.dtype: row
    for row in (
        FloatFormat(np.dtype(np.float16), 11, -14, np.dtype(np.uint16), 0x7E00),
        FloatFormat(np.dtype(ml_dtypes.bfloat16), 8, -126, np.dtype(np.uint16), 0x7FC0),
        FloatFormat(np.dtype(np.float32), 24, -126, np.dtype(np.uint32), 0x7FC00000),
        FloatFormat(np.dtype(np.float64), 53, -1022, np.dtype(np.uint64), 0x7FF8000000000000),
    )
}

_FLOAT64 = np.dtype(np.float64)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def round_odd(high: Floats, low: Floats) -> Floats:
    """high + low to float64 with round-to-odd: inexact values get an odd last bit.

    Rounding that again, to nearest in any format at least two bits shorter, equals rounding once
    (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd").
    """
    bits = high.view(np.int64)
    away = np.where((low > 0) == (high > 0), 1, -1)
    nudged: Floats = np.where((low != 0) & (bits & 1 == 0), bits + away, bits).view(np.float64)
    return nudged


def cast(values: Floats, dtype: np.dtype[Any]) -> NDArray[Any]:
    """float64 values to a narrower float dtype, rounded once."""
    if dtype != BFLOAT16:
        with np.errstate(over="ignore"):
            return values.astype(dtype)
    # The only cast to bfloat16 goes through float32; odd there, it rounds once.
    with np.errstate(over="ignore", invalid="ignore"):
        single = values.astype(np.float32)
        rest = values - single
    odd = single.view(np.int32)
    # 1 where the rest has the sign of the value, and -1 where it has not: a choice between two takes 5 ns an element.
    toward = (rest.view(np.int64) ^ values.view(np.int64)) >> 63 | 1
    toward *= (rest != 0) & (odd & 1 == 0) & np.isfinite(single)
    np.add(odd, toward, out=odd, casting="unsafe")
    return single.astype(dtype)


def some(values: Floats) -> bool:
    """Whether any of them is not 0. Copies of one number that take no memory are one to look at."""
    return bool((values[:1] if values.strides == (0,) else values).any())


def round_pair(high: Floats, low: Floats, dtype: np.dtype[Any]) -> NDArray[Any]:
    """high + low, rounded once into `dtype`. `high` must be the float64 nearest to the sum, ties to even."""
    if dtype == _FLOAT64:
        return high
    return cast(round_odd(high, low) if some(low) else high, dtype)


def pair_of_one(high: float, low: float, dtype: np.dtype[Any]) -> float:
    """high + low as a float that `cast` rounds as it would the sum; `round_pair` for one number."""
    if dtype == _FLOAT64 or not low or int(ldexp(frexp(high)[0], 53)) & 1:
        return high
    return nextafter(high, inf if low > 0 else -inf)


def rounds_alike(about: float, error: float, dtype: np.dtype[Any]) -> bool:
    """Whether all numbers within `error` of `about` become one and the same in `dtype`: no midpoint between two of its
    numbers, nor 0, is among them. False where that is not plain to see."""
    target = FLOAT_FORMATS[dtype]
    step = ldexp(1.0, max(frexp(about)[1], target.lowest_exponent + 1) - target.precision)
    # Below a power of two steps are half as long, so the nearest midpoint is step / 4 away.
    return error < min(step / 8, abs(about)) and abs(abs(about) / step % 1.0 - 0.5) * step > error


def leading_bits(numerator: int, denominator: int, exponent: int) -> tuple[int, bool, int]:
    """The first 63 bits of numerator / denominator * 2^exponent, whether more follow, and the exponent of the last."""
    shift = 63 - numerator.bit_length() + denominator.bit_length()
    numerator, denominator = (numerator << shift, denominator) if shift > 0 else (numerator, denominator << -shift)
    quotient, remainder = divmod(numerator, denominator)
    if quotient >> 63:
        return quotient >> 1, bool(remainder or quotient & 1), exponent - shift + 1
    return quotient, remainder != 0, exponent - shift


def round_one(bits: int, more: bool, unit: int, dtype: np.dtype[Any]) -> float:
    """(bits + a rest in (0, 1), where there is more) * 2^unit as a float that `cast` rounds as it would that number.

    `bits` is not negative, and of at least 61 bits unless 0.
    """
    bits, unit = bits << 1 | more, unit - 1
    if dtype != _FLOAT64:
        over = max(0, bits.bit_length() - 53)
        bits, unit = bits >> over | (bits & (1 << over) - 1 != 0), unit + over
    try:
        return bits / (1 << -unit) if unit < 0 else float(bits << unit)
    except OverflowError:
        return inf


def round_scaled(high: Floats, low: Floats, exponent: Integers, dtype: np.dtype[Any]) -> NDArray[Any]:
    """(high + low) * 2**exponent, rounded once into `dtype`; subnormal and infinite results come out right.

    high is below 2^100, low at most half its last bit, and 0 or clear of the subnormals. A zero keeps the sign of high.
    """
    fraction, scale = np.frexp(np.abs(high))
    # The value is bits * 2**unit, with 62 or 63 bits, and `sticky` where something is left below.
    below = np.ldexp(np.where(high < 0, -low, low), 63 - scale)
    floor = np.floor(below)
    bits = (np.ldexp(fraction, 53).astype(np.int64) << 10) + floor.astype(np.int64)
    values = round_integer(bits, floor != below, exponent + scale - 63, FLOAT_FORMATS[dtype])
    return np.where(np.signbit(high), -values, values)


def round_integer(bits: Integers, sticky: NDArray[np.bool_], unit: Integers, target: FloatFormat) -> NDArray[Any]:
    """(bits + a rest in (0, 1), where sticky) * 2**unit, for 0 <= bits < 2**63, of at least 61 bits unless 0."""
    top = np.where(bits >= 1 << 62, 62, 61)
    last = np.maximum(unit + top, target.lowest_exponent) - (target.precision - 1)
    drop = last - unit
    bits = np.where(drop > 63, 1, bits)  # far below half of the smallest number
    drop = np.minimum(drop, 63)
    kept = bits >> drop
    rest = bits - (kept << drop)
    half = np.int64(1) << (drop - 1)
    up = (rest > half) | ((rest == half) & (sticky | (kept & 1 == 1)))
    kept += up
    with np.errstate(over="ignore"):
        return np.ldexp(kept.astype(np.float64), np.minimum(last, 3000).astype(np.int32)).astype(target.dtype)
