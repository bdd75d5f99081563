"""Results of exact sums next to midpoints: rounded right, and what a bound decides is so for every sum within it."""

from fractions import Fraction
from math import inf, nextafter
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.kernels.elementary.library import MATH_ERROR
from app.kernels.exact.approximation import Approximation
from app.kernels.floats.log_result import LOGARITHM
from app.kernels.floats.result import Result
from app.kernels.floats.rounded_results import MEAN, ROOT, TOTAL
from app.kernels.kernel import quiet
from tests.oracle.formats import FORMATS

Draw = np.random.Generator
ROUNDED = [pytest.param(TOTAL, 1, id="total"), pytest.param(ROOT, 1, id="root")] + [
    pytest.param(MEAN, count, id=f"mean of {count}") for count in (3, 63, 64, 1_000_003)
]


def sum_of(result: Result, middle: int, count: int) -> int:
    """The sum whose result is `middle`."""
    return middle * middle if result is ROOT else middle * count


def beside(draw: Draw, number: int, farthest: int) -> Fraction:
    """The number itself, or one next to it: often where two float64 end."""
    bits = int(draw.choice([draw.integers(20, farthest), draw.integers(102, 110)]))
    return number + int(draw.integers(-1, 2)) * Fraction(2) ** (number.bit_length() - bits)


def whole(total: Fraction) -> tuple[int, int]:
    """A sum as integer * 2^exponent."""
    return total.numerator, 1 - total.denominator.bit_length()


def right_bits(result: Result, dtype: str, total: Fraction, count: int) -> int:
    """The bits of the correctly rounded result."""
    if result is ROOT:
        return FORMATS[dtype].rounded_root(*whole(total))
    return FORMATS[dtype].rounded(*whole(total), count)


def approximated(draw: Draw, sums: list[Fraction], relative: float) -> Approximation:
    """The sums in two float64 that miss them by no more than `relative`, or else by what they say."""
    found = []
    for total in sums:
        off = Fraction(relative * 0.99) if relative else Fraction(2) ** -int(draw.integers(40, 110))
        about = total + total * off * int(draw.integers(-1, 2))
        first = float(about)
        second = float(about - Fraction(first))
        wrong = float(abs(total - Fraction(first) - Fraction(second)))
        found.append((first, second, nextafter(wrong, inf) if wrong and not relative else 0.0))
    high, low, missed = np.array(found).T.copy()
    return Approximation(high, low, missed, relative)


def bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    return values.view(f"u{values.itemsize}").astype(np.uint64)


@pytest.mark.parametrize("relative", [0.0, 2.0**-60, 2.0**-40])
@pytest.mark.parametrize("dtype", list(FORMATS))
@pytest.mark.parametrize(("result", "count"), ROUNDED)
def test_what_a_bound_decides_is_right_for_every_sum_within_it(
    result: Result, count: int, dtype: str, relative: float
) -> None:
    draw, fraction = np.random.default_rng(1), FORMATS[dtype].fraction
    middles = (draw.integers(1 << fraction, 2 << fraction, 600) * 2 + 1).tolist()
    sums = [beside(draw, sum_of(result, middle, count), 120) for middle in middles]
    if result is not ROOT:
        sums = [-total if k % 2 else total for k, total in enumerate(sums)]
    about = approximated(draw, sums, relative)
    values, undecided = result.of_approximation(about, count, NUMPY_DTYPES[dtype])
    right = np.array([right_bits(result, dtype, total, count) for total in sums], np.uint64)
    assert bits(values)[~undecided].tolist() == right[~undecided].tolist()
    if relative == 0 and (result is not ROOT or dtype != "float64"):
        at_midpoint = np.array([total.denominator == 1 for total in sums])
        assert not undecided[at_midpoint & (about.missed == 0)].any()


def test_what_is_a_midpoint_but_for_the_last_bit_of_two_float64_is_not_taken_for_it() -> None:
    """What is left of the sum, less thrice the first quotient, has a bit more than a float64; nor has a root's."""
    about = Approximation(np.full(1, 3 + 2.0**-51), np.full(1, 2.0**-105 - 2.0**-53), np.zeros(1))
    values, undecided = MEAN.of_approximation(about, 3, np.dtype(np.float64))
    assert undecided[0] or values[0] == 1 + 2.0**-52
    draw = np.random.default_rng(4)
    sums = [Fraction((int(draw.integers(1 << 52, 2 << 52)) * 2 + 1) ** 2 & -8) for _ in range(200)]
    about = approximated(draw, sums, 0.0)
    values, undecided = ROOT.of_approximation(about, 1, np.dtype(np.float64))
    right = np.array([right_bits(ROOT, "float64", total, 1) for total in sums], np.uint64)
    assert bits(values)[~undecided].tolist() == right[~undecided].tolist()


@pytest.mark.parametrize("dtype", list(FORMATS))
@pytest.mark.parametrize(("result", "count"), ROUNDED)
@pytest.mark.parametrize("size", ["subnormal", "normal"])
def test_sums_of_any_size_have_their_results_rounded_once(result: Result, count: int, dtype: str, size: str) -> None:
    """As two float64 and a power of two, where that decides, and as an integer and a power of two."""
    draw, form = np.random.default_rng(2), FORMATS[dtype]
    least, unit = (0, form.smallest - 1) if size == "subnormal" else (form.fraction, -form.fraction - 1)
    middles = [int(draw.integers(1 << n, 2 << n)) * 2 + 1 for n in draw.integers(least, form.fraction + 1, 400)]
    middles[:2] = [(4 << form.fraction) - 1] * 2  # the float64 next to it may be the power of two above
    worth = Fraction(2) ** (2 * unit if result is ROOT else unit)
    sums = [beside(draw, sum_of(result, middle, count), 300) * worth for middle in middles]
    sums = [-total if k % 2 and result is not ROOT else total for k, total in enumerate(sums)]
    right = [right_bits(result, dtype, total, count) for total in sums]
    assert bits(result.of_sums([whole(total) for total in sums], count, NUMPY_DTYPES[dtype])).tolist() == right
    even = 2 * unit if result is ROOT else unit & ~1
    high, low, missed, _ = approximated(draw, [total * Fraction(2) ** -even for total in sums], 0.0)
    exponents = np.full(len(sums), even)
    values, undecided = result.of_scaled(high, low, exponents, missed, count, NUMPY_DTYPES[dtype])
    assert bits(values)[~undecided].tolist() == np.array(right, np.uint64)[~undecided].tolist()
    assert not undecided.all()


@pytest.mark.parametrize("dtype", list(FORMATS))
def test_sums_far_beyond_all_numbers_of_a_dtype_are_zero_or_infinite(dtype: str) -> None:
    high, low = np.array([1.75, -1.0]), np.zeros(2)
    smallest = FORMATS[dtype].smallest & ~1
    for exponent in (*range(smallest - 140, smallest - 2, 2), -1 << 33):
        values, undecided = TOTAL.of_scaled(high, low, np.full(2, exponent), low, 1, NUMPY_DTYPES[dtype])
        assert str(values.tolist()) == "[0.0, -0.0]", exponent
        assert not undecided.any()
    for exponent in (1 << 10, 1 << 33):
        values, _ = TOTAL.of_scaled(high, low, np.full(2, exponent), low, 1, NUMPY_DTYPES[dtype])
        assert values.tolist() == [np.inf, -np.inf], exponent


@pytest.mark.parametrize("library", [0.0, -0.9 * MATH_ERROR, 0.9 * MATH_ERROR])
@pytest.mark.parametrize("dtype", list(FORMATS))
def test_what_a_bound_decides_of_a_logarithm_is_that_of_every_sum_within_it(
    dtype: str, library: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sums whose logarithm is a midpoint or next to one, and of such as may have either sign; with a library that is
    off by nearly all that it may be, too."""
    draw, fraction = np.random.default_rng(3), FORMATS[dtype].fraction
    log, tentative = np.log, quiet(LOGARITHM.of_approximation)
    monkeypatch.setattr(np, "log", lambda x: log(x) * (1 + library))
    sums = []
    with mpmath.workprec(160):
        for bits_below in draw.integers(-3, 6, 400).tolist():
            middle = int(draw.integers(1 << fraction, 2 << fraction)) * 2 + 1
            mantissa, exponent = mpmath.exp(mpmath.ldexp(middle, bits_below - fraction - 2)).man_exp
            sums.append(beside(draw, int(mantissa), 120) * Fraction(2) ** int(exponent))
    for relative in (0.0, 2.0**-60):
        about = approximated(draw, sums, relative)
        values, undecided = tentative(about, 1, NUMPY_DTYPES[dtype])
        right = LOGARITHM.of_sums([whole(total) for total in sums], 1, NUMPY_DTYPES[dtype])
        assert bits(values)[~undecided].tolist() == bits(right)[~undecided].tolist()
        assert not undecided.all()
    either = Approximation(np.array([1.0, -1.0, -1.0, -1.0]), np.zeros(4), np.array([2.0, 2.0, 1.0, 0.5]))
    assert tentative(either, 1, NUMPY_DTYPES[dtype])[1].tolist() == [True, True, True, False]
