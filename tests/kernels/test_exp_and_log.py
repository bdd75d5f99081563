"""exp and log from + − ×: tables and results against mpmath, and no difference by place."""

import math

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from app.kernels.elementary import exponential as exponentials
from app.kernels.elementary import logarithm
from app.kernels.elementary.exponential import (
    COARSE_BIAS,
    COARSE_UNIT,
    FINE_BIAS,
    FINE_UNIT,
    INTERVAL,
    exponential,
    exponentials_of,
)
from app.kernels.elementary.library import MATH_ERROR
from app.kernels.elementary.logarithm import log_of_one, log_pair
from app.kernels.scratch import Scratch

Floats = NDArray[np.float64]

mpmath.mp.prec = 200


def relative_error(found: mpmath.mpf, value: mpmath.mpf) -> mpmath.mpf:
    return abs(found - value) / abs(value) if value else abs(found)


def test_the_table_of_exponentials_is_right() -> None:
    points = range(-INTERVAL << 9, (INTERVAL << 9) + 1)
    assert len(exponentials._HEADS) == len(exponentials._TAILS) == len(points)
    for k in range(0, len(points), 16):
        head = exponentials._HEADS[k] - exponentials._TO_COARSE
        assert head * 2.0**-COARSE_UNIT == round(head * 2.0**-COARSE_UNIT)
        found = mpmath.mpf(head) + mpmath.mpf(exponentials._TAILS[k])
        assert abs(found - mpmath.exp(mpmath.mpf(points[k]) / 1024)) <= 2.0**-83


def test_the_tables_of_the_logarithm_are_right() -> None:
    ln2 = mpmath.mpf(logarithm._LN2) + mpmath.mpf(logarithm._LN2_TAIL)
    assert abs(ln2 - mpmath.log(2)) < 2.0**-84
    for j in range(257):
        inverse, up = mpmath.mpf(logarithm._INVERSES[j]), int(logarithm._UP[j])
        found = mpmath.mpf(logarithm._LOGS[j]) + mpmath.mpf(logarithm._LOG_TAILS[j])
        assert abs(found + mpmath.log(inverse) + up * mpmath.log(2)) <= 2.0**-106
        assert abs((1 + mpmath.mpf(j) / 256) * inverse - 1) <= 2.0**-11
    assert logarithm._LOGS[0] == logarithm._LOGS[256] == 0


def arguments() -> Floats:
    draw = np.random.default_rng(1)
    return np.concatenate((
        draw.uniform(-8, 8, 4000), draw.uniform(-8, -7.9, 2000), draw.normal(size=1000) * 1e-9,
        draw.integers(-16384, 16385, 1000) / 2048.0, [8.0, -8.0, 0.0, -0.0, 5e-324],
    ))  # fmt: skip


def value(coarse: int, fine: int) -> mpmath.mpf:
    return mpmath.ldexp(int(coarse) - COARSE_BIAS, COARSE_UNIT) + mpmath.ldexp(int(fine) - FINE_BIAS, FINE_UNIT)


def test_an_exponential_is_within_2_to_the_minus_60() -> None:
    x = arguments()
    worst = max(
        relative_error(value(*digits), mpmath.exp(mpmath.mpf(float(argument))))
        for argument, *digits in zip(x, *exponential(x, 0, Scratch(4, x.size)), strict=True)
    )
    assert worst < 2.0**-60


def test_an_exponential_is_one_at_zero() -> None:
    assert value(*(digits[0] for digits in exponential(np.zeros(1), 0, Scratch(4, 1)))) == 1


@pytest.mark.parametrize("of", [-3, 1, 40, 1 << 16])
def test_an_exponential_depends_on_the_distance_to_its_class_alone(of: int) -> None:
    x = np.round(arguments() * 2.0**30) * 2.0**-30
    here = [digits.copy() for digits in exponential(x, 0, Scratch(4, x.size))]
    there = exponential(x + INTERVAL * of, of, Scratch(4, x.size))
    assert all((a == b).all() for a, b in zip(here, there, strict=True))


def test_neither_depends_on_the_place_in_the_array() -> None:
    x = arguments()
    together = [digits.copy() for digits in exponential(x, 0, Scratch(4, x.size))]
    logs = log_pair(np.abs(x) + 1e-3, np.zeros_like(x), 0)
    for start in (1, 2, 3, 5, 7):
        part = x[start : start + 101].copy()
        assert all(
            (a[start : start + 101] == b).all()
            for a, b in zip(together, exponential(part, 0, Scratch(4, part.size)), strict=True)
        )
        assert all(
            (a[start : start + 101] == b).all()
            for a, b in zip(logs, log_pair(np.abs(part) + 1e-3, np.zeros_like(part), 0), strict=True)
        )


def near_one(draw: np.random.Generator) -> Floats:
    ulps = draw.integers(-40, 41, 1500) * 2.0**-53
    return np.concatenate((1 + draw.normal(size=3000) * 1e-3, 1 + draw.normal(size=1500) * 1e-9, 1 + ulps))


def every_magnitude(draw: np.random.Generator) -> Floats:
    return np.exp2(draw.uniform(-1022, 1023, 4000))


def around_table_borders(draw: np.random.Generator) -> Floats:
    return 1 + (draw.integers(0, 513, 4000) + draw.normal(size=4000) * 1e-12) / 512


@pytest.mark.parametrize("sample", [near_one, every_magnitude, around_table_borders])
def test_a_logarithm_is_within_2_to_the_minus_68(sample: object) -> None:
    assert callable(sample)
    draw = np.random.default_rng(2)
    high = sample(draw)
    low = np.where(draw.random(high.size) < 0.2, 0.0, np.spacing(high) * draw.uniform(-0.5, 0.5, high.size))
    high, low = high + low, low - ((high + low) - high)
    for a, b, h, t in zip(high, low, *log_pair(high, low, 0), strict=True):
        exact = mpmath.log(mpmath.mpf(float(a)) + mpmath.mpf(float(b)))
        assert relative_error(mpmath.mpf(float(h)) + mpmath.mpf(float(t)), exact) < 2.0**-68, (a, b)


def test_a_logarithm_takes_a_power_of_two_apart() -> None:
    exponent = np.array([-1000000, -5000, -1, 0, 1, 5000, 1000000])
    high, low = log_pair(np.full(7, 1.5), np.full(7, 1e-20), exponent)
    for power, h, t in zip(exponent, high, low, strict=True):
        exact = mpmath.log(mpmath.mpf(1.5) + mpmath.mpf(1e-20)) + int(power) * mpmath.log(2)
        assert relative_error(mpmath.mpf(float(h)) + mpmath.mpf(float(t)), exact) < 2.0**-68


def test_the_logarithm_of_one_and_a_little_is_the_little() -> None:
    high, low = log_pair(np.ones(3), np.array([1e-20, -1e-20, 0.0]), 0)
    assert high.tolist() == [1e-20, -1e-20, 0.0]
    assert low[2] == 0


def test_one_exponential_has_the_bits_of_many() -> None:
    x = arguments()
    coarse, fine = exponential(x, 0, Scratch(4, x.size))
    digits = zip(coarse.tolist(), fine.tolist(), strict=True)
    many = [((a - COARSE_BIAS) << COARSE_UNIT - FINE_UNIT) + (b - FINE_BIAS) for a, b in digits]
    assert exponentials_of(x.tolist()) == many


def test_one_logarithm_has_the_bits_of_many() -> None:
    draw = np.random.default_rng(3)
    high = np.concatenate((draw.uniform(0.5, 2, 3000), np.exp(draw.uniform(-700, 700, 3000)), [1.0, 2.0, 0.5]))
    low = draw.uniform(-0.5, 0.5, len(high)) * np.spacing(high)
    exponent = draw.integers(-3000, 3000, len(high))
    many = np.stack(log_pair(high, low, exponent))
    one = [log_of_one(*three) for three in zip(high.tolist(), low.tolist(), exponent.tolist(), strict=True)]
    assert (np.array(one).T.view(np.int64) == many.view(np.int64)).all()


def test_the_functions_of_the_library_keep_the_bound_that_is_relied_on() -> None:
    draw = np.random.default_rng(11)
    x = np.concatenate((-np.exp2(draw.uniform(-60, 9.4, 4000)), draw.uniform(-30, 0, 4000), [0.0]))
    for several in (np.exp(x).tolist(), [math.exp(one) for one in x.tolist()]):
        for one, found in zip(x.tolist(), several, strict=True):
            assert relative_error(mpmath.mpf(found), mpmath.exp(one)) <= MATH_ERROR
    y = np.concatenate((1 + np.exp2(draw.uniform(-52, 0, 4000)), np.exp2(draw.uniform(0, 60, 4000)), [1.0]))
    for several in (np.log(y).tolist(), [math.log(one) for one in y.tolist()]):
        for one, found in zip(y.tolist(), several, strict=True):
            assert relative_error(mpmath.mpf(found), mpmath.log(one)) <= MATH_ERROR
