"""LogSumExp of floats: how near it comes, and that neither order nor cuts show."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.kernels.elementary.exponential import INTERVAL
from app.kernels.elementary.library import MATH_ERROR
from app.kernels.floats.exponential_estimates import tentative
from app.kernels.floats.exponential_sums import ExponentialSums, class_of
from app.kernels.floats.log_sum_exp import LogSumExp, _narrow, _precise, log_sum_exp
from tests.oracle.formats import FORMATS

FLOATS = ("float16", "bfloat16", "float32", "float64")
Rows = NDArray[Any]
Draw = np.random.Generator

mpmath.mp.prec = 160


def exact(row: Rows) -> mpmath.mpf:
    """The real value, but for terms e^-150 below the largest."""
    terms = [mpmath.mpf(float(x)) for x in row]
    largest = max(terms)
    return largest + mpmath.log(mpmath.fsum(mpmath.exp(x - largest) for x in terms if x - largest > -150))


def two(draw: Draw, rows: int) -> Rows:
    return draw.normal(size=(rows, 2)) * 4


def near_zero(draw: Draw, rows: int) -> Rows:
    """a and log(1 − e^a), as near as float64 comes."""
    a = -draw.exponential(size=rows) - 1e-3
    return np.stack((a, np.log1p(-np.exp(a))), 1)


def class_borders(draw: Draw, rows: int) -> Rows:
    """At, just below and just above the borders between classes of 16."""
    borders = draw.choice([-40.0, -24.0, -8.0, 8.0, 24.0, 40.0, 1000.0, 6e4], (rows, 3))
    return borders + draw.integers(-2, 3, (rows, 3)) * np.spacing(borders)


def table_points(draw: Draw, rows: int) -> Rows:
    """At the points of the table of exponentials and halfway between them."""
    return draw.integers(-2 * 8192, 2 * 8192, (rows, 2)) / 2048.0


def dominated(draw: Draw, rows: int) -> Rows:
    return np.stack((draw.normal(size=rows) * 10, draw.uniform(-150, -20, rows)), 1)


def far_apart(draw: Draw, rows: int) -> Rows:
    return draw.uniform(-300, 300, (rows, 5))


def huge(draw: Draw, rows: int) -> Rows:
    """Equal up to an ulp, of every magnitude."""
    x = np.exp2(draw.uniform(-1074, 1023, (rows, 1))) * draw.choice([-1.0, 1.0], (rows, 1))
    return x + draw.integers(-1, 2, (rows, 3)) * np.spacing(x)


def small(draw: Draw, rows: int) -> Rows:
    return draw.choice([-1.0, 1.0], (rows, 2)) * np.exp2(draw.uniform(-1074, 0, (rows, 2)))


def many(draw: Draw, rows: int) -> Rows:
    return draw.normal(size=(max(1, rows // 100), 100)) * draw.choice([0.1, 1.0, 10.0, 30.0], (max(1, rows // 100), 1))


DIRECTED: tuple[tuple[Callable[[Draw, int], Rows], int], ...] = (
    (two, 6000), (near_zero, 6000), (class_borders, 4000), (table_points, 4000), (dominated, 4000), (far_apart, 3000),
    (huge, 4000), (small, 4000), (many, 4000),
)  # fmt: skip


@pytest.mark.parametrize(("rows", "number"), DIRECTED)
def test_a_float64_result_is_within_half_an_ulp_and_2_to_the_minus_60(
    rows: Callable[[Draw, int], Rows], number: int
) -> None:
    x = rows(np.random.default_rng(1), number)
    found = log_sum_exp(np.dtype(np.float64)).whole(x.reshape(1, 1, *x.shape))
    for row, result in zip(x, found, strict=True):
        error = abs(mpmath.mpf(float(result)) - exact(row))
        assert error <= mpmath.mpf(float(np.spacing(abs(result)))) / 2 + mpmath.mpf(2) ** -60, (row, result)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("rows", [two, near_zero, class_borders, dominated, far_apart, small, many])
def test_a_narrow_result_is_correctly_rounded_unless_no_double_can_tell(
    dtype: str, rows: Callable[[Draw, int], Rows]
) -> None:
    x = rows(np.random.default_rng(2), 600).astype(NUMPY_DTYPES[dtype])
    found = log_sum_exp(x.dtype).whole(x.reshape(1, 1, *x.shape)).view(f"u{x.itemsize}")
    format, slack = FORMATS[dtype], mpmath.mpf(2) ** -60
    for row, result in zip(x, found, strict=True):
        value = exact(row)
        allowed = {format.rounded(*_parts(value + error)) for error in (-slack, 0, slack)}
        assert int(result) in allowed or (value == 0 and result == 0), (row, result)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("rows", [two, near_zero, class_borders, table_points, dominated, far_apart, small, many])
def test_a_narrow_result_has_the_bits_of_the_precise_one(dtype: str, rows: Callable[[Draw, int], Rows]) -> None:
    x = rows(np.random.default_rng(3), 50_000).astype(NUMPY_DTYPES[dtype]).astype(np.float64)
    state = log_sum_exp(np.dtype(np.float64)).partial(x.reshape(1, 1, *x.shape))
    base = INTERVAL * class_of(state.largest)
    found, precise = (of_sums(base, state.sums, NUMPY_DTYPES[dtype]) for of_sums in (_narrow, _precise))
    assert found.tobytes() == precise.tobytes()


def _parts(value: mpmath.mpf) -> tuple[int, int]:
    sign, mantissa, exponent, _ = value._mpf_
    return int(-mantissa if sign else mantissa), int(exponent)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_result_depends_on_neither_order_nor_cuts(dtype: str) -> None:
    draw = np.random.default_rng(3)
    kernel = log_sum_exp(NUMPY_DTYPES[dtype])
    for scale in (1.0, 12.0, 300.0):
        x = (draw.normal(size=(3, 4000)) * scale).astype(kernel.identity(1).largest.dtype)
        x[1, draw.random(4000) < 0.7] = -np.inf
        x = x.astype(NUMPY_DTYPES[dtype])
        whole = kernel.whole(x.reshape(1, 1, 3, -1))
        for _ in range(5):
            shuffled = draw.permuted(x.view(f"u{x.itemsize}"), axis=1).view(x.dtype)
            cuts = [0, *sorted(draw.integers(1, 4000, 6)), 4000]
            states = list(_cut(kernel, shuffled, cuts))
            draw.shuffle(states)
            total = kernel.identity(3)
            for state in states:
                total.merge(state)
            assert kernel.finish(total, 4000).tobytes() == whole.tobytes()


def _cut(kernel: LogSumExp, x: Rows, cuts: list[int]) -> Iterator[ExponentialSums]:
    for index, (start, stop) in enumerate(pairwise(cuts)):
        if start < stop:
            part = x[:, start:stop]
            yield kernel.partial(part.reshape(1, 1, 3, -1) if index % 2 else part.T.reshape(1, -1, 3, 1))


SHAPES = [
    (1, 1, 37, 900), (1, 900, 37, 1), (5, 70, 40, 1), (3, 4, 5, 6), (2, 3, 2000, 8), (1, 1, 1, 70000), (1, 3, 20000, 1),
    (1, 1, 20000, 3), (700, 5, 2, 1), (1, 300, 2, 70), (1, 40000, 2, 1), (2, 1, 3, 40000),
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_box_gives_the_rows_answers(shape: tuple[int, int, int, int]) -> None:
    draw = np.random.default_rng(4)
    for scale in (1.0, 20.0):
        box = draw.normal(size=shape) * scale
        rows = np.ascontiguousarray(box.transpose(0, 2, 1, 3)).reshape(shape[0] * shape[2], -1)
        kernel = log_sum_exp(box.dtype)
        whole = kernel.whole(box)
        assert whole.tobytes() == kernel.finish(kernel.partial(box), rows.shape[1]).tobytes()
        few = draw.choice(len(rows), min(len(rows), 40), replace=False)
        alone = np.concatenate([kernel.whole(rows[k].reshape(1, 1, 1, -1)) for k in few])
        assert whole[few].tobytes() == alone.tobytes()


def masked(draw: Draw, dtype: str, shape: tuple[int, ...]) -> Rows:
    """Minus infinity among numbers, as attention has it, all over in some outputs; and now and then a NaN or +inf."""
    box = draw.normal(size=shape) * draw.choice([1.0, 30.0])
    box[draw.random(shape) < 0.3] = -np.inf
    box[:, :, draw.random(shape[2]) < 0.2] = -np.inf
    box[:, 0, draw.random(shape[2]) < 0.1, 0] = draw.choice([np.nan, np.inf])
    return box.astype(NUMPY_DTYPES[dtype])


def spread(draw: Draw, dtype: str, shape: tuple[int, ...]) -> Rows:
    return (draw.normal(size=shape) * draw.choice([1e-3, 1.0, 20.0, 3000.0])).astype(NUMPY_DTYPES[dtype])


@pytest.mark.parametrize("library", [0.0, -MATH_ERROR, MATH_ERROR])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
@pytest.mark.parametrize("sample", [masked, spread])
def test_a_narrow_box_has_the_bits_of_its_blocks_whatever_the_library(
    monkeypatch: pytest.MonkeyPatch, sample: Callable[..., Rows], dtype: str, library: float
) -> None:
    """With an exponential and a logarithm that are off by all that they may be, too."""
    draw = np.random.default_rng(9)
    kernel = log_sum_exp(NUMPY_DTYPES[dtype])
    boxes = [sample(draw, dtype, shape) for shape in SHAPES]
    blocks = [kernel.finish(kernel.partial(box), box.shape[1] * box.shape[3]) for box in boxes]
    exp, log = np.exp, np.log
    monkeypatch.setattr(np, "exp", lambda x, out=None: np.multiply(exp(x), 1 + library, out=out))
    monkeypatch.setattr(np, "log", lambda x: log(x) * (1 - library))
    for box, expected in zip(boxes, blocks, strict=True):
        assert kernel.whole(box).tobytes() == expected.tobytes(), box.shape


def test_what_float64_leaves_open_is_looked_at_again() -> None:
    """Results near 0, of which the error is a larger part."""
    draw = np.random.default_rng(10)
    box = np.zeros((1, 2, 4000, 1), np.float32)
    box[0, 1, :, 0] = draw.uniform(-30, 0, 4000)
    left_open = tentative(box)[1]
    assert 100 < np.count_nonzero(left_open) < 3900
    kernel = log_sum_exp(box.dtype)
    assert kernel.whole(box).tobytes() == kernel.finish(kernel.partial(box), 2).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_what_a_special_element_decides_is_not_looked_at_again(dtype: str) -> None:
    rows = np.random.default_rng(11).normal(size=(60, 500))
    rows[:20, 300], rows[10:30, 7], rows[30:40] = np.inf, -np.nan, -np.inf
    box = rows.astype(NUMPY_DTYPES[dtype]).reshape(1, 1, 60, 500)
    with np.errstate(all="ignore"):
        results, left_open = tentative(box)
    assert not left_open[:40].any()
    kernel = log_sum_exp(box.dtype)
    assert results[:40].tobytes() == kernel.finish(kernel.partial(box), 500)[:40].tobytes()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([-np.inf, -np.inf], -np.inf),
        ([-np.inf, 3.0, -np.inf], 3.0),
        ([-0.0, -np.inf], -0.0),
        ([1000.0, -1000.0], 1000.0),
        ([np.inf, -np.inf, 5.0], np.inf),
        ([np.inf, np.nan], np.nan),
        ([-np.inf, -np.nan], np.nan),
        ([0.0, -1000.0], 0.0),
        ([5.0], 5.0),
    ],
)
def test_special_values(dtype: str, row: list[float], expected: float) -> None:
    kernel = log_sum_exp(NUMPY_DTYPES[dtype])
    x = np.array(row).astype(NUMPY_DTYPES[dtype])
    wanted = np.array([expected]).astype(x.dtype)
    for box in (x.reshape(1, 1, 1, -1), x.reshape(1, -1, 1, 1)):
        found = kernel.whole(box)
        assert found.dtype == x.dtype
        if np.isnan(expected):
            assert int(found.view(f"u{x.itemsize}")[0]) == FORMATS[dtype].nan
        else:
            assert found.tobytes() == wanted.tobytes()
    assert kernel.empty() == -np.inf
    assert kernel.elementwise(x) is x


def test_a_thousand_and_a_thousand() -> None:
    x = np.array([1000.0, 1000.0]).reshape(1, 1, 1, 2)
    assert log_sum_exp(x.dtype).whole(x)[0] == 1000.6931471805599


def test_terms_far_below_still_count_where_the_largest_is_zero() -> None:
    x = np.array([0.0, -92.0]).reshape(1, 1, 1, 2)
    assert log_sum_exp(x.dtype).whole(x)[0] == pytest.approx(float(mpmath.log1p(mpmath.exp(-92))), rel=1e-15, abs=0)


def test_many_blocks_of_one_output_do_not_overflow_their_words() -> None:
    x = np.full((1, 1, 1, 1 << 16), 8.0)
    kernel = log_sum_exp(x.dtype)
    total = kernel.partial(x)
    for _ in range(14):  # doubled each time: 2^30 elements
        total.merge(ExponentialSums(total.largest.copy(), total.several.copy(), total.sums.copy()))
    assert kernel.finish(total, 1 << 30)[0] == float(8 + 30 * mpmath.log(2))


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_signalling_nan_is_answered_with_the_quiet_one(dtype: str) -> None:
    x = np.ones(64, NUMPY_DTYPES[dtype])
    x.view(f"u{x.itemsize}")[7] = FORMATS[dtype].infinity + 1
    kernel = log_sum_exp(x.dtype)
    for box in (x.reshape(1, 1, 1, 64), x.reshape(1, 64, 1, 1)):
        assert kernel.whole(box).view(f"u{x.itemsize}").tolist() == [FORMATS[dtype].nan]
    total = kernel.identity(1)
    total.merge(kernel.partial(x.reshape(1, 1, 1, 64)))
    assert kernel.finish(total, 64).view(f"u{x.itemsize}").tolist() == [FORMATS[dtype].nan]


@pytest.mark.parametrize("dtype", FLOATS)
def test_blocks_of_one_element_give_the_bits_of_the_whole(dtype: str) -> None:
    """One element above -inf is itself, whatever it is merged with; few of them meet one class, or the next."""
    draw = np.random.default_rng(11)
    kernel = log_sum_exp(NUMPY_DTYPES[dtype])
    rows = [[-0.0, -np.inf], [-np.inf, -0.0, -np.inf], [0.0, 9.0], [9.0, 0.0], [-9.0, 25.0, 7.0]]
    for row in [*rows, *(draw.normal(size=(40, 5)) * 12).tolist()]:
        x = np.array(row).astype(NUMPY_DTYPES[dtype])
        state = kernel.identity(1)
        for element in x:
            state.merge(kernel.partial(element.reshape(1, 1, 1, 1)))
        assert kernel.finish(state, x.size).tobytes() == kernel.whole(x.reshape(1, 1, 1, -1)).tobytes(), row
