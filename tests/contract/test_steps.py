"""Neither the length of a step nor rows that are cut open change a bit, on any number of threads."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from app import pacing
from app.blocks import NUMPY_DTYPES
from app.errors import ShapeMismatch
from app.kernels import accumulate
from app.kernels.team import ALONE, Team
from tests.evaluation import bits, cut, reduced
from tests.oracle.rows import PAIRS, newest

PATTERNS = [((6, 5, 7), (1,)), ((3, 60), (0,)), ((70, 3), (1,)), ((3, 4, 5, 6), (0, 2)), ((2, 3, 2, 5, 2), (0, 2, 4))]


@pytest.fixture(scope="module")
def teams() -> Iterator[list[Team]]:
    pair = Team(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accumulate, "WORTH_A_THREAD", 8)
        yield [ALONE, pair]
    pair.close()


@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
@pytest.mark.parametrize("step", [8, 100, 1 << 25])
def test_no_step_and_no_cut_changes_a_bit(
    operator: str, dtype: str, step: int, teams: list[Team], monkeypatch: pytest.MonkeyPatch
) -> None:
    version, shuffle = newest(operator, dtype), random.Random(step)
    for shape, axes in PATTERNS:
        parameters = {"axis": axes[0]} if operator.startswith("Arg") else {"axes": list(axes)}
        values = np.resize(np.array([5, 1, 7, 2, 2, 9, 3], NUMPY_DTYPES[dtype]), shape)
        _, whole = reduced(operator, version, dtype, values, parameters)
        with monkeypatch.context() as paced:
            for name in ("FIRST", "LEAST", "STEP"):
                paced.setattr(pacing, name, step)
            for team in teams:
                places = sorted(shuffle.sample(range(1, values.size), 9))
                for blocks in (None, cut(values, places), cut(values, places, shuffle.sample(range(10), 10))):
                    _, stepped = reduced(operator, version, dtype, values, parameters, blocks, team)
                    assert bits(stepped) == bits(whole), (shape, axes)


def test_elements_that_a_cut_row_still_wants_are_counted() -> None:
    values = np.ones((4, 5), np.float32)
    blocks = [block for block in cut(values, [3, 7, 11]) if block.start != 3]
    with pytest.raises(ShapeMismatch, match="20 elements, but 4 of them did not come"):
        reduced("ReduceSum", 13, "float32", values, {"axes": [1]}, blocks)
