"""Sums that are estimated first, of elements so unlike that guesses and bounds have to prove themselves."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.evaluation import reduced
from tests.oracle.formats import FORMATS
from tests.oracle.large import exact_total

SHAPE = (3, 9_000, 14)  # several tiles to a region, several regions


def outliers(values: NDArray[Any]) -> NDArray[Any]:
    """One in ten thousand is much larger."""
    return np.where(np.arange(values.size) % 9973 == 5, values * 2.0**12, values)


def sparse(values: NDArray[Any]) -> NDArray[Any]:
    """Nearly all are zero, the others small."""
    return np.where(np.arange(values.size) % 997 == 3, values * 2.0**-30, 0.0)


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


KINDS: list[Callable[[NDArray[Any]], NDArray[Any]]] = [outliers, sparse, growing, striped, huge, tiny]


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
    assert answer.reshape(-1).view(np.uint64).tolist() == [right(operator, row) for row in rows]


def right(operator: str, row: NDArray[Any]) -> int:
    power = 2 if operator in ("ReduceSumSquare", "ReduceL2") else 1
    total, exponent = exact_total("float64", row, power, operator == "ReduceL1")
    form = FORMATS["float64"]
    return form.rounded_root(total, exponent) if operator == "ReduceL2" else form.rounded(total, exponent)
