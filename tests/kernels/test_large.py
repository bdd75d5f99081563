"""Ten million elements, tall and wide tensors: reductions stay exact, whole and in blocks, on one thread and on two."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.kernels.team import Team
from tests.evaluation import bits, cut, reduced
from tests.oracle import expect
from tests.oracle.formats import FORMATS
from tests.oracle.large import right_bits
from tests.oracle.reduction import bits_of
from tests.samples import FLOATS, finite

SIZE = 10_000_000


@pytest.fixture(scope="module")
def two() -> Iterator[Team]:
    team = Team(2)
    yield team
    team.close()


def elements(dtype: str, kind: str, size: int) -> NDArray[Any]:
    """A million drawn elements over and over, no two copies alike in scale; finite."""
    values = FLOATS[kind](np.random.default_rng(size), dtype, min(size, 1_000_000))
    values = np.where(finite(values), values, values.dtype.type(1))
    return np.resize(values, size)


@pytest.mark.parametrize(
    ("operator", "dtype", "kind"),
    [
        ("ReduceSum", "float64", "every_exponent"),
        ("ReduceSum", "float64", "ordinary"),
        ("ReduceMean", "float64", "cancelling"),
        ("ReduceL2", "float64", "ordinary"),
        ("ReduceSum", "float32", "every_exponent"),
        ("ReduceL1", "float32", "ordinary"),
        ("ReduceSumSquare", "float32", "ordinary"),
        ("ReduceSum", "float16", "any_bits"),
        ("ReduceMean", "bfloat16", "every_exponent"),
    ],
)
def test_ten_million_elements_are_reduced_exactly(two: Team, operator: str, dtype: str, kind: str) -> None:
    values = elements(dtype, kind, SIZE)
    expected = right_bits(operator, dtype, values)
    version = 13
    places = [1, 123_457, 4_000_000, 9_999_999]
    for blocks, team in ((cut(values, []), two), (cut(values, places, [3, 1, 4, 0, 2]), two)):
        _, found = reduced(operator, version, dtype, values, {"keepdims": 0}, blocks, team)
        assert bits_of(found) == [expected]


@pytest.mark.parametrize("dtype", list(FORMATS))
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceMean", "ReduceL2"])
@pytest.mark.parametrize("kind", ["ordinary", "every_exponent", "midpoints"])
def test_few_outputs_of_many_elements_are_exact(operator: str, dtype: str, kind: str) -> None:
    size = 100_000
    values = elements(dtype, kind, 3 * size)
    columns = [right_bits(operator, dtype, values.reshape(size, 3)[:, column]) for column in range(3)]
    rows = [right_bits(operator, dtype, row) for row in values.reshape(3, size)]
    assert bits_of(reduced(operator, 13, dtype, values.reshape(size, 3), {"axes": [0]})[1]) == columns
    assert bits_of(reduced(operator, 13, dtype, values.reshape(3, size), {"axes": [1]})[1]) == rows


@pytest.mark.parametrize(
    ("shape", "axes"), [((20_011, 3), [1]), ((3, 20_011), [0]), ((5, 4, 3001), [1]), ((900, 4, 19), [1])]
)
@pytest.mark.parametrize("dtype", list(FORMATS))
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceMean", "ReduceL2", "ReduceProd", "ReduceMin"])
def test_many_outputs_of_few_elements_are_exact(
    operator: str, dtype: str, shape: tuple[int, ...], axes: list[int]
) -> None:
    size = int(np.prod(shape))
    kinds = ["ordinary", "every_exponent", "midpoints", "norms", "specials", "near_one"]
    pieces = [FLOATS[kind](np.random.default_rng(axes[0]), dtype, size // len(kinds) + 1) for kind in kinds]
    values = np.concatenate(pieces)[:size].reshape(shape)
    expected = expect(operator, dtype, values, tuple(axes))
    _, whole = reduced(operator, 13, dtype, values, {"axes": axes})
    expected.assert_matches(dtype, whole)
    _, pieced = reduced(operator, 13, dtype, values, {"axes": axes}, cut(values, [size // 3 + 1, size - 4], [2, 0, 1]))
    expected.assert_matches(dtype, pieced)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((150, 5, 150), [0, 2]),
        ((3, 4001, 3), [0, 2]),
        ((5000, 3, 4), [0, 2]),
        ((2, 70, 3, 65, 2), [1, 3]),
        ((4, 3, 5, 2, 7), [0, 2, 4]),
    ],
)
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceL2", "ReduceLogSumExp", "ReduceMax"])
def test_two_and_three_reduced_axes_apart_are_exact(operator: str, shape: tuple[int, ...], axes: list[int]) -> None:
    size = int(np.prod(shape))
    for dtype, kind in (("float32", "small_whole"), ("float64", "midpoints"), ("float16", "small_whole")):
        values = FLOATS[kind](np.random.default_rng(3), dtype, size).reshape(shape)
        expected = expect(operator, dtype, values, tuple(axes))
        _, whole = reduced(operator, 13, dtype, values, {"axes": axes})
        expected.assert_matches(dtype, whole)
        places = [size // 5, size // 2 + 3, size - 1]
        _, pieced = reduced(operator, 13, dtype, values, {"axes": axes}, cut(values, places, [2, 3, 0, 1]))
        assert bits(pieced) == bits(whole)
