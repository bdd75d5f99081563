"""Tensors that random ones found a wrong answer to, as small as they go."""

from typing import Any

import numpy as np
import pytest

from app.kernels import kernel_for
from tests.evaluation import bits, cut, reduced
from tests.oracle import expect
from tests.oracle.formats import FORMATS
from tests.oracle.rows import newest
from tests.samples import from_bits


def check(operator: str, dtype: str, bits: Any, axis: int) -> None:
    """Bits of a tensor, reduced along one axis as one block and cut in the middle."""
    values = from_bits(dtype, bits)
    expected = expect(operator, dtype, values, (axis,))
    for places in ([], [values.size // 2]):
        blocks = cut(values, places)
        expected.assert_matches(*reduced(operator, newest(operator, dtype), dtype, values, {"axes": [axis]}, blocks))


@pytest.mark.parametrize("dtype", list(FORMATS))
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceMean"])
def test_minus_zeros_stay_so_beside_an_output_that_is_nan(operator: str, dtype: str) -> None:
    nan, minus_zero = FORMATS[dtype].nan, FORMATS[dtype].sign_bit
    check(operator, dtype, [[nan, minus_zero], [minus_zero, minus_zero]], 0)


@pytest.mark.parametrize("operator", ["ReduceSumSquare", "ReduceL2"])
def test_a_subnormal_bfloat16_is_rounded_once_and_not_by_way_of_a_subnormal_float32(operator: str) -> None:
    check(operator, "bfloat16", [[0x1974, 0x9EE4], [0x1E00, 0x9FA5]], 0)


def test_a_subnormal_bfloat16_mean_knows_its_side_of_a_midpoint() -> None:
    count = (1 << 18) + 1
    bits = np.zeros(count, np.uint64)
    bits[: count // 2 + 1] = 1  # the mean is a little more than half of the smallest number
    check("ReduceMean", "bfloat16", bits, 0)
    bits[count // 2] = 0  # and a little less
    check("ReduceMean", "bfloat16", bits, 0)


@pytest.mark.parametrize("dtype", list(FORMATS))
def test_log_sum_exp_of_one_minus_zero_is_itself_beside_an_output_that_is_nan(dtype: str) -> None:
    nan, minus_zero = FORMATS[dtype].nan, FORMATS[dtype].sign_bit
    minus_infinity = minus_zero | FORMATS[dtype].infinity
    check("ReduceLogSumExp", dtype, [[minus_zero, minus_infinity], [nan, minus_zero]], 1)


def test_a_float32_mean_that_underflows_to_zero_keeps_its_sign() -> None:
    tile = 1 << 16
    values = np.zeros(5 * tile, np.float32)
    # Tile by tile the sum is beyond two float64, and in the end it is -2^-149.
    values[[0, tile, 2 * tile]] = -(2.0**-42), -(2.0**-96), -(2.0**-149)
    values[[3 * tile, 3 * tile + 1, 4 * tile, 4 * tile + 1]] = 2.0**-42, -(2.0**-60), 2.0**-60, 2.0**-96
    check("ReduceMean", "float32", values.view(np.uint32), 0)


def test_log_sum_has_the_same_bits_however_nearly_cancelling_rows_are_cut() -> None:
    rng = np.random.default_rng(1)
    for _ in range(13):
        values = (rng.random((4096, 64)) * 0.5 + 0.5) * 2.0**-18
        values[:, 0] = 2.0**29 + rng.integers(0, 1 << 20, 4096) * 2.0**-16
        values[:, 1] = rng.integers(3, 8, 4096) - values[:, 0]
        kernel = kernel_for("ReduceLogSum", values.dtype)
        box = values.reshape(1, 1, 4096, 64)
        assert bits(kernel.whole(box)) == bits(kernel.finish(kernel.partial(box), 64))


def test_sums_near_the_largest_float64_outlast_many_folds_of_their_parts() -> None:
    rng = np.random.default_rng(1)
    terms = rng.integers(1 << 38, 1 << 40, 210 << 16) * 2.0**860
    terms[1::2] *= -1
    expected = float(sum(int(term) for term in (terms * 2.0**-860).astype(np.int64).reshape(-1, 256).sum(axis=1)))
    kernel = kernel_for("ReduceSum", terms.dtype)
    box = terms.reshape(1, 1, 1, -1)
    assert (
        kernel.whole(box).tolist() == kernel.finish(kernel.partial(box), terms.size).tolist() == [expected * 2.0**860]
    )


def test_the_logarithm_of_a_sum_near_one_knows_the_sum_to_its_last_bit() -> None:
    rows = [[-0.022927714748043303, 0.6507951168002539], [float.fromhex("0x1.03c232cf0009ep+0"), 0.2476]]
    check("ReduceLogSum", "float64", np.array(rows).view(np.uint64), 1)


@pytest.mark.parametrize("excess", [1e-300, 5e-324, -1e-300, 1e-170, 1e-200, 2.0**-52, 1e-17])
def test_the_logarithm_of_a_sum_next_to_one_is_the_excess(excess: float) -> None:
    for row in ([1.0, excess], [0.5, 0.5, excess], [1.0, excess] + [0.0] * 100):
        check("ReduceLogSum", "float64", np.array([row]).view(np.uint64), 1)


def test_three_numbers_whose_logarithm_was_an_ulp_off() -> None:
    check("ReduceLogSum", "float64", [[0x3FE0000000000001, 0x3FE0000000000002, 0x3FDFFFFFFFFFFFFD]], 1)


@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceL1"])
def test_a_tile_that_is_copied_and_turned_still_shows_what_is_not_finite(operator: str) -> None:
    values = np.random.default_rng(1).standard_normal((6, 1800, 7))  # more than a tile, and rows of 7 are turned
    values[3, 5, 2], values[0, 700, 6], values[5, 1799, 0] = np.nan, np.inf, -np.inf
    expected = expect(operator, "float64", values, (0, 2))
    expected.assert_matches(*reduced(operator, newest(operator, "float64"), "float64", values, {"axes": [0, 2]}))
