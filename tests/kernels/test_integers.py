"""Integer Mean, L2, LogSum and LogSumExp against Python's integers and mpmath, at both ends of every dtype."""

import random
from math import isqrt
from typing import Any

import mpmath
import numpy as np
import pytest

from app.errors import Undefined
from app.kernels.integers.histograms import DISTANCES
from app.kernels.integers.l2 import integer_l2
from app.kernels.integers.log_sum import integer_log_sum
from app.kernels.integers.log_sum_exp import integer_log_sum_exp
from app.kernels.integers.logarithms import POWERS, scaled_power
from app.kernels.integers.mean import integer_mean
from app.kernels.integers.roots import floor_roots
from app.kernels.integers.squares import SQUARE_WIDTH
from app.kernels.integers.sums import SUM_WIDTH
from app.kernels.integers.wide import WideIntegers
from tests.oracle.integers import INTEGER, bounds, wrapped
from tests.oracle.logarithms import integer_log_sum_exp as defined_log_sum_exp

DTYPES = ["int32", "int64", "uint32", "uint64"]

OPERATORS: dict[str, Any] = {
    "ReduceMean": integer_mean,
    "ReduceL2": integer_l2,
    "ReduceLogSum": integer_log_sum,
    "ReduceLogSumExp": integer_log_sum_exp,
}

BOXES = [
    (1, 1, 1, 1), (1, 1, 1, 900), (1, 1, 40, 3), (1, 30, 7, 1), (3, 5, 6, 1), (3, 4, 5, 6), (1, 2, 30, 9),
    (1, 1, 2, 70_000), (1, 2_000, 30, 1), (1, 1, 400, 170), (1, 2, 40_000, 1),
]  # fmt: skip


def elements(kind: str, dtype: str, shape: tuple[int, ...]) -> Any:
    """Small elements, elements from the whole range, one of its ends alone, or both ends and zero mixed."""
    low, high = bounds(dtype)
    rng = np.random.default_rng(5)
    match kind:
        case "small":
            return rng.integers(max(low, -90), 100, shape, dtype)
        case "wide":
            return rng.integers(low, high, shape, dtype, endpoint=True)
        case "largest":
            return np.full(shape, high, dtype)
        case "smallest":
            return np.full(shape, low, dtype)
    return np.array([low, low + 1, high, high - 1, 0], dtype)[rng.integers(0, 5, shape)]


def expected(operator: str, dtype: str, box: Any, outputs: Any) -> list[int | None]:
    """The answers for some outputs; None where there is none."""
    rows = box.transpose(0, 2, 1, 3).reshape(box.shape[0] * box.shape[2], -1)[outputs].tolist()
    answers = [INTEGER[operator](row) for row in rows]
    return [None if answer is None else wrapped(dtype, answer) for answer in answers]


@pytest.mark.parametrize("shape", BOXES)
@pytest.mark.parametrize("kind", ["small", "wide", "largest", "smallest", "ends"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_answers_are_those_of_unbounded_integers(operator: str, dtype: str, kind: str, shape: tuple[int, ...]) -> None:
    box = elements(kind, dtype, shape)
    if operator == "ReduceLogSum" and dtype.startswith("int"):
        if kind == "smallest":
            with pytest.raises(Undefined, match="logarithm"):
                integer_log_sum(np.dtype(dtype)).whole(box)
            return
        box = np.where(box < 1, 1, box)  # a sum without a logarithm refuses all of them
    elif operator == "ReduceLogSum":
        box = np.where(box == 0, 1, box).astype(dtype)
    box.flags.writeable = False
    kernel = OPERATORS[operator](np.dtype(dtype))
    answers = kernel.whole(box)
    assert answers.dtype == dtype
    assert answers.shape == (shape[0] * shape[2],)
    some = np.unique(np.linspace(0, answers.size - 1, 20).astype(int))
    assert answers[some].tolist() == expected(operator, dtype, box, some)
    merged = kernel.finish(kernel.partial(box), shape[1] * shape[3])
    assert merged.dtype == dtype
    assert merged.tolist() == answers.tolist()


@pytest.mark.parametrize("kind", ["small", "wide", "ends"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_pieces_merge_in_any_order_to_the_whole(operator: str, dtype: str, kind: str) -> None:
    draw = random.Random(3)
    box = elements(kind, dtype, (1, 40, 6, 1))
    if operator == "ReduceLogSum":
        box = np.where(box < 1, 1, box).astype(dtype)
    kernel = OPERATORS[operator](np.dtype(dtype))
    states = [
        (kernel.partial(box[:, row : row + 1, column:][:, :, :2]), column) for row in range(40) for column in (0, 2, 4)
    ]
    draw.shuffle(states)
    left, right = kernel.identity(6), kernel.identity(6)
    for state, column in states[:50]:
        left.merge(state, at=column)
    for state, column in states[50:]:
        right.merge(state, at=column)
    right.merge(left)
    assert kernel.finish(right, 40).tolist() == kernel.whole(box).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_sum_carries_before_a_limb_wraps(dtype: str) -> None:
    low, high = bounds(dtype)
    for make, power in ((integer_mean, 1), (integer_l2, 2)):
        kernel = make(np.dtype(dtype))
        for extreme in (low, high):
            one = kernel.partial(np.full((1, 1, 1, 64), extreme, dtype))
            state, count = one, 64
            while count < 1 << 40:  # doubled by merging it with a copy of itself
                state.merge(WideIntegers(state.limbs.copy(), state.width, state.bound))
                count *= 2
            assert state.exact(slice(None)) == [count * extreme**power]
            answer = extreme if power == 1 else isqrt(count * extreme**power)
            assert kernel.finish(state, count).tolist() == [wrapped(dtype, answer)]


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
@pytest.mark.parametrize("bits", [32, 44, 50, 54, 62])
@pytest.mark.parametrize("shape", [(1, 1, 1, 1 << 17), (1, 1, 16, 1 << 13), (1, 512, 3, 1), (2, 2, 3, 1 << 11)])
def test_long_sums_of_large_elements_are_exact(dtype: str, bits: int, shape: tuple[int, ...]) -> None:
    low = -(1 << bits) if dtype == "int64" else 0
    box = np.random.default_rng(6).integers(low, 1 << bits, shape, dtype, endpoint=True)
    found = integer_mean(np.dtype(dtype)).whole(box)
    assert found.tolist() == expected("ReduceMean", dtype, box, slice(None))


@pytest.mark.parametrize("bits", [0, 1, 5, 6, 7, 10, 13, 14, 15, 20, 22, 29, 30])
@pytest.mark.parametrize(
    "shape", [(1, 2, 1100, 1), (2, 4, 600, 1), (1, 1, 300, 3), (1, 1, 40, 130), (2, 1, 2, 1 << 14)]
)
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_every_width_are_exact(dtype: str, shape: tuple[int, ...], bits: int) -> None:
    rng = np.random.default_rng(bits)
    for least in (0, 1, -1) if dtype.startswith("int") else (0, 1):
        low = least << bits if least < 0 else least
        box = rng.integers(low, 1 << bits, shape, dtype, endpoint=True)
        box[:, :, -1] = 1 << bits  # the largest sums there can be
        box[:, :, 0] = max(low, -(1 << bits))
        for operator in ("ReduceMean", "ReduceL2", *(["ReduceLogSum"] if least == 1 else [])):
            outputs = np.unique(np.linspace(0, shape[0] * shape[2] - 1, 40).astype(int))
            found = OPERATORS[operator](np.dtype(dtype)).whole(box)
            assert found.dtype == dtype
            assert found[outputs].tolist() == expected(operator, dtype, box, outputs), (operator, least)


@pytest.mark.parametrize("order", [(3, 11, 30), (30, 3, 11), (11, 30, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_may_grow_and_shrink_along_a_row(dtype: str, order: tuple[int, ...]) -> None:
    rng = np.random.default_rng(8)
    low = -1 if dtype.startswith("int") else 0
    row = np.concatenate([rng.integers(low << bits, 1 << bits, 270_000, dtype, endpoint=True) for bits in order])
    for box in (row.reshape(1, 1, 1, -1), row.reshape(1, -1, 3, 1), row.reshape(1, 1, 1000, -1)):
        for operator in ("ReduceMean", "ReduceL2"):
            outputs = np.unique(np.linspace(0, box.shape[2] - 1, 9).astype(int))
            found = OPERATORS[operator](np.dtype(dtype)).whole(box)
            assert found[outputs].tolist() == expected(operator, dtype, box, outputs)


@pytest.mark.parametrize("shape", [(1, 1, 50_000, 3), (1, 3, 50_000, 1), (300, 4, 170, 1)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_one_large_output_leaves_the_others_as_they_are(dtype: str, shape: tuple[int, ...]) -> None:
    box = np.random.default_rng(9).integers(1, 1000, shape, dtype)
    box[-1, :, -1] = bounds(dtype)[1]
    for operator in ("ReduceMean", "ReduceL2", "ReduceLogSum"):
        outputs = np.unique(np.linspace(0, shape[0] * shape[2] - 1, 40).astype(int))
        found = OPERATORS[operator](np.dtype(dtype)).whole(box)
        assert found[outputs].tolist() == expected(operator, dtype, box, outputs)


def test_roots_of_single_precision_are_floors_beside_every_square() -> None:
    squares = np.arange(1, 2049) ** 2
    totals = np.concatenate([squares - 1, squares, squares[:-1] + 1])
    roots = integer_l2(np.dtype(np.int64)).of_totals(totals, 1)
    assert roots.dtype == np.float32
    assert roots.astype(np.int64).tolist() == [isqrt(total) for total in totals.tolist()]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16"])
def test_roots_beyond_their_dtype_are_integers_before_they_wrap(dtype: str) -> None:
    """Floats out of range become what the processor likes."""
    most = bounds(dtype)[1]
    kernel = integer_l2(np.dtype(dtype))
    for root in (most + 1, 2 * most, 1 << 26):
        roots = kernel.of_totals(np.array([root**2, 4]), 1)
        assert roots.dtype.kind == "i"
        assert roots.astype(dtype).tolist() == [wrapped(dtype, root), 2]


def test_means_are_cut_toward_zero() -> None:
    mean = integer_mean(np.dtype(np.int64))
    for row in ([-1, 0, 0], [-5, -6], [5, 6], [-7, 0], [2**53 + 1, 2**53 + 3], [-(2**63), -(2**63), -(2**63) + 1]):
        box = np.array(row * 40, np.int64).reshape(1, 1, 40, -1)
        assert mean.whole(box).tolist() == mean.whole(box[:, :, :1]).tolist() * 40 == [INTEGER["ReduceMean"](row)] * 40


def test_roots_are_floors_beside_every_square() -> None:
    draw = random.Random(1)
    for most in (98, 138, 168):
        roots = [draw.getrandbits(draw.randrange(most // 2)) for _ in range(2000)]
        totals = [max(0, total) for root in roots for total in (root**2 - 1, root**2, root**2 + 2 * root)]
        limbs = [[total >> SQUARE_WIDTH * k & (1 << SQUARE_WIDTH) - 1 for total in totals] for k in range(9)]
        sums = WideIntegers(np.array(limbs, np.int64), SQUARE_WIDTH, 1 << SQUARE_WIDTH)
        assert floor_roots(sums).view(np.uint64).tolist() == [isqrt(total) & (1 << 64) - 1 for total in totals]


@pytest.mark.parametrize("into_fresh", [False, True])
def test_wide_sums_stay_within_their_limbs_whichever_is_merged_into_the_other(into_fresh: bool) -> None:
    most = 1 << 61  # what a box gives at most
    total = WideIntegers(np.array([[most, -most]]), SUM_WIDTH, most)
    for _ in range(20):
        fresh = WideIntegers(np.array([[most, -most]]), SUM_WIDTH, most)
        one, other = (fresh, total) if into_fresh else (total, fresh)
        one.merge(other)
        total = one
        assert np.abs(total.limbs).max() <= total.bound <= 1 << 62
    assert total.exact(slice(2)) == [21 * most, -21 * most]


def test_powers_of_e_are_right_to_the_last_bit() -> None:
    with mpmath.workprec(600):
        assert [int(mpmath.ceil(mpmath.exp(k))) for k in range(1, 89)] == POWERS
        for exponent in (-138, -1, 0, 1, 2, 88):
            assert abs(scaled_power(exponent, 320) - mpmath.ldexp(mpmath.exp(exponent), 320)) <= 2


@pytest.mark.parametrize("dtype", DTYPES)
def test_log_sum_steps_at_the_powers_of_e(dtype: str) -> None:
    kernel = integer_log_sum(np.dtype(dtype))
    _, high = bounds(dtype)
    for power, total in enumerate(POWERS[:66], start=1):
        # As many elements as the total needs to fit, in boxes short and long.
        count = max(100, -(-total // high))
        for offset, answer in ((0, power), (-1, power - 1)):
            if count > 1000 or total < count:
                continue
            share, more = divmod(total + offset, count)
            row = np.array([share + 1] * more + [share] * (count - more), dtype)
            assert kernel.whole(row.reshape(1, 1, 1, -1)).tolist() == [answer]
            assert kernel.whole(np.tile(row, (3, 1))[None, None]).tolist() == [answer] * 3


@pytest.mark.parametrize("dtype", DTYPES)
def test_logarithms_step_at_powers_of_e_and_nowhere_near_powers_of_two(dtype: str) -> None:
    edges = [*POWERS, *(1 << exponent for exponent in range(65))]
    values = sorted({x for edge in edges for x in (edge - 1, edge, edge + 1) if 0 < x <= bounds(dtype)[1]})
    found = integer_log_sum(np.dtype(dtype)).elementwise(np.array(values, dtype))
    assert found.tolist() == [sum(power <= x for power in POWERS) for x in values]


@pytest.mark.parametrize("error", [-(2.0**-43), 2.0**-43])
def test_no_logarithm_that_is_a_little_off_decides(error: float, monkeypatch: Any) -> None:
    """Far more than any library is off by: powers of e are found by comparison."""
    log = np.log
    monkeypatch.setattr(np, "log", lambda values, dtype: log(values, dtype=dtype) * (1 + error))
    values = [power - below for power in POWERS[:44] for below in (1, 0)]
    found = integer_log_sum(np.dtype(np.uint64)).elementwise(np.array(values, np.uint64))
    assert found.tolist() == [k + step for k in range(44) for step in (0, 1)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_that_just_fit_are_those_of_sums_that_do_not(dtype: str) -> None:
    least, greatest = bounds(dtype)
    for count in (3, 7, 1500):
        for extra in (-1, 0, 1):
            for sign in (1, -1) if least else (1,):
                element = sign * (greatest // count + extra)
                box = np.full((1, 1, 100, count), element, dtype)
                assert integer_mean(np.dtype(dtype)).whole(box).tolist() == [element] * 100
                root = wrapped(dtype, isqrt(count * element * element))
                assert integer_l2(np.dtype(dtype)).whole(box).tolist() == [root] * 100


def test_log_sum_names_the_sum_without_a_logarithm() -> None:
    kernel = integer_log_sum(np.dtype(np.int64))
    with pytest.raises(Undefined, match="-7"):
        kernel.whole(np.array([[5, 1], [-5, -2]]).reshape(1, 1, 2, 2))
    with pytest.raises(Undefined, match=str(-3 * 2**63)):
        kernel.whole(np.full((1, 1, 100, 3), -(2**63)))
    with pytest.raises(Undefined, match=r"-3 at \[1, 0\]"):
        kernel.elementwise(np.array([[5, 1], [-3, 2]]))


# Rows whose LogSumExp lies next to an integer: digits of e^k in base e, to the last distance that counts.
def _expansion(power: int, above: bool) -> list[int]:
    with mpmath.workprec(600):
        rest, row = mpmath.exp(power), []
        for distance in range(DISTANCES):
            digit = int(mpmath.floor(rest * mpmath.exp(distance)))
            rest -= digit * mpmath.exp(-distance)
            row += [-distance] * digit
        return row + [-DISTANCES + 1] * above


LOG_SUM_EXP_ROWS = [
    [0], [-5, -45], [-5, -200], [-5, -143], [-5, -144], [-5, -5], [1000, 1000], [-1] * 10, [-3] * 10, [-2, -140],
    [-2, -141], [0] * 7 + [-1], [0, -138], [-1, -2, -3],
    *(_expansion(k, above) for k in (1, 2, 3) for above in (False, True)),
]  # fmt: skip


@pytest.mark.parametrize("shift", [0, 1, -1, -2, -3, -40, 2**31 - 1, -(2**31) + 138])
@pytest.mark.parametrize("row", LOG_SUM_EXP_ROWS, ids=lambda row: f"{row[0]}…{row[-1]}x{len(row)}")
def test_log_sum_exp_decides_every_close_call(row: list[int], shift: int) -> None:
    low, high = bounds("int32")
    moved = [x + shift for x in row if low <= x + shift <= high] or [high]
    kernel = integer_log_sum_exp(np.dtype(np.int32))
    box = np.array(moved, np.int32).reshape(1, 1, 1, -1)
    answer = [wrapped("int32", defined_log_sum_exp(moved))]
    assert kernel.whole(box).tolist() == answer
    state = kernel.identity(1)
    for x in random.Random(0).sample(moved, len(moved)):
        state.merge(kernel.partial(np.array(x, np.int32).reshape(1, 1, 1, 1)))
    assert kernel.finish(state, len(moved)).tolist() == answer
    state.merge(kernel.identity(1))
    assert kernel.finish(state, len(moved)).tolist() == answer


@pytest.mark.parametrize("dtype", DTYPES)
def test_log_sum_exp_wraps_past_the_largest(dtype: str) -> None:
    low, high = bounds(dtype)
    kernel = integer_log_sum_exp(np.dtype(dtype))
    assert kernel.whole(np.full((1, 1, 2, 3), high, dtype)).tolist() == [low, low]
    assert kernel.whole(np.full((1, 1, 1, 2), high, dtype)).tolist() == [high]


@pytest.mark.parametrize("dtype", DTYPES)
def test_empty_sets_have_a_norm_and_nothing_else(dtype: str) -> None:
    assert integer_l2(np.dtype(dtype)).empty() == 0
    assert integer_l2(np.dtype(dtype)).empty().dtype == dtype
    for operator in ("ReduceMean", "ReduceLogSum", "ReduceLogSumExp"):
        with pytest.raises(Undefined):
            OPERATORS[operator](np.dtype(dtype)).empty()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_without_a_reduction_every_element_is_a_set_of_one(operator: str, dtype: str) -> None:
    box = elements("ends", dtype, (2, 3))
    if operator == "ReduceLogSum":
        box = np.where(box < 1, 1, box).astype(dtype)
    kernel = OPERATORS[operator](np.dtype(dtype))
    answers = kernel.elementwise(box)
    assert answers.dtype == dtype
    assert answers.reshape(-1).tolist() == kernel.whole(box.reshape(1, 1, 6, 1)).tolist()
    assert kernel.elementwise(box[0, 0].reshape(())).shape == ()
    assert kernel.elementwise(box[:0]).shape == (0, 3)
