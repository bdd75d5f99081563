"""Where known engines go wrong, this service must not. Each test is named after one fault.

Seen in the reference evaluator of onnx 1.23, in onnxruntime 1.32 and in NumPy one-liners.
"""

from typing import Any

import numpy as np
import pytest

from app.blocks import NUMPY_DTYPES
from app.errors import DtypeNotAccepted, Undefined
from tests.evaluation import bits, reduced
from tests.oracle.rows import VERSIONS, dtypes, newest

INFINITY = float("inf")
NAN = float("nan")


def answered(operator: str, dtype: str, data: Any, version: int | None = None, **fields: Any) -> tuple[str, Any]:
    """dtype and nested list of an answer; the newest version that takes the dtype, unless one is given."""
    values = np.array(data, NUMPY_DTYPES[dtype])
    answer, reduction = reduced(operator, version or newest(operator, dtype), dtype, values, fields)
    return answer, reduction.tolist()


def bits_answered(operator: str, dtype: str, data: Any, **fields: Any) -> list[int]:
    values = np.array(data, NUMPY_DTYPES[dtype])
    _, reduction = reduced(operator, newest(operator, dtype), dtype, values, fields)
    unsigned: list[int] = reduction.reshape(-1).view(f"u{reduction.dtype.itemsize}").tolist()
    return unsigned


# The reference evaluator


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_log_sum_exp_of_rows_of_minus_infinity_is_minus_infinity_not_nan(dtype: str) -> None:
    rows = [[-INFINITY, -INFINITY], [0.0, -INFINITY], [-INFINITY, -INFINITY]]
    assert answered("ReduceLogSumExp", dtype, rows, axes=[1], keepdims=0) == (dtype, [-INFINITY, 0.0, -INFINITY])


@pytest.mark.parametrize("operator", [name for name in VERSIONS if name.startswith("Reduce")])
def test_rank_0_is_reduced_and_does_not_crash(operator: str) -> None:
    values = {
        version: reduced(operator, version, "float32", np.ones((), np.float32), {}) for version in VERSIONS[operator]
    }
    expected = 0.0 if operator == "ReduceLogSum" else 1.0
    assert all(dtype == "float32" and answer.shape == () and answer == expected for dtype, answer in values.values())


@pytest.mark.parametrize("version", [1, 11, 13, 18])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint32", "uint64"])
def test_log_sum_of_integers_is_truncated_and_does_not_raise(version: int, dtype: str) -> None:
    assert answered("ReduceLogSum", dtype, [10, 10], version, keepdims=0) == (dtype, 2)


def test_sum_square_of_int32_stays_int32_and_wraps() -> None:
    assert answered("ReduceSumSquare", "int32", [46341], keepdims=0) == ("int32", -2147479015)


def test_mean_of_integers_does_not_overflow_on_the_way() -> None:
    assert answered("ReduceMean", "int32", [2**31 - 1, 2**31 - 1], keepdims=0) == ("int32", 2**31 - 1)
    assert answered("ReduceMean", "int64", [-(2**63), -(2**63)], keepdims=0) == ("int64", -(2**63))
    assert answered("ReduceMean", "uint64", [2**64 - 1] * 3, keepdims=0) == ("uint64", 2**64 - 1)


def test_l2_of_integers_does_not_overflow_on_the_way() -> None:
    assert answered("ReduceL2", "int32", [3 * 2**28, 2**30], keepdims=0) == ("int32", 5 * 2**28)
    assert answered("ReduceL2", "int64", [3 * 2**60, 2**62], keepdims=0) == ("int64", 5 * 2**60)
    assert answered("ReduceL2", "uint64", [3 * 2**61, 2**63], keepdims=0) == ("uint64", 5 * 2**61)


def test_a_float16_sum_of_ones_does_not_stick_at_2048() -> None:
    assert answered("ReduceSum", "float16", np.ones(4097), keepdims=0) == ("float16", 4096.0)
    assert answered("ReduceSum", "float16", np.ones(4099), keepdims=0) == ("float16", 4100.0)


def test_a_bfloat16_sum_of_ones_does_not_stick_at_256() -> None:
    assert answered("ReduceSum", "bfloat16", np.ones((1000, 2)), axes=[0], keepdims=0) == ("bfloat16", [1000.0, 1000.0])


def test_the_mean_of_an_empty_set_of_uint32_is_refused_not_whatever_memory_held() -> None:
    with pytest.raises(Undefined):
        answered("ReduceMean", "uint32", np.empty((4, 0)), axes=[1])


@pytest.mark.parametrize("operator", list(VERSIONS))
def test_a_dtype_that_a_version_does_not_list_is_refused(operator: str) -> None:
    for version in VERSIONS[operator]:
        for dtype in NUMPY_DTYPES:
            values = np.ones(2, NUMPY_DTYPES[dtype])
            if dtype in dtypes(operator, version):
                reduced(operator, version, dtype, values, {})
            else:
                with pytest.raises(DtypeNotAccepted):
                    reduced(operator, version, dtype, values, {})


# onnxruntime


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("operator", ["ReduceMin", "ReduceMax", "ArgMin", "ArgMax"])
def test_a_nan_is_found_wherever_it_stands(operator: str, dtype: str) -> None:
    for size in (1, 2, 3, 8, 9, 31, 64, 100, 300):
        for position in {0, 1 % size, size // 2, size - 1}:
            row = np.arange(size, dtype=np.float64) % 7 - 3
            row[position] = NAN
            for shape, axis in (((1, size), 1), ((size, 1), 0), ((size,), 0)):
                axes = {"axis": axis} if operator.startswith("Arg") else {"axes": [axis]}
                _, found = answered(operator, dtype, row.reshape(shape), keepdims=0, **axes)
                (value,) = np.reshape(found, -1).tolist()
                assert value == position if operator.startswith("Arg") else value != value


def test_an_integer_sum_does_not_go_through_a_double() -> None:
    assert answered("ReduceSum", "int64", [2**53 + 1], keepdims=0) == ("int64", 2**53 + 1)
    assert answered("ReduceSum", "uint64", [2**64 - 1, 0], keepdims=0) == ("uint64", 2**64 - 1)


def test_an_integer_sum_wraps_and_does_not_saturate() -> None:
    assert answered("ReduceSum", "int64", [2**63 - 1, 1], keepdims=0) == ("int64", -(2**63))
    assert answered("ReduceSum", "int32", [2**31 - 1, 1], keepdims=0) == ("int32", -(2**31))


@pytest.mark.parametrize("dtype", ["uint32", "uint64", "bfloat16"])
@pytest.mark.parametrize("operator", list(VERSIONS))
def test_uint32_uint64_and_bfloat16_are_answered_by_every_operator(operator: str, dtype: str) -> None:
    expected: dict[str, float] = {
        "ReduceSum": 4,
        "ReduceL1": 4,
        "ReduceSumSquare": 4,
        "ReduceL2": 2,
        "ArgMin": 0,
        "ArgMax": 0,
    }
    logarithms: tuple[float, float] = (1.3828125, 2.390625) if dtype == "bfloat16" else (1, 2)
    expected |= dict(zip(("ReduceLogSum", "ReduceLogSumExp"), logarithms, strict=True))
    output, value = answered(operator, dtype, [1, 1, 1, 1], keepdims=0)
    assert output == ("int64" if operator.startswith("Arg") else dtype)
    assert value == expected.get(operator, 1)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_mean_of_an_empty_set_of_floats_is_the_canonical_nan_not_0(dtype: str) -> None:
    canonical = {"float16": 0x7E00, "bfloat16": 0x7FC0, "float32": 0x7FC00000, "float64": 0x7FF8000000000000}
    assert bits_answered("ReduceMean", dtype, np.empty((2, 0)), axes=[1]) == [canonical[dtype]] * 2


def test_min_and_max_of_an_empty_set_of_bool_are_answered() -> None:
    assert answered("ReduceMin", "bool", np.empty((2, 0)), axes=[1], keepdims=0) == ("bool", [True, True])
    assert answered("ReduceMax", "bool", np.empty((2, 0)), axes=[1], keepdims=0) == ("bool", [False, False])


# NumPy one-liners


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceProd", "ReduceL1", "ReduceSumSquare"])
def test_integers_keep_their_dtype_and_are_not_promoted_to_64_bits(operator: str, dtype: str) -> None:
    output, value = answered(operator, dtype, [2**31 - 1] * 5, keepdims=0)
    element = (2**31 - 1) ** 2 if operator == "ReduceSumSquare" else 2**31 - 1
    exact = element**5 if operator == "ReduceProd" else element * 5
    low = -(2**31) if dtype == "int32" else 0
    assert (output, value) == (dtype, (exact - low) % 2**32 + low)


def test_bool_stays_bool() -> None:
    assert answered("ReduceMax", "bool", [[True, False], [False, False]], axes=[1], keepdims=0) == (
        "bool",
        [True, False],
    )
    assert answered("ReduceMin", "bool", [True, True], keepdims=0) == ("bool", True)


@pytest.mark.parametrize("dtype", sorted(set(dtypes("ReduceMin", 20))))
def test_min_and_max_of_an_empty_set_are_answered_and_do_not_raise(dtype: str) -> None:
    _, least = answered("ReduceMin", dtype, np.empty((0, 3)), axes=[0], keepdims=0)
    _, most = answered("ReduceMax", dtype, np.empty((0, 3)), axes=[0], keepdims=0)
    if "float" in dtype:
        assert (least, most) == ([INFINITY] * 3, [-INFINITY] * 3)
    elif dtype == "bool":
        assert (least, most) == ([True] * 3, [False] * 3)
    else:
        bounds = np.iinfo(NUMPY_DTYPES[dtype])
        assert (least, most) == ([bounds.max] * 3, [bounds.min] * 3)


def test_float16_is_not_accumulated_in_float16() -> None:
    values = np.tile(np.array([0.1, 60000, -60000], np.float16), 3000)
    exact = 3000 * float(np.float16(0.1))
    assert answered("ReduceSum", "float16", values, keepdims=0) == ("float16", float(np.float16(exact)))
    _, mean = answered("ReduceMean", "float16", values, keepdims=0)
    assert mean == float(np.float16(exact / 9000))


# What all three leave open


def test_zeros_of_both_signs_do_not_make_min_and_max_depend_on_the_cut() -> None:
    zeros = np.array([0.0, -0.0] * 50, np.float32)
    for rolled in (zeros, -zeros):
        _, least = reduced("ReduceMin", 20, "float32", rolled, {"keepdims": 0})
        _, most = reduced("ReduceMax", 20, "float32", rolled, {"keepdims": 0})
        assert (bits(least), bits(most)) == (bits(np.array(-0.0, np.float32)), bits(np.array(0.0, np.float32)))
