"""Float formats, taken apart into integers and put together again with one correct rounding."""

from dataclasses import dataclass
from functools import cached_property
from math import isqrt
from typing import Literal

Mode = Literal["nearest", "down", "up"]
MIRRORED: dict[Mode, Mode] = {"nearest": "nearest", "down": "up", "up": "down"}


@dataclass(frozen=True)
class Format:
    """A binary interchange format of `width` bits, `fraction` of them below the hidden one."""

    width: int
    fraction: int

    @cached_property
    def sign_bit(self) -> int:
        return 1 << (self.width - 1)

    @cached_property
    def unsigned(self) -> int:
        """The bits below the sign."""
        return self.sign_bit - 1

    @cached_property
    def infinity(self) -> int:
        """Bits of +inf."""
        return (1 << (self.width - 1)) - (1 << self.fraction)

    @cached_property
    def nan(self) -> int:
        """Bits of the canonical quiet NaN."""
        return self.infinity | 1 << (self.fraction - 1)

    @cached_property
    def smallest(self) -> int:
        """The exponent of the smallest subnormal, 2**smallest."""
        bias = (1 << (self.width - 2 - self.fraction)) - 1
        return 1 - bias - self.fraction

    def is_nan(self, bits: int) -> bool:
        return bits & self.unsigned > self.infinity

    def is_infinite(self, bits: int) -> bool:
        return bits & self.unsigned == self.infinity

    def parts(self, bits: int) -> tuple[int, int]:
        """(m, e) of a finite value m * 2**e."""
        magnitude = bits & self.unsigned
        exponent = magnitude >> self.fraction
        mantissa = magnitude & ((1 << self.fraction) - 1)
        if exponent:
            mantissa |= 1 << self.fraction
            exponent -= 1
        return (-mantissa if bits & self.sign_bit else mantissa), exponent + self.smallest

    def rounded(self, numerator: int, exponent: int, denominator: int = 1, mode: Mode = "nearest") -> int:
        """Bits of numerator / denominator * 2**exponent (denominator > 0), half to even or in a given direction.

        A positive result of 2**(emax + 1) or more is infinity in every mode; zero is +0.0 unless a negative
        value was rounded to it.
        """
        if numerator == 0:
            return 0
        negative = numerator < 0
        if negative:
            mode = MIRRORED[mode]
        magnitude = abs(numerator)
        top = exponent + magnitude.bit_length() - denominator.bit_length()
        if _compare_power(magnitude, denominator, top - exponent) < 0:
            top -= 1
        unit = max(top - self.fraction, self.smallest)
        shift = exponent - unit
        if shift >= 0:
            magnitude <<= shift
        else:
            denominator <<= -shift
        quotient, remainder = divmod(magnitude, denominator)
        if mode == "nearest":
            up = 2 * remainder > denominator or (2 * remainder == denominator and quotient & 1)
        else:
            up = mode == "up" and remainder > 0
        # The hidden bit of a normal quotient carries into the exponent field, as a rounding to the next binade does.
        bits = min(((unit - self.smallest) << self.fraction) + quotient + bool(up), self.infinity)
        return bits | self.sign_bit if negative else bits

    def rounded_root(self, square: int, exponent: int) -> int:
        """Bits of sqrt(square * 2**exponent), half to even."""
        if square == 0:
            return 0
        if exponent & 1:
            square <<= 1
            exponent -= 1
        spare = max(0, self.fraction + 4 - square.bit_length() // 2)
        square <<= 2 * spare
        root = isqrt(square)
        sticky = root * root != square
        return self.rounded(2 * root + sticky, exponent // 2 - spare - 1)

    def key(self, bits: int) -> int:
        """An integer that orders all bit patterns by value, -0.0 just below +0.0 and positive NaNs above +inf."""
        magnitude = bits & self.unsigned
        return -1 - magnitude if bits & self.sign_bit else magnitude

    def from_key(self, key: int) -> int:
        return key if key >= 0 else (-1 - key) | self.sign_bit


FORMATS = {
    "float16": Format(16, 10),
    "bfloat16": Format(16, 7),
    "float32": Format(32, 23),
    "float64": Format(64, 52),
}


def _compare_power(numerator: int, denominator: int, power: int) -> int:
    """The sign of numerator / denominator - 2**power."""
    if power >= 0:
        denominator <<= power
    else:
        numerator <<= -power
    return (numerator > denominator) - (numerator < denominator)
