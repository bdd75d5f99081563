"""The oracle's rounding agrees with roundings that are known to be right."""

import math
import random
import struct
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.oracle.formats import FORMATS, Format

DOUBLE = FORMATS["float64"]


def bits64(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def fraction(format: Format, bits: int) -> Fraction:
    mantissa, exponent = format.parts(bits)
    return Fraction(mantissa) * Fraction(2) ** exponent


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_every_16_bit_value_survives_being_taken_apart(name: str) -> None:
    format = FORMATS[name]
    for bits in range(1 << 16):
        if bits & ~format.sign_bit < format.infinity and bits != format.sign_bit:
            assert format.rounded(*format.parts(bits)) == bits
        assert format.from_key(format.key(bits)) == bits


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_midpoints_of_16_bit_neighbours_go_to_the_even_one(name: str) -> None:
    format = FORMATS[name]
    for bits in range(format.infinity):
        middle = (
            fraction(format, bits) + fraction(format, bits + 1)
        ) / 2  # of the largest: 2**(emax + 1) stands for inf
        even = bits + (bits & 1)
        for shift, expected in ((Fraction(-1, 2**200), bits), (Fraction(0), even), (Fraction(1, 2**200), bits + 1)):
            value = middle + shift
            assert format.rounded(value.numerator, 0, value.denominator) == expected
            assert format.rounded(-value.numerator, 0, value.denominator) == expected | format.sign_bit


def test_float64_rounds_as_python_divides_fractions() -> None:
    draw = random.Random(1)
    for _ in range(5000):
        numerator, denominator = draw.getrandbits(draw.randint(1, 200)), draw.getrandbits(draw.randint(1, 200)) + 1
        assert DOUBLE.rounded(numerator, 0, denominator) == bits64(numerator / denominator)
        exponent = draw.randint(-1150, 1000)
        try:
            expected = float(Fraction(numerator, denominator) * Fraction(2) ** exponent)
        except OverflowError:
            expected = math.inf
        assert DOUBLE.rounded(numerator, exponent, denominator) == bits64(expected)


@pytest.mark.parametrize(
    ("name", "dtype"), [("float16", np.float16), ("float32", np.float32), ("bfloat16", ml_dtypes.bfloat16)]
)
def test_narrow_formats_round_as_conversions_do(name: str, dtype: type) -> None:
    draw = np.random.default_rng(2)
    wide = draw.integers(0, 1 << 32, 20000, dtype=np.uint32).view(np.float32)
    source = (
        wide[np.isfinite(wide)]
        if name != "float32"
        else np.ldexp(draw.normal(size=20000), draw.integers(-160, 130, 20000))
    )
    with np.errstate(over="ignore"):
        expected: np.ndarray[Any, Any] = source.astype(dtype)
    format = FORMATS[name]
    unsigned = expected.view(f"u{expected.dtype.itemsize}")
    for value, bits in zip(source.tolist(), unsigned.tolist(), strict=True):
        numerator, denominator = value.as_integer_ratio()
        if numerator:
            assert format.rounded(numerator, 0, denominator) == bits


def test_directed_rounding_brackets_the_value() -> None:
    draw = random.Random(3)
    for _ in range(2000):
        value = Fraction(draw.getrandbits(90) - (1 << 89), draw.getrandbits(60) + 1)
        down = DOUBLE.rounded(value.numerator, 0, value.denominator, "down")
        up = DOUBLE.rounded(value.numerator, 0, value.denominator, "up")
        assert fraction(DOUBLE, down) <= value <= fraction(DOUBLE, up)
        assert DOUBLE.key(up) - DOUBLE.key(down) == (fraction(DOUBLE, down) != value)


def test_roots_of_float64_are_those_of_ieee_754() -> None:
    draw = random.Random(4)
    for _ in range(5000):
        value = math.ldexp(draw.random(), draw.randint(-1074, 1000))
        numerator, denominator = value.as_integer_ratio()
        assert DOUBLE.rounded_root(numerator, -(denominator.bit_length() - 1)) == bits64(math.sqrt(value))


@pytest.mark.parametrize("name", list(FORMATS))
def test_roots_know_their_side_of_a_midpoint(name: str) -> None:
    format = FORMATS[name]
    draw = random.Random(5)
    for _ in range(500):
        middle = (1 << (format.fraction + 1)) + 2 * draw.getrandbits(format.fraction) + 1
        below, at, above = (format.rounded_root((middle * middle << 80) + step, -80) for step in (-1, 0, 1))
        assert (below, above) == (format.rounded(middle - 1, 0), format.rounded(middle + 1, 0))
        assert at == (below if below & 1 == 0 else above)
