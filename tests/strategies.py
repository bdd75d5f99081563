"""Hypothesis strategies for tensors, parameters and ways to cut a tensor into blocks.

Elements come from `samples` by a drawn seed: shapes, axes, cuts and the kind of elements shrink, elements do not.
"""

from math import prod
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.oracle import rows
from tests.samples import samples

settings.register_profile(
    "repeatable", derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repeatable")

SIZES = st.one_of(st.integers(1, 4), st.sampled_from([1, 2, 3, 5, 8, 17, 40]), st.integers(0, 20))
SEEDS = st.integers(0, 2**32 - 1)


@st.composite
def shapes(draw: st.DrawFn, least_rank: int = 0, most: int = 600) -> tuple[int, ...]:
    """Ranks to 5, dimensions of 1 and 0 among them, at most `most` elements."""
    shape: list[int] = []
    for size in draw(st.lists(SIZES, min_size=least_rank, max_size=5)):
        shape.append(size if prod(shape) * size <= most else 1)
    return tuple(shape)


@st.composite
def tensors(draw: st.DrawFn, dtype: str, least_rank: int = 0, most: int = 600) -> NDArray[Any]:
    """Tensors of a dtype, of all kinds of elements."""
    shape = draw(shapes(least_rank, most))
    sample = draw(st.sampled_from(list(samples(dtype).values())))
    return sample(np.random.default_rng(draw(SEEDS)), dtype, prod(shape)).reshape(shape)


@st.composite
def fields(draw: st.DrawFn, operator: str, version: int, rank: int) -> dict[str, Any]:
    """Parameters of an operator version for a tensor of this rank (> 0 for Arg*), some left to their defaults."""
    least = -rank if version >= 11 else 0
    given: dict[str, Any] = {}
    for name in rows.parameters(operator, version):
        if name == "axes":
            unique = st.permutations(range(rank)).flatmap(lambda order: st.integers(0, rank).map(lambda n: order[:n]))
            signs = [draw(st.booleans()) and version >= 11 for _ in range(rank)]
            given[name] = [axis - rank if signs[axis] else axis for axis in draw(unique)]
        elif name == "axis":
            given[name] = draw(st.integers(least, rank - 1))
        else:
            given[name] = draw(st.sampled_from([0, 1, True, False, None]))
    return {name: value for name, value in given.items() if draw(st.integers(0, 4))}


@st.composite
def cuts(draw: st.DrawFn, size: int) -> tuple[list[int], list[int]]:
    """Sorted places where a flat range of elements is cut, and the order in which the blocks come."""
    places = sorted(draw(st.sets(st.integers(1, size - 1), max_size=12))) if size > 1 else []
    return places, list(draw(st.permutations(range(len(places) + 1))))
