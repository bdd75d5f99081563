"""Integer Sum, Prod, SumSquare and L1 are the exact ones modulo 2^n, by whatever route through the arrays."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
import pytest

from app.kernels.integers.wrapping import wrapping_l1, wrapping_product, wrapping_sum, wrapping_sum_square
from tests.oracle.integers import bounds, wrapped

DTYPES = ["int8", "int32", "int64", "uint32", "uint64"]

DEFINITIONS: list[tuple[Any, Callable[[list[int]], int]]] = [
    (wrapping_sum, sum),
    (wrapping_product, prod),
    (wrapping_sum_square, lambda row: sum(x * x for x in row)),
    (wrapping_l1, lambda row: sum(map(abs, row))),
]

BOXES = [
    (1, 1, 1, 1), (1, 1, 1, 700), (1, 1, 40, 3), (1, 1, 5, 600), (1, 30, 7, 1), (1, 3, 600, 1), (4, 5, 6, 1),
    (3, 4, 5, 6), (1, 2, 300, 3), (1, 70_000, 1, 1), (1, 1, 2, 70_000), (1, 20, 5_000, 1), (1, 1, 30_000, 3),
    (9, 3, 4_000, 1),
]  # fmt: skip


def extremes(dtype: str, shape: tuple[int, ...]) -> Any:
    """Elements from the whole range, many of them at its ends, zero and one."""
    low, high = bounds(dtype)
    rng = np.random.default_rng(7)
    box = rng.integers(low, high, shape, dtype, endpoint=True)
    ends = np.array([low, low + 1, high, high - 1, 0, 1, 3], dtype)[rng.integers(0, 7, shape)]
    return np.where(rng.random(shape) < 0.3, ends, box)


def rows(box: Any) -> list[list[int]]:
    """The elements of each output."""
    _, r1, _, r2 = box.shape
    outputs: list[list[int]] = box.transpose(0, 2, 1, 3).reshape(-1, r1 * r2).tolist()
    return outputs


@pytest.mark.parametrize("shape", BOXES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_answers_are_the_exact_ones_modulo_two_to_the_n(dtype: str, shape: tuple[int, ...]) -> None:
    box = extremes(dtype, shape)
    box.flags.writeable = False
    elements = rows(box)
    for make, definition in DEFINITIONS:
        if definition is prod and shape[1] * shape[3] > 1000:
            continue
        answers = make(np.dtype(dtype)).whole(box)
        assert answers.dtype == dtype
        assert answers.tolist() == [wrapped(dtype, definition(row)) for row in elements]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("make", "definition"), DEFINITIONS)
def test_strided_boxes_answer_as_contiguous_ones(make: Any, definition: Any, dtype: str) -> None:
    wide = extremes(dtype, (3, 8, 10, 9))
    for box in (wide[:, ::2, 3:7, 1:4], wide[:1, :, :, :1], wide[::-1, :, ::-1]):
        assert make(np.dtype(dtype)).whole(box).tolist() == [wrapped(dtype, definition(row)) for row in rows(box)]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("make", "unit"), [(make, 1 if make is wrapping_product else 0) for make, _ in DEFINITIONS])
def test_states_merge_in_any_order(make: Any, unit: int, dtype: str) -> None:
    kernel = make(np.dtype(dtype))
    box = extremes(dtype, (1, 12, 6, 1))
    state = kernel.identity(6)
    for row in np.random.default_rng(1).permutation(12):
        for start in (4, 0, 2):
            state.merge(kernel.partial(box[:, row : row + 1, start : start + 2]), at=start)
    assert kernel.finish(state, 12).tolist() == kernel.whole(box).tolist()
    assert kernel.empty() == unit
    assert kernel.empty().dtype == dtype


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_the_smallest_integer_is_its_own_absolute_value(dtype: str) -> None:
    low, _ = bounds(dtype)
    kernel = wrapping_l1(np.dtype(dtype))
    values = np.array([[low, -3], [5, 0]], dtype)
    assert kernel.elementwise(values).tolist() == [[low, 3], [5, 0]]
    assert kernel.whole(values[:1, :1].reshape(1, 1, 1, 1)).tolist() == [low]


@pytest.mark.parametrize("dtype", DTYPES)
def test_without_a_reduction_the_elements_stay_or_are_squared(dtype: str) -> None:
    values = extremes(dtype, (3, 4))
    scalar = values[0, 0].reshape(())
    for make in (wrapping_sum, wrapping_product):
        assert make(np.dtype(dtype)).elementwise(values).tolist() == values.tolist()
    squares = wrapping_sum_square(np.dtype(dtype))
    assert squares.elementwise(values).tolist() == [[wrapped(dtype, x * x) for x in row] for row in values.tolist()]
    assert squares.elementwise(scalar).shape == ()
