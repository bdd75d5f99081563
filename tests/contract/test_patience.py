"""Whoever waits for a reduction is asked often enough whether it still does, however long the elements take."""

from itertools import count

import numpy as np
import pytest

from app import pacing
from app.blocks import Block, Header
from app.evaluate import Check, nobody_asks, plan
from app.spec.arguments import parse_parameters
from app.spec.operators import resolve

SHAPE = (1 << 21, 2)
VALUES = np.arange(1 << 22, dtype=np.float64)


def reduced(check: Check) -> bytes:
    operator = resolve("reduce_l2", 13)
    planned = plan(operator, parse_parameters(operator, {"axes": [1]}), Header("float64", SHAPE))
    return planned.reduce([Block(0, VALUES)], check=check).values.tobytes()


@pytest.mark.parametrize(("seconds", "least", "most"), [(0.0, 2, 10), (1.0, 60, 200)])
def test_steps_are_shorter_where_they_take_long(
    monkeypatch: pytest.MonkeyPatch, seconds: float, least: int, most: int
) -> None:
    checks = count()
    clock = (step * seconds for step in count())  # every look at it finds as many seconds gone
    monkeypatch.setattr(pacing, "perf_counter", lambda: next(clock))
    assert reduced(lambda: next(checks)) == reduced(nobody_asks)
    assert least <= next(checks) <= most
