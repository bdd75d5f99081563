"""ArgMin and ArgMax against a loop over elements, one output at a time."""

import math
import random
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.errors import Undefined
from app.kernels.extremes import folding, position
from app.kernels.extremes import search as searching
from app.kernels.extremes.position import Position, arg_max, arg_min
from app.kernels.extremes.search import RUN_BYTES
from tests.kernels.test_extremum import DTYPES, FLOATS, bits, mixed

ORDERED = [dtype for dtype in DTYPES if dtype.kind != "b"]
SEARCHES = [
    pytest.param(largest, last, id=f"{'max' if largest else 'min'}-{'last' if last else 'first'}")
    for largest in (False, True)
    for last in (False, True)
]
SHAPES = [
    (1, 1, 1, 3), (1, 1, 1, 1), (1, 1, 9, 1), (1, 1, 30, 3), (1, 1, 7, 16), (1, 1, 4, 100), (1, 1, 1, 5000),
    (1, 1, 2, 3000), (1, 9, 6, 1), (1, 70, 20, 1), (1, 300, 40, 1), (1, 300, 3, 1), (3, 7, 40, 1), (4, 40, 2, 1),
    (2, 1, 5, 6), (1, 1, 100, 260), (2, 600, 17, 1), (3, 70, 60, 1), (2, 530, 65, 1), (1, 1, 40, 48),
]  # fmt: skip


def search(dtype: np.dtype[Any], largest: bool, last: bool) -> Position:
    return arg_max(dtype, last) if largest else arg_min(dtype, last)


def index(values: NDArray[Any], largest: bool, last: bool) -> int:
    """The index of the extreme of a 1-D array: the first NaN or the last, else the first of equals or the last."""
    with np.errstate(invalid="ignore"):
        numbers = (values if values.dtype.kind in "iu" else values.astype(np.float64)).tolist()
    tied = [k for k, number in enumerate(numbers) if math.isnan(number)]
    if not tied:
        extreme = max(numbers) if largest else min(numbers)
        tied = [k for k, number in enumerate(numbers) if number == extreme]
    return tied[-1] if last else tied[0]


def expected(box: NDArray[Any], largest: bool, last: bool) -> list[int]:
    rows = box.transpose(0, 2, 1, 3).reshape(box.shape[0] * box.shape[2], -1)
    return [index(row, largest, last) for row in rows]


def tying(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> NDArray[Any]:
    """Like `mixed`, integers from a small range."""
    box = mixed(dtype, shape, seed)
    return box if dtype.kind == "V" or dtype.kind == "f" or seed % 2 else box % dtype.type(5)


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", ORDERED, ids=str)
def test_every_pattern_gives_the_index_of_the_extreme(
    largest: bool, last: bool, dtype: np.dtype[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = search(dtype, largest, last)
    for tile_bytes in (1 << 20, 256):
        monkeypatch.setattr(folding, "TILE_BYTES", tile_bytes)
        monkeypatch.setattr(folding, "COPIED_TILE_BYTES", tile_bytes)
        monkeypatch.setattr(position, "COPIED_TILE_BYTES", tile_bytes)
        monkeypatch.setattr(position, "FEW_ELEMENTS", 4)
        for number, shape in enumerate(SHAPES):
            for seed in (number, number + 1):
                box = tying(dtype, shape, seed)
                before = bits(box)
                whole = kernel.whole(box)
                state = kernel.partial(box)
                assert whole.dtype == np.int64
                assert whole.tolist() == expected(box, largest, last), (shape, seed)
                assert kernel.finish(state, shape[1] * shape[3]).tolist() == whole.tolist()
                assert bits(box) == before


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", ORDERED, ids=str)
@pytest.mark.parametrize("inner", [False, True], ids=["r1", "r2"])
def test_states_merge_in_any_order(largest: bool, last: bool, dtype: np.dtype[Any], inner: bool) -> None:
    kernel = search(dtype, largest, last)
    for seed in range(8):
        columns = tying(dtype, (1, 23, 20, 1), seed)
        box = np.ascontiguousarray(columns.swapaxes(1, 3)) if inner else columns
        pieces = []
        for start in range(0, 23, 6):
            for output in (0, 13):
                along, across = slice(start, start + 6), slice(output, output + 13)
                piece = box[:, :, across, along] if inner else box[:, along, across, :]
                pieces.append((start, output, piece))
        random.Random(seed).shuffle(pieces)
        state = kernel.identity(20)
        for start, output, piece in pieces:
            state.merge(kernel.partial(piece, start), output)
        assert state.nbytes == 20 * (dtype.itemsize + 8)
        assert kernel.finish(state, 23).tolist() == expected(box, largest, last)


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_of_every_length_are_searched(
    largest: bool, last: bool, dtype: np.dtype[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position, "FEW_ELEMENTS", 4)
    kernel = search(dtype, largest, last)
    for length in [*range(2, 20), 24, 31, 32, 33, 48, 50, 64, 99, 127, 128, 129, 150, 255, 256, 300]:
        for box in (mixed(dtype, (1, 1, 5, length), length), mixed(dtype, (1, 1, 5, length), length + 1)):
            assert kernel.whole(box).tolist() == expected(box, largest, last), length


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("length", [2, 3])
def test_all_rows_of_two_or_three_elements_of_note(
    largest: bool, last: bool, dtype: np.dtype[Any], length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position, "FEW_ELEMENTS", 4)
    monkeypatch.setattr(searching, "WINDOWED_BYTES", 40 * length * dtype.itemsize)
    numbers = [-math.inf, -1, -0.0, 0.0, 1, math.inf] if dtype in FLOATS else [0, 1, 2, 127]
    rows = list(product(numbers, repeat=length))
    if dtype in FLOATS:  # in some of the parts that are searched together, not in all
        rows += [row for row in product([*numbers, math.nan, -math.nan], repeat=length) if row not in rows]
    box = np.array(rows).astype(dtype).reshape(1, 1, -1, length)
    assert search(dtype, largest, last).whole(box).tolist() == expected(box, largest, last)


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("length", [2, 3])
def test_the_least_of_nans_beats_infinity_in_rows_of_two_or_three(
    largest: bool, last: bool, dtype: np.dtype[Any], length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(position, "FEW_ELEMENTS", 4)
    for sign in (1, -1):
        rows = np.full((2 * length, length), math.inf if largest else -math.inf, dtype)
        patterns = rows.view(f"u{dtype.itemsize}")
        patterns[range(length), range(length)] = np.array([sign * math.inf], dtype).view(patterns.dtype) + 1
        box = rows.reshape(1, 1, -1, length)
        assert search(dtype, largest, last).whole(box).tolist() == expected(box, largest, last)


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("width", [17, 66, 1030])
def test_columns_of_every_depth_are_searched(largest: bool, last: bool, dtype: np.dtype[Any], width: int) -> None:
    kernel = search(dtype, largest, last)
    for depth in (2, 15, 16, 17, 31, 33, 64, 100, 255, 256, 257, 258, 300, 509, 511, 512, 540):
        # Few values, so that most columns have ties, and columns whose only extreme is in the first row or the last.
        box = np.random.default_rng(depth).integers(0, 3, (2, depth, width, 1)).astype(dtype)
        box[:, :, 0] = box[:, :, 1] = dtype.type(not largest)
        box[:, 0, 0] = box[:, -1, 1] = dtype.type(largest)
        assert kernel.whole(box).tolist() == columnwise(box, largest, last), depth


def columnwise(box: NDArray[Any], largest: bool, last: bool) -> list[int]:
    """As `expected`, of columns without NaN."""
    numbers = box[..., 0].astype(np.float64)
    if last:
        numbers = numbers[:, ::-1]
    found = (np.argmax if largest else np.argmin)(numbers, axis=1).reshape(-1)
    return (box.shape[1] - 1 - found if last else found).tolist()


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("length", [40, 99, 129, 200, 255, 256, 700])
def test_rows_of_numbers_of_one_sign_and_of_both_are_searched(
    largest: bool, last: bool, dtype: np.dtype[Any], length: int
) -> None:
    kernel = search(dtype, largest, last)
    rows = np.round(np.random.default_rng(length).standard_normal((1, 1, 30, length)) * 4).astype(dtype)
    for box in (rows, np.abs(rows), -np.abs(rows), np.where(rows == 0, np.ones_like(rows), rows)):
        assert kernel.whole(box).tolist() == expected(box, largest, last)
    rows[0, 0, 7, length // 2] = np.nan
    assert kernel.whole(rows).tolist() == expected(rows, largest, last)


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("shape", [(1, 40, 70, 1), (1, 300, 70, 1), (2, 600, 70, 1), (1, 1, 80, 200)], ids=str)
def test_a_few_outputs_of_other_signs_than_the_rest_are_searched(
    largest: bool, last: bool, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> None:
    kernel = search(dtype, largest, last)
    numbers = np.round(np.random.default_rng(shape[1]).standard_normal(shape) * 8) + 0.5
    for sign in (1, -1):
        box = numbers.astype(dtype)
        box[0, :, 3] = sign * np.abs(box[0, :, 3])
        box[-1, :, 60] = -0.0
        box[-1, 11 % shape[1], 60, -1] = 0.0
        for base in (box, sign * np.abs(box)):
            assert kernel.whole(base).tolist() == expected(base, largest, last)
            part = base[:, :, 2:67]
            assert kernel.whole(part).tolist() == expected(part, largest, last)
        box[0, 5 % shape[1], 3, -1] = np.nan
        assert kernel.whole(box).tolist() == expected(box, largest, last)


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_few_elements_are_searched_at_once(largest: bool, last: bool, dtype: np.dtype[Any]) -> None:
    kernel = search(dtype, largest, last)
    for shape in ((1, 1, 2, 3), (1, 3, 2, 1), (2, 3, 4, 1), (1, 1, 1, 40)):
        for seed in range(6):
            box = mixed(dtype, shape, seed)
            assert kernel.whole(box).tolist() == expected(box, largest, last), (shape, seed)


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_long_row_is_searched_in_the_right_run(largest: bool, last: bool, dtype: np.dtype[Any]) -> None:
    kernel = search(dtype, largest, last)
    run = RUN_BYTES // dtype.itemsize
    length = 3 * run + 7
    # Two equal extremes: in one run, in two, where the last run begins within another, at the very ends.
    for one, other in [(5, 9), (run - 1, run), (2 * run + 3, 3 * run + 2), (3 * run - 1, 3 * run), (0, length - 1)]:
        box = np.zeros((1, 1, 2, length), dtype)
        box[0, 0, 0, :] = dtype.type(not largest)
        box[0, 0, 0, [one, other]] = dtype.type(largest)
        assert kernel.whole(box).tolist() == [other if last else one, length - 1 if last else 0]
        assert (kernel.finish(kernel.partial(box, first=9), length) - 9).tolist() == kernel.whole(box).tolist()
        if dtype in FLOATS:
            box[0, 0, 1, [one, other]] = np.nan
            assert kernel.whole(box)[1] == (other if last else one)


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", [dtype for dtype in FLOATS if dtype.itemsize == 2], ids=str)
def test_the_best_of_several_tiles_is_found(largest: bool, last: bool, dtype: np.dtype[Any]) -> None:
    kernel = search(dtype, largest, last)
    tile = folding.TILE_BYTES // dtype.itemsize
    rest = np.random.default_rng(5).standard_normal(3 * tile + 5).astype(dtype)
    # Two equal extremes: in the second tile, at either side of a border, in the first and the last.
    for one, other in [(tile + 3, tile + 9), (2 * tile - 1, 2 * tile), (7, 3 * tile + 4), (tile, 2 * tile + 1)]:
        for extreme in (9 if largest else -9, np.nan):
            line = rest.copy()
            line[[one, other]] = extreme
            for box in (line.reshape(1, 1, 1, -1), line.reshape(1, -1, 1, 1)):
                assert kernel.whole(box).tolist() == [other if last else one]
                assert kernel.finish(kernel.partial(box), line.size).tolist() == [other if last else one]


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_the_worst_elements_have_an_index_too(largest: bool, last: bool, dtype: np.dtype[Any]) -> None:
    kernel = search(dtype, largest, last)
    box = np.full((1, 5, 3, 1), -math.inf if largest else math.inf, dtype)
    state = kernel.identity(3)
    state.merge(kernel.partial(box, first=2))
    assert kernel.finish(state, 7).tolist() == [6 if last else 2] * 3


@pytest.mark.parametrize(("largest", "last"), SEARCHES)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_zeros_of_either_sign_are_equal(largest: bool, last: bool, dtype: np.dtype[Any]) -> None:
    rest = -1 if largest else 1
    row = np.array([rest, 0.0, -0.0, 0.0, rest, -0.0, rest], dtype)
    for box in (row.reshape(1, 1, 1, 7), row.reshape(1, 7, 1, 1), np.tile(row, 50).reshape(1, 1, 50, 7)):
        assert set(search(dtype, largest, last).whole(box).tolist()) == {5 if last else 1}


@pytest.mark.parametrize("dtype", ORDERED, ids=str)
def test_an_empty_set_has_no_index(dtype: np.dtype[Any]) -> None:
    for kernel in (arg_min(dtype, last=False), arg_max(dtype, last=True)):
        with pytest.raises(Undefined, match="empty set"):
            kernel.empty()
