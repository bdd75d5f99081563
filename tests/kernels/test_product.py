"""Prod of floats against exact fractions, in every shape of box, and its specials."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.kernels.floats.product import product
from app.kernels.floats.product_estimates import tentative
from tests.oracle.formats import FORMATS

FLOATS = ("float16", "bfloat16", "float32", "float64")
WIDEST = {"float16": 2.0, "bfloat16": 12.0, "float32": 12.0, "float64": 90.0}


def exact_bits(dtype: str, row: NDArray[Any]) -> int:
    """The correctly rounded product of finite values that are not 0."""
    parts = [FORMATS[dtype].parts(int(bits)) for bits in row.view(f"u{row.itemsize}").ravel()]
    mantissa, exponent = 1, 0
    for m, e in parts:
        mantissa, exponent = mantissa * m, exponent + e
    return FORMATS[dtype].rounded(mantissa, exponent)


def sample(draw: np.random.Generator, dtype: str, shape: tuple[int, ...], kind: str) -> NDArray[Any]:
    signs = draw.choice([-1.0, 1.0], shape)
    if kind == "integers":
        x = signs * draw.choice([1.0, 2.0, 3.0, 5.0, 7.0], shape, p=[0.7, 0.1, 0.1, 0.05, 0.05])
    elif kind == "near one":
        x = signs * np.exp(draw.normal(size=shape) * 0.01)
    elif kind == "wide":
        x = signs * np.exp(draw.normal(size=shape) * WIDEST[dtype])
    else:
        bits = draw.integers(1, FORMATS[dtype].infinity, shape)
        return bits.astype(f"u{NUMPY_DTYPES[dtype].itemsize}").view(NUMPY_DTYPES[dtype])
    with np.errstate(over="ignore"):
        x = x.astype(NUMPY_DTYPES[dtype])
    x[(x == 0) | ~np.isfinite(x)] = 1
    return x


@pytest.mark.parametrize("shape", [(1, 1, 17, 3), (1, 3, 17, 1), (1, 1, 500, 8), (1, 40, 500, 1), (1, 4, 60, 3)])
def test_products_next_to_a_midpoint_are_correctly_rounded(shape: tuple[int, int, int, int]) -> None:
    draw = np.random.default_rng(6)
    ulps = draw.choice([-1, -0.5, 0, 1, 2, 3], shape, p=[0.05, 0.3, 0.3, 0.3, 0.03, 0.02])
    box = draw.choice([1.0, -0.5], shape) * (1 + ulps * 2.0**-52)
    row = box.transpose(0, 2, 1, 3).reshape(shape[0] * shape[2], -1)
    row[::4, :3] = [1 + 2.0**-52, 1 - 2.0**-53, 1 + 2.0**-52]
    box = np.ascontiguousarray(row.reshape(shape[0], shape[2], shape[1], shape[3]).transpose(0, 2, 1, 3))
    found = product(np.dtype(np.float64)).whole(box).view(np.uint64)
    assert found.tolist() == [exact_bits("float64", row) for row in row]


MIDPOINTS = [
    ([1 - 2.0**-18, 1 + 2.0**-18 + 2.0**-36], 1 - 2.0**-53),  # 1 - 2^-54; steps below 1 are half as long
    ([1 + 2.0**-52, 1 - 2.0**-53, 1 + 2.0**-52], 1 + 2.0**-52),  # 1 + 3 * 2^-53, less 2^-157
]
"""Factors of a midpoint, and the number below it."""


@pytest.mark.parametrize("count", [7, 23, 63])
@pytest.mark.parametrize(("factors", "below"), MIDPOINTS)
def test_products_that_double_double_puts_on_a_midpoint_are_correctly_rounded(
    factors: list[float], below: float, count: int
) -> None:
    """Four factors of 1 - a^6 each, that is 1 but for the error of double-double: the product is rounded down."""
    draw, found = np.random.default_rng(7), []
    for _ in range(100):
        row = list(factors)
        for a in draw.integers(1, 60, (count - len(row)) // 4) * 2.0**-26:
            row += [1 + a, 1 - a + a * a, 1 - a, 1 + a + a * a]
        row += [1.0] * (count - len(row))
        found.append(draw.permutation(row) * draw.choice([-1.0, 1.0], count))
    rows = np.array(found)
    for box in (rows[np.newaxis, np.newaxis], np.ascontiguousarray(rows.T).reshape(1, count, 100, 1)):
        products = product(np.dtype(np.float64)).whole(box)
        assert np.abs(products).tolist() == [below] * 100
        assert products.view(np.uint64).tolist() == [exact_bits("float64", row) for row in rows]


@pytest.mark.parametrize("special", [0.0, np.inf, np.nan])
def test_what_is_no_number_or_zero_lies_at_no_midpoint(special: float) -> None:
    row = [1 + 2.0**-52, 1 - 2.0**-53, 1 + 2.0**-52, special]
    assert str(product(np.dtype(np.float64)).whole(np.array([[[row] * 20]])).tolist()) == str([special] * 20)


@pytest.mark.parametrize("shape", [(1, 1, 40, 70), (1, 90, 40, 1), (1, 1, 20, 3000), (1, 3000, 20, 1), (2, 9, 20, 40)])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_narrow_products_that_float64_leaves_open_are_correctly_rounded(
    dtype: str, shape: tuple[int, int, int, int]
) -> None:
    """Odd numbers whose product has one bit too many, among powers of two, and one ulp beside 1 in some rows."""
    draw = np.random.default_rng(8)
    fraction = FORMATS[dtype].fraction
    box = draw.choice([1.0, 2.0, 0.5, -1.0], shape)
    outputs = shape[0] * shape[2]
    row = box.transpose(0, 2, 1, 3).reshape(outputs, -1)
    small = draw.integers(1, 1 << fraction // 2 - 1, outputs) * 2 + 1
    large = (((3 << fraction) // small) & ~1) + 1
    row[:, 3], row[:, -1] = small, large
    row[::3, 5] = 1 + draw.choice([-0.5, 1], row[::3, 5].shape) * 2.0**-fraction
    box = np.ascontiguousarray(row.reshape(shape[0], shape[2], shape[1], shape[3]).transpose(0, 2, 1, 3))
    box = box.astype(NUMPY_DTYPES[dtype])
    decided = tentative(box)
    assert decided is not None
    assert decided[1].any()
    rows = box.transpose(0, 2, 1, 3).reshape(outputs, -1)
    found = product(box.dtype).whole(box).view(f"u{box.itemsize}")
    assert found.tolist() == [exact_bits(dtype, row) for row in rows]


@pytest.mark.parametrize("count", [2, 3, 5, 33, 64, 65, 2000])
@pytest.mark.parametrize("base", [2.0**-126, 2.0**-70, 2.0**-23, 1.5, 2.0**12, 2.0**127])
def test_narrow_products_of_any_span_end_and_are_correctly_rounded(base: float, count: int) -> None:
    draw = np.random.default_rng(count)
    row = draw.choice([base, 1 / base, -1.0, 3.0, 0.75], count).astype(np.float32)
    rows = np.stack([row, np.roll(row, 1), row[::-1] * np.float32(-1)] * 30)
    for box in (rows[np.newaxis, np.newaxis], np.ascontiguousarray(rows.T).reshape(1, count, 90, 1)):
        found = product(np.dtype(np.float32)).whole(box).view(np.uint32)
        assert found.tolist() == [exact_bits("float32", row) for row in rows]


SHAPES = [
    (1, 1, 9, 3), (1, 7, 9, 1), (2, 5, 3, 4), (1, 47, 5, 1), (1, 1, 3, 33), (3, 2, 2, 40), (1, 1, 2, 700), (1, 1, 4, 1),
    (2, 600, 3, 1),
]  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", ["integers", "near one", "wide", "any bits"])
def test_a_product_is_correctly_rounded(dtype: str, kind: str) -> None:
    draw = np.random.default_rng(1)
    kernel = product(NUMPY_DTYPES[dtype])
    for shape in SHAPES:
        box = sample(draw, dtype, shape, kind)
        rows = box.transpose(0, 2, 1, 3).reshape(shape[0] * shape[2], -1)
        found = kernel.whole(box).view(f"u{box.itemsize}")
        assert found.tolist() == [exact_bits(dtype, row) for row in rows]


@pytest.mark.parametrize("shape", [(1, 1, 1, 600000), (1, 9000, 60, 1), (3, 1, 5, 40000), (1, 3, 90000, 2)])
def test_a_box_larger_than_a_slab(shape: tuple[int, int, int, int]) -> None:
    box = np.exp(np.random.default_rng(2).normal(size=shape) * 0.01)
    rows = box.transpose(0, 2, 1, 3).reshape(shape[0] * shape[2], -1)
    found = product(box.dtype).whole(box)
    for k in {*range(0, len(rows), 1 + len(rows) // 3), len(rows) - 1}:
        high, exponent = 1, 0  # truncated to 200 bits along the way
        for mantissa, power in (Fraction(value).as_integer_ratio() for value in rows[k].tolist()):
            high, exponent = high * mantissa, exponent - power.bit_length() + 1
            excess = max(0, high.bit_length() - 200)
            high, exponent = high >> excess, exponent + excess
        assert found[k : k + 1].view(np.uint64)[0] == FORMATS["float64"].rounded(high, exponent)


@pytest.mark.parametrize("dtype", FLOATS)
def test_blocks_merge_to_the_whole(dtype: str) -> None:
    draw = np.random.default_rng(3)
    kernel = product(NUMPY_DTYPES[dtype])
    box = sample(draw, dtype, (1, 300, 40, 1), "wide")
    box[0, 7, 3, 0] = 0
    total = kernel.identity(40)
    for start, stop in ((200, 300), (0, 1), (1, 200)):
        total.merge(kernel.partial(box[:, start:stop, :25]), 0)
        total.merge(kernel.partial(box[:, start:stop, 25:]), 25)
    assert kernel.finish(total, 300).tobytes() == kernel.whole(box).tobytes()
    assert total.nbytes == 25 * 40


def test_underflow_and_overflow_are_judged_at_the_end() -> None:
    kernel = product(np.dtype(np.float64))
    row = np.array([1e300] * 40 + [1e-300] * 40 + [5e-324, 2.0])
    assert kernel.whole(row.reshape(1, 1, 1, -1))[0] == 1e-323
    assert kernel.whole(np.array([1e-200, 1e-200, -1.0]).reshape(1, 1, 1, 3)).tobytes() == np.array([-0.0]).tobytes()
    assert kernel.whole(np.array([1e200, 1e200, -1.0]).reshape(1, 1, 1, 3))[0] == -np.inf


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([0.0, -2.0], -0.0),
        ([-0.0, -2.0], 0.0),
        ([np.inf, -2.0], -np.inf),
        ([-np.inf, -np.inf], np.inf),
        ([np.inf, 0.0], np.nan),
        ([np.nan, 1.0], np.nan),
        ([-np.nan, 0.0], np.nan),
        ([-0.0], -0.0),
        ([3.0], 3.0),
    ],
)
def test_special_values(dtype: str, row: list[float], expected: float) -> None:
    kernel = product(NUMPY_DTYPES[dtype])
    x = np.array(row).astype(NUMPY_DTYPES[dtype])
    found = kernel.whole(x.reshape(1, 1, 1, -1))
    assert found.dtype == x.dtype
    if np.isnan(expected):
        assert int(found.view(f"u{x.itemsize}")[0]) == FORMATS[dtype].nan
    else:
        assert found.tobytes() == np.array([expected]).astype(x.dtype).tobytes()
    assert kernel.empty() == 1
    assert kernel.elementwise(x) is x


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_signalling_nan_is_answered_with_the_quiet_one(dtype: str) -> None:
    x = np.ones(64, NUMPY_DTYPES[dtype])
    x.view(f"u{x.itemsize}")[7] = FORMATS[dtype].infinity + 1
    for box in (x.reshape(1, 1, 1, 64), x.reshape(1, 64, 1, 1)):
        assert product(x.dtype).whole(box).view(f"u{x.itemsize}").tolist() == [FORMATS[dtype].nan]


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_state_has_mantissas_from_one_to_two(dtype: str) -> None:
    """By which midpoints are known, and states of states stay far from overflow."""
    kernel = product(NUMPY_DTYPES[dtype])
    for shape in SHAPES:
        state = kernel.partial(np.full(shape, 1.75, NUMPY_DTYPES[dtype]))
        assert 1 <= state.high.min() <= state.high.max() < 2
        state.merge(kernel.partial(np.full(shape, -1.75, NUMPY_DTYPES[dtype])))
        assert 1 <= np.abs(state.high).min() <= np.abs(state.high).max() < 2


@pytest.mark.parametrize("count", [6, 7, 40, 300])
@pytest.mark.parametrize(
    ("dtype", "factors"),
    [
        ("float16", [863, 1527, 1415, 895, 447, 1121]),  # 2971 * 2^48 - 1
        ("float32", [8834817, 12913791, 639]),  # 16974317 * 2^32 + 1
        ("float32", [12146239, 6771967, 1215]),  # 23268751 * 2^32 - 1
    ],
)
def test_narrow_products_nearer_to_a_midpoint_than_float64_tells_are_correctly_rounded(
    dtype: str, factors: list[int], count: int
) -> None:
    draw = np.random.default_rng(9)
    row = np.array([*(np.array(factors) * 2.0**-10), *[1.0] * (count - len(factors))], NUMPY_DTYPES[dtype])
    rows = np.stack([draw.permutation(row) * row.dtype.type(draw.choice([-1, 1])) for _ in range(40)])
    for box in (rows[np.newaxis, np.newaxis], np.ascontiguousarray(rows.T).reshape(1, count, 40, 1)):
        right = [exact_bits(dtype, row) for row in rows]
        kernel = product(row.dtype)
        assert kernel.whole(box).view(f"u{row.itemsize}").tolist() == right
        assert kernel.finish(kernel.partial(box), count).view(f"u{row.itemsize}").tolist() == right
