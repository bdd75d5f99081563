"""A few elements are reduced by Python's own numbers: to the exact answer, and to the bits they have among many."""

from math import exp, log
from typing import Any

import numpy as np
import pytest

from app.blocks import NUMPY_DTYPES
from app.kernels import few
from app.kernels.elementary.library import MATH_ERROR
from app.kernels.rounding import rounds_alike
from tests.evaluation import bits, reduced
from tests.oracle import expect
from tests.oracle.formats import FORMATS
from tests.oracle.rows import PAIRS, newest
from tests.samples import from_bits, samples

FLOATS = [pair for pair in PAIRS if pair[1] in FORMATS and not pair[0].startswith("Arg")]
NARROW = ["float16", "bfloat16", "float32"]


@pytest.mark.parametrize(("operator", "dtype"), FLOATS)
def test_a_few_elements_of_every_kind_give_the_exact_answer(operator: str, dtype: str) -> None:
    version = newest(operator, dtype)
    for seed, (name, sample) in enumerate(samples(dtype).items()):
        draw = np.random.default_rng(seed)
        for length in (1, 2, 3, 4, 5, 7, 12, 31, 64):
            outputs = min(few.OUTPUTS, few.ELEMENTS // length)
            rows = sample(draw, dtype, 24 * length).reshape(24, length)
            among_many = reduced(operator, version, dtype, rows, {"axes": [1], "keepdims": 0})[1]
            for start in range(0, 24, outputs):
                part = rows[start : start + outputs]
                found = reduced(operator, version, dtype, part, {"axes": [1], "keepdims": 0})
                complaint = expect(operator, dtype, part, (1,), keepdims=False).complaint(*found)
                assert complaint is None, f"{name}, {length} elements: {complaint}"
                if (operator, dtype) != ("ReduceProd", "float64"):
                    assert bits(found[1]) == bits(among_many[start : start + outputs]), f"{name}, {length} elements"


@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceMean", "ReduceL1", "ReduceLogSum"])
@pytest.mark.parametrize("last", [-1.0, -0.5, 0.0])
def test_sums_that_overflow_on_their_way_come_back(operator: str, last: float) -> None:
    largest = float(np.finfo(np.float64).max)
    values = np.array([largest, largest, -largest, last * largest])
    version = newest(operator, "float64")
    expect(operator, "float64", values, (0,)).assert_matches(*reduced(operator, version, "float64", values, {}))


def midpoint(draw: np.random.Generator, dtype: str) -> int:
    """An integer with one bit more than the dtype has."""
    fraction = FORMATS[dtype].fraction
    return int(draw.integers(1 << fraction, 2 << fraction)) * 2 + 1


def exactly(dtype: str, *terms: int) -> list[float]:
    """Integers that a dtype has, as its elements; more of them where it has not."""
    found = []
    for term in terms:
        while term:
            step = 1 << max(0, abs(term).bit_length() - FORMATS[dtype].fraction - 1)
            part = int(term / step) * step
            found.append(float(part))
            term -= part
    return found


@pytest.mark.parametrize("beside", [-1, 0, 1])
@pytest.mark.parametrize("count", [3, 4, 7, 16, 33])
@pytest.mark.parametrize("dtype", NARROW)
def test_means_at_midpoints_and_next_to_them_are_rounded_right(dtype: str, count: int, beside: int) -> None:
    draw = np.random.default_rng(count)
    scale, farthest = (2.0**-8, 15) if dtype == "float16" else (1.0, 60)
    for _ in range(40):
        terms = [*exactly(dtype, midpoint(draw, dtype) * count), beside * 2.0 ** -int(draw.integers(1, farthest))]
        values = (np.array([*terms, *[0.0] * (count - len(terms))]) * scale).astype(NUMPY_DTYPES[dtype])
        assert values.shape == (count,)
        expect("ReduceMean", dtype, values, (0,)).assert_matches(*reduced("ReduceMean", 18, dtype, values, {}))


@pytest.mark.parametrize("beside", [0, 1])
@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_roots_at_midpoints_and_next_to_them_are_rounded_right(dtype: str, beside: int) -> None:
    draw = np.random.default_rng(beside)
    least, most = (2 << FORMATS[dtype].fraction) // 5, (2 << FORMATS[dtype].fraction) // 4
    for _ in range(200):
        m = int(draw.integers(least, most)) | 1
        tiny = beside * 2.0 ** -int(draw.integers(0, 60))
        values = np.array([3 * m, 4 * m, tiny]).astype(NUMPY_DTYPES[dtype])
        expect("ReduceL2", dtype, values, (0,)).assert_matches(*reduced("ReduceL2", 18, dtype, values, {}))


@pytest.mark.parametrize("dtype", NARROW)
def test_what_rounds_alike_is_on_one_side_of_every_midpoint(dtype: str) -> None:
    draw = np.random.default_rng(0)
    fraction, width = FORMATS[dtype].fraction, NUMPY_DTYPES[dtype].itemsize * 8
    numbers = from_bits(dtype, draw.integers(1, FORMATS[dtype].infinity - 1, 400)).astype(np.float64)
    below = from_bits(dtype, np.array([1, 2, 3, 1 << fraction, (1 << fraction) + 1])).astype(np.float64)
    told = 0
    for number in [*numbers.tolist(), *below.tolist()]:
        following = float(np.nextafter(NUMPY_DTYPES[dtype].type(number), NUMPY_DTYPES[dtype].type(np.inf)))
        middle, step = (number + following) / 2, following - number
        for error in (step / 2**10, step / 2 ** (width // 2), step / 2**20):
            assert not rounds_alike(middle, error, NUMPY_DTYPES[dtype])
            assert not rounds_alike(middle + error / 2, error, NUMPY_DTYPES[dtype])
            assert not rounds_alike(-middle + error / 2, error, NUMPY_DTYPES[dtype])
            told += rounds_alike(middle + 2 * error, error, NUMPY_DTYPES[dtype])
            told += rounds_alike(number, error, NUMPY_DTYPES[dtype])
    assert told == 2 * 3 * (len(numbers) + len(below))


def test_what_may_have_either_sign_and_what_float64_cannot_tell_does_not_round_alike() -> None:
    single = np.dtype(np.float32)
    assert not rounds_alike(2.0**-200, 2.0**-199, single)
    assert rounds_alike(2.0**-200, 2.0**-201, single)  # a zero of one sign
    assert not rounds_alike(1.0, 2.0**-26, single)  # below 1 a midpoint is 2^-25 away
    assert not rounds_alike(1.5, 2.0**-52, np.dtype(np.float64))


def test_no_exponential_or_logarithm_of_the_machine_decides_what_its_bound_leaves_open(monkeypatch: Any) -> None:
    """With the worst library that keeps the bound, answers stay as they are."""
    draw = np.random.default_rng(5)
    rows = draw.normal(size=(200, 5)).astype(np.float32)
    version = newest("ReduceLogSumExp", "float32")
    right = [bits(reduced("ReduceLogSumExp", version, "float32", row, {})[1]) for row in rows]
    for error in (-MATH_ERROR, MATH_ERROR):
        monkeypatch.setattr("app.kernels.floats.log_sum_exp.exp", lambda x, e=error: exp(x) * (1 + e))
        monkeypatch.setattr("app.kernels.floats.log_sum_exp.log", lambda x, e=error: log(x) * (1 + e))
        assert [bits(reduced("ReduceLogSumExp", version, "float32", row, {})[1]) for row in rows] == right
