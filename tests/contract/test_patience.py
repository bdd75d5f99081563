"""Whoever waits for a reduction is asked often enough whether it still does, however long the elements take, and what
is answered does not depend on how long that is."""

from collections.abc import Iterable
from itertools import count

import numpy as np
import pytest
from numpy.typing import NDArray

from app import pacing
from app.blocks import Block, Header
from app.evaluate import Check, nobody_asks, plan
from app.spec.arguments import parse_parameters
from app.spec.operators import resolve
from tests.evaluation import cut

Array = NDArray[np.float64]

VALUES = np.arange(1 << 22, dtype=np.float64).reshape(-1, 2)

# The product is just below a midpoint, on which double-double has it: only all factors together tell.
NEAR_MIDPOINT = np.tile([1 + 2.0**-52, 1 - 2.0**-53, 1 + 2.0**-52], (5000, 1))
PRODUCT = 1 + 2.0**-52
OF_SHAPES = [
    pytest.param(NEAR_MIDPOINT, 1, id="rows"),
    pytest.param(np.ascontiguousarray(NEAR_MIDPOINT.T), 0, id="columns"),
    pytest.param(np.tile(NEAR_MIDPOINT.T, (3, 1, 1)), 1, id="columns of several rows"),
]


def reduced(name: str, values: Array, axis: int, blocks: Iterable[Block] = (), check: Check = nobody_asks) -> Array:
    operator = resolve(name, 13)
    planned = plan(operator, parse_parameters(operator, {"axes": [axis]}), Header("float64", values.shape))
    return planned.reduce(blocks or [Block(0, values.reshape(-1))], check=check).values


@pytest.mark.parametrize(("seconds", "least", "most"), [(0.0, 2, 10), (1.0, 60, 200)])
def test_steps_are_shorter_where_they_take_long(
    monkeypatch: pytest.MonkeyPatch, seconds: float, least: int, most: int
) -> None:
    with monkeypatch.context() as unhurried:
        unhurried.setattr(pacing, "FIRST", VALUES.nbytes)
        unhurried.setattr(pacing, "STEP", VALUES.nbytes)
        checks = count()
        at_once = reduced("reduce_l2", VALUES, 1, check=lambda: next(checks))
        assert next(checks) == 2  # before the one step, and behind it
    checks = count()
    clock = (step * seconds for step in count())  # every look at it finds as many seconds gone
    monkeypatch.setattr(pacing, "perf_counter", lambda: next(clock))
    assert reduced("reduce_l2", VALUES, 1, check=lambda: next(checks)).tobytes() == at_once.tobytes()
    assert least <= next(checks) <= most


@pytest.mark.parametrize("step", [8, 1000, 1 << 12, 1 << 25])
@pytest.mark.parametrize(("values", "axis"), OF_SHAPES)
def test_products_of_a_few_are_the_same_in_steps_of_any_length(
    values: Array, axis: int, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FIRST", "LEAST", "STEP"):
        monkeypatch.setattr(pacing, name, step)
    assert set(reduced("reduce_prod", values, axis).flat) == {PRODUCT}


@pytest.mark.parametrize("length", [1, 2, 100, 1000])
def test_products_of_short_rows_are_the_same_in_blocks_of_any_length(length: int) -> None:
    blocks = cut(NEAR_MIDPOINT, range(length, NEAR_MIDPOINT.size, length))
    assert set(reduced("reduce_prod", NEAR_MIDPOINT, 1, blocks).flat) == {PRODUCT}
