"""The oracle gives the answers that can be worked by hand, and all the worked cases."""

import math
import random
from typing import Any

import numpy as np
import pytest

from app.blocks import NUMPY_DTYPES
from tests.cases import Case, read
from tests.oracle import NoAnswer, answer, expect

CASES = read()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_oracle_answers_every_worked_case(case: Case) -> None:
    if case.expected is None:
        with pytest.raises(NoAnswer):
            answer(case.operator, case.version, case.dtype, case.values, case.parameters)
    else:
        answer(case.operator, case.version, case.dtype, case.values, case.parameters).assert_matches(*case.expected)


def reduced(operator: str, dtype: str, data: list[Any], answer: Any) -> str | None:
    """What the oracle has to say about an answer to a whole vector."""
    values = np.array(data, NUMPY_DTYPES[dtype])
    output = "int64" if operator.startswith("Arg") else dtype
    return expect(operator, dtype, values, (0,), keepdims=False).complaint(
        output, np.array(answer, NUMPY_DTYPES[output])
    )


BY_HAND = [
    ("ReduceSum", "float16", [60000, 60000, -60000], 60000),
    ("ReduceSum", "float16", [2048, 1, 2**-24], 2050),
    ("ReduceSum", "float16", [2048, 1], 2048),
    ("ReduceSum", "float32", [1e8, 1, -1e8], 1),
    ("ReduceSum", "float64", [1e308, 1e308, -1e308], 1e308),
    ("ReduceSum", "float64", [2.0**53, 1, 2.0**-1074], 2.0**53 + 2),
    ("ReduceSum", "float32", [-0.0, -0.0], -0.0),
    ("ReduceSum", "float32", [-0.0, 0.0], 0.0),
    ("ReduceSum", "float32", [1.5, -1.5], 0.0),
    ("ReduceMean", "float32", [-(2.0**-149), 0.0, 0.0], -0.0),
    ("ReduceMean", "float16", [2.0**-24, 0, 0, 2.0**-24], 0.0),
    ("ReduceMean", "float64", [1.0, 0.0, 0.0], 1 / 3),
    ("ReduceL2", "float16", [300, 400], 500),
    ("ReduceL2", "float64", [3 * 2.0**-1074, 4 * 2.0**-1074], 5 * 2.0**-1074),
    ("ReduceSumSquare", "float32", [2.0**-100], 0.0),
    ("ReduceProd", "float64", [2.0**1000, 2.0**1000, 2.0**-999, -(2.0**-1001)], -1.0),
    ("ReduceProd", "float32", [math.inf, 0.0], math.nan),
    ("ReduceProd", "float32", [-math.inf, 2.0], -math.inf),
    ("ReduceLogSum", "float32", [1, 1e-20], 1e-20),
    ("ReduceLogSum", "float32", [1.0], 0.0),
    ("ReduceLogSum", "float64", [-math.inf], math.nan),
    ("ReduceLogSumExp", "float64", [1000, 1000], 1000 + math.log(2)),
    ("ReduceLogSumExp", "float32", [-0.0, -math.inf], -0.0),
    ("ReduceMin", "float32", [0.0, -0.0], -0.0),
    ("ReduceMax", "float32", [-0.0, 0.0], 0.0),
    ("ArgMin", "float32", [0.0, -0.0], 0),
    ("ArgMax", "float32", [-0.0, 0.0], 0),
    ("ReduceL1", "int8", [-128], -128),
    ("ReduceMean", "int32", [-1, -2], -1),
    ("ReduceL2", "int64", [-3037000500], 3037000500),
    ("ReduceLogSumExp", "int32", [-5, -45], -4),
    ("ReduceLogSumExp", "int32", [-5, -200], -5),
    ("ReduceLogSumExp", "int32", [-5, -143], -4),
    ("ReduceLogSumExp", "int32", [-5, -144], -5),
    ("ReduceLogSumExp", "int32", [0, 0, 0], 1),
    ("ReduceLogSumExp", "int32", [-1, -1, -1], 0),
    ("ReduceLogSumExp", "int32", [2**31 - 1] * 3, -(2**31)),
    ("ReduceLogSum", "uint64", [2**64 - 1, 2**64 - 1], 45),
]


@pytest.mark.parametrize(("operator", "dtype", "data", "answer"), BY_HAND)
def test_the_oracle_agrees_with_hand_worked_values(operator: str, dtype: str, data: list[Any], answer: Any) -> None:
    assert reduced(operator, dtype, data, answer) is None


@pytest.mark.parametrize(
    ("operator", "dtype", "data", "answer"),
    [
        ("ReduceSum", "float32", [0.0, -0.0], -0.0),
        ("ReduceSum", "float16", [2048, 1, 2**-24], 2048),
        ("ReduceProd", "float64", [1.1, 1.1], math.nextafter(1.21, 0)),
        ("ReduceLogSum", "float64", [10.0], math.log(10) * (1 + 2**-51)),
        ("ReduceLogSumExp", "float64", [1.0, 1.0], (1 + math.log(2)) * (1 - 2**-50)),
        ("ReduceLogSum", "float32", [10.0], np.nextafter(np.float32(math.log(10)), np.float32(0))),
        ("ReduceMin", "float32", [1.0, math.nan], 1.0),
        ("ReduceLogSumExp", "int32", [-5, -45], -5),
    ],
)
def test_the_oracle_sees_a_wrong_answer(operator: str, dtype: str, data: list[Any], answer: Any) -> None:
    assert reduced(operator, dtype, data, answer) is not None


def test_the_oracle_wants_the_canonical_nan() -> None:
    values = np.array([0xFFF8000000000123], np.uint64).view(np.float64)
    expected = expect("ReduceMax", "float64", values, (0,))
    assert expected.complaint("float64", values) is not None
    assert expected.complaint("float64", np.array([0x7FF8000000000000], np.uint64).view(np.float64)) is None


def test_the_oracle_leaves_untouched_elements_their_bits() -> None:
    values = np.array([0xFFF8000000000123], np.uint64).view(np.float64)
    assert expect("ReduceMean", "float64", values, (), elementwise=True).complaint("float64", values) is None
    assert expect("ReduceL1", "float64", values, (), elementwise=True).complaint("float64", values) is not None


def test_sums_and_norms_agree_with_fsum_and_products_with_fractions() -> None:
    draw = random.Random(6)
    for _ in range(300):
        row = [math.ldexp(draw.uniform(-1, 1), draw.randint(-300, 300)) for _ in range(draw.randint(1, 30))]
        assert reduced("ReduceSum", "float64", row, math.fsum(row)) is None
        assert reduced("ReduceL1", "float64", row, math.fsum(map(abs, row))) is None
    for _ in range(300):
        pair = [math.ldexp(draw.uniform(-1, 1), draw.randint(-300, 300)) for _ in range(2)]
        assert reduced("ReduceProd", "float64", pair, pair[0] * pair[1]) is None


def test_axes_are_reduced_as_numpy_reduces_them() -> None:
    values = np.arange(120, dtype=np.int64).reshape(2, 3, 4, 5)
    for axes in [(0,), (1, 3), (0, 2), (0, 1, 2, 3), (3,)]:
        for keepdims in (False, True):
            expected = expect("ReduceSum", "int64", values, axes, keepdims)
            expected.assert_matches("int64", values.sum(axis=axes, keepdims=keepdims))
