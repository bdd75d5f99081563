"""Sums that are estimated first, of elements so unlike that guesses and bounds have to prove themselves."""

from collections.abc import Callable
from fractions import Fraction
from math import fsum, isqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.kernels.exact.estimates import Elements, Estimate, Magnitudes, Rough, together
from app.kernels.exact.loading import Loaded
from app.kernels.exact.parts import Part
from app.kernels.exact.square_estimates import ShortSquares, Squares
from app.kernels.exact.squares import cut_squares
from app.kernels.exact.terms import HIGHEST_TOP, LOWEST_UNIT
from app.kernels.scratch import Scratch
from tests.evaluation import cut, reduced
from tests.oracle.large import right_bits

SHAPE = (3, 9_000, 14)  # several tiles to a region, several regions


def outliers(values: NDArray[Any]) -> NDArray[Any]:
    """One in ten thousand is much larger."""
    return np.where(np.arange(values.size) % 9973 == 5, values * 2.0**12, values)


def sparse(values: NDArray[Any]) -> NDArray[Any]:
    """Nearly all are zero, the others small."""
    return np.where(np.arange(values.size) % 997 == 3, values * 2.0**-30, 0.0)


def halved(values: NDArray[Any]) -> NDArray[Any]:
    """Whole tiles are zero."""
    return np.where(np.arange(values.size) % 126_000 < 70_000, 0.0, values)


def growing(values: NDArray[Any]) -> NDArray[Any]:
    """Some 2^50 times as large at the end as at the beginning."""
    return values * 2.0 ** (np.arange(values.size) * (50 / values.size)).round()


def striped(values: NDArray[Any]) -> NDArray[Any]:
    """Neighbours are of sizes far apart."""
    return values * 2.0 ** (np.arange(values.size) % 7 * -20.0)


def huge(values: NDArray[Any]) -> NDArray[Any]:
    """Squares are near the largest number, those of a few above it."""
    return np.where(np.arange(values.size) % 9973 == 5, values * 2.0**520, values * 2.0**480)


def tiny(values: NDArray[Any]) -> NDArray[Any]:
    """Squares are subnormal, or nothing."""
    return values * 2.0**-530


KINDS: list[Callable[[NDArray[Any]], NDArray[Any]]] = [outliers, sparse, halved, growing, striped, huge, tiny]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceL1", "ReduceSumSquare", "ReduceL2"])
def test_elements_of_unlike_sizes_are_summed_exactly(operator: str, axis: int, kind: Any) -> None:
    rng = np.random.default_rng(7)
    values = kind(rng.standard_normal(np.prod(SHAPE))).reshape(SHAPE)
    if axis == 2:
        values = np.ascontiguousarray(values.swapaxes(1, 2))
    _, answer = reduced(operator, 13, "float64", values, {"axes": [axis], "keepdims": 0})
    rows = np.moveaxis(values, axis, -1).reshape(-1, SHAPE[1])
    assert answer.reshape(-1).view(np.uint64).tolist() == [right_bits(operator, "float64", row) for row in rows]


@pytest.mark.parametrize("kind", [outliers, sparse, growing, striped])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceSumSquare", "ReduceL2"])
def test_elements_of_unlike_sizes_are_summed_exactly_in_blocks(operator: str, dtype: str, kind: Any) -> None:
    """A row of outputs that is cut open: its tiles go into a state."""
    shape = (9_000, 42)
    with np.errstate(over="ignore"):
        values = kind(np.random.default_rng(8).standard_normal(np.prod(shape))).astype(dtype).reshape(shape)
    values = np.where(np.isfinite(values), values, values.dtype.type(1))
    blocks = cut(values, [70_001, 211_000])
    _, answer = reduced(operator, 13, dtype, values, {"axes": [0], "keepdims": 0}, blocks)
    bits = answer.view(f"u{answer.itemsize}").tolist()
    assert bits == [right_bits(operator, dtype, column) for column in values.T]


def test_a_large_element_among_small_ones_loses_none_of_them() -> None:
    """2^24 + 1 lies half-way between two numbers: what decides is a sum that no float64 has beside 2^24."""
    values = np.zeros((9_000, 42), np.float32)
    values[4_900:6_200] = 2.0**-20  # in one tile with
    values[4_950, 16], values[5_003, 17], values[5_004, 17] = 2.0**-30, 2.0**12, 1.0
    _, answer = reduced("ReduceSumSquare", 13, "float32", values, {"axes": [0], "keepdims": 0}, cut(values, [70_001]))
    assert answer[17] == 2.0**24 + 2
    assert answer.view(np.uint32).tolist() == [right_bits("ReduceSumSquare", "float32", column) for column in values.T]


def test_a_sum_that_has_just_lost_a_unit_proves_no_guess() -> None:
    """2^53 + 1 is rounded to 2^53, and so lies at the very bound; what is tiny then decides."""
    values = np.zeros((8, 2_048))
    values[0, 0] = 1.5 * 2.0**20  # by which the others are guessed
    values[3, [1, 2, 3, 5]] = 2.0**26, 2.0**26, 1.0, 2.0**-10
    _, answer = reduced("ReduceSumSquare", 13, "float64", values, {"axes": [1], "keepdims": 0})
    assert answer[3] == 2.0**53 + 2


def test_a_lost_unit_of_squares_proves_no_guess_in_a_state() -> None:
    """In units of 2^-298, a tile has 2^53 + 1, which is rounded to 2^53. With that of another tile it lies half-way
    between the squares of two numbers."""
    middle = 94_906_268  # a multiple of 4, where numbers are those of 8
    rest, others = middle**2 - 2**53 - 1, []
    while rest:
        others.append(isqrt(rest))
        rest -= others[-1] ** 2
    units = np.ones((256, 4))
    units[:, 1] = 0
    units[[10, 22, 30], 1] = 2.0**26, 2.0**26, 1.0
    units[130 : 130 + len(others), 1] = others
    values = (units * 2.0**-149).astype(np.float32)
    _, answer = reduced("ReduceL2", 13, "float32", values, {"axes": [0], "keepdims": 0}, cut(values, [512]))
    assert answer[1] == np.float32((middle + 4) * 2.0**-149)  # of the two, the one whose last bit is 0


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_hides_in_no_guess(special: float) -> None:
    values = np.random.default_rng(9).standard_normal((9_000, 42)).astype(np.float32)
    values[5_003, 17] = special
    _, answer = reduced("ReduceSumSquare", 13, "float32", values, {"axes": [0], "keepdims": 0}, cut(values, [70_001]))
    assert str(answer[17]) == ("nan" if np.isnan(special) else "inf")
    others = np.delete(np.arange(42), 17)
    assert answer.view(np.uint32)[others].tolist() == [
        right_bits("ReduceSumSquare", "float32", values[:, k]) for k in others
    ]


SCRATCH = Scratch(8, 1 << 16)


def mistakes(estimate: Estimate, rows: NDArray[Any], terms: NDArray[Any]) -> list[float]:
    """By how much estimates of rows miss the sums of their terms, over how much they say they may miss them by."""
    outputs, count = rows.shape
    tiles = [
        estimate.of_tile(np.ascontiguousarray(tile.T).reshape(1, -1, outputs, 1), (1, size, outputs), count, SCRATCH)
        for tile, size in ((rows[:, : count // 2], count // 2), (rows[:, count // 2 :], count - count // 2))
    ]
    high, low, missed, relative = estimate.closed(together(tiles, outputs), count)
    wrong = [fsum([*row, -high[k], -low[k]]) for k, row in enumerate(terms.tolist())]
    return (np.abs(wrong) / (missed + relative * np.abs(high))).tolist()


@pytest.mark.parametrize("count", [64, 300, 2000])
@pytest.mark.parametrize("estimate", [Elements(), Magnitudes()])
def test_rests_that_are_all_rounded_one_way_stay_within_the_bound(estimate: Estimate, count: int) -> None:
    """One large element, so that all of the others are left, each a little less than what is cut at."""
    draw = np.random.default_rng(1)
    step = 2.0 ** (max(2, count.bit_length()) + 2 - 53)
    rows = np.repeat(step * (1 - 2.0 ** -draw.integers(5, 50, (20, 1))), count, axis=1)
    rows *= 1 - 2.0**-52 * draw.integers(0, 64, (20, 1))
    rows[:, [0, count // 2]] = 1.0
    found = mistakes(estimate, rows, rows)
    assert 1 / 1000 < max(found) <= 1


@pytest.mark.parametrize("count", [40, 100, 200])
def test_squares_that_are_rounded_one_way_stay_within_the_bound(count: int) -> None:
    draw = np.random.default_rng(2)
    rows = (draw.random((100, count)) * 0.01).astype(np.float32)
    rows[:, [0, count // 2]] = 1 + draw.random((100, 2))
    assert 1 / 1000 < max(mistakes(ShortSquares(rows.dtype), rows, rows.astype(np.float64) ** 2)) <= 1


@pytest.mark.parametrize("additions", [1, 40])
def test_the_bound_is_what_sums_of_the_largest_rests_may_miss(additions: int) -> None:
    """Every addition of n terms up to some size may miss their sizes' sum by 2^-53 of it."""
    count, head, step = 1000, 3.0, 2.0**-20
    rough = Rough([Part(np.array([count * head]), 12, 0)], np.array([0.5]), additions, step)
    least = count * step * additions * 2.0**-53
    assert least <= Elements().closed(rough, count).missed[0] <= 1.01 * least
    # Of squares of a + b, b(2a + b) are left.
    squares = Rough([Part(np.array([count * head**2]), 14, 0)], np.array([0.5]), additions, step)
    least = count * step * (2 * head + step) * additions * 2.0**-53
    assert (1 - 2.0**-40) * least <= Squares().closed(squares, count).missed[0] <= 1.01 * least
    short = ShortSquares(np.dtype(np.float32)).closed(Rough([], np.array([2.0]), additions, 0.0), count)
    assert [np.ravel(each).tolist() for each in short] == [[2.0], [0.0], [0.0], [additions * 2.0**-53]]


def wide_values(top: int, unit: int) -> NDArray[Any]:
    """63 rows of numbers of 53 bits and fewer, multiples of 2^unit just below 2^top and down to 2^unit."""
    draw = np.random.default_rng(4)
    values = draw.uniform(0.99, 1, (1, 63, 8)) * 2.0 ** (top - draw.integers(0, top - unit, (1, 63, 8)))
    values[0, :, :4] = draw.uniform(0.99, 1, (63, 4)) * 2.0**top
    values[0, :, 4] = (1 - 2.0**-24 + 2.0**-25 * 0.99) * 2.0**top  # two digits that are as large as can be
    return np.round(values * 2.0**-unit) * 2.0**unit


@pytest.mark.parametrize(
    ("top", "unit"),
    [
        *((0, -24), (0, -53), (3, -72), (0, -100), (0, -149)),
        *((LOWEST_UNIT // 2 + 60, LOWEST_UNIT // 2), (HIGHEST_TOP // 2, HIGHEST_TOP // 2 - 70)),
    ],
)
def test_squares_are_cut_into_digits_whose_products_add_exactly(top: int, unit: int) -> None:
    values = wide_values(top, unit)
    found = cut_squares(Loaded(values.copy(), top, unit, zeros=False), SCRATCH)
    assert found is not None
    for k in range(8):
        exact = sum(Fraction(x) ** 2 for x in values[0, :, k].tolist())
        assert sum(Fraction(x) for sums in found for x in sums.values[0, :, k].tolist()) == exact
    for sums in found:
        assert np.abs(sums.values).max() <= 2.0**sums.top
        assert all(Fraction(x) / Fraction(2) ** sums.unit % 1 == 0 for x in sums.values.reshape(-1).tolist())


@pytest.mark.parametrize(
    ("top", "unit"),
    [(0, -150), (LOWEST_UNIT // 2, LOWEST_UNIT // 2 - 1), (HIGHEST_TOP // 2 + 1, HIGHEST_TOP // 2)],
)
def test_squares_of_too_wide_a_range_are_not_cut(top: int, unit: int) -> None:
    assert cut_squares(Loaded(np.full((1, 2, 1), 2.0**unit), top, unit, zeros=False), SCRATCH) is None
