"""Every operator on every dtype answers what exact arithmetic answers."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import Undefined
from tests.evaluation import reduced
from tests.oracle import NoAnswer, answer, expect
from tests.oracle.rows import PAIRS, VERSIONS, dtypes
from tests.samples import samples
from tests.strategies import fields, tensors


@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
@settings(max_examples=18)
@given(data=st.data())
def test_any_tensor_over_any_axes_gives_the_exact_answer(operator: str, dtype: str, data: Any) -> None:
    version = data.draw(st.sampled_from([v for v in VERSIONS[operator] if dtype in dtypes(operator, v)]))
    values = data.draw(tensors(dtype, least_rank=1 if operator.startswith("Arg") else 0))
    parameters = data.draw(fields(operator, version, values.ndim))
    try:
        expected = answer(operator, version, dtype, values, parameters)
    except NoAnswer:
        with pytest.raises(Undefined):
            reduced(operator, version, dtype, values, parameters)
    else:
        expected.assert_matches(*reduced(operator, version, dtype, values, parameters))


@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
def test_every_kind_of_element_in_rows_of_every_length_gives_the_exact_answer(operator: str, dtype: str) -> None:
    version = max(v for v in VERSIONS[operator] if dtype in dtypes(operator, v))
    for seed, (name, sample) in enumerate(samples(dtype).items()):
        draw = np.random.default_rng(seed)
        for length in (1, 2, 3, 4, 7, 16, 33):
            rows = defined(operator, dtype, sample(draw, dtype, 24 * length).reshape(24, length), 1)
            expected = expect(operator, dtype, rows, (1,), keepdims=False)
            for axis, values in ((1, rows), (0, np.ascontiguousarray(rows.T))):
                axes = {"axis": axis} if operator.startswith("Arg") else {"axes": [axis]}
                found = reduced(operator, version, dtype, values, {**axes, "keepdims": 0})
                complaint = expected.complaint(*found)
                assert complaint is None, f"{name}, {length} elements along axis {axis}: {complaint}"


def defined(operator: str, dtype: str, values: Any, axis: int) -> Any:
    """The tensor without the rows that have no answer."""
    if operator != "ReduceLogSum" or "int" not in dtype:
        return values
    positive = values.astype(object).sum(axis=axis) > 0
    return np.ascontiguousarray(np.compress(positive, values, axis=1 - axis))


EDGES = [126, 127, 128, 129, 1023, 1025, 8191, 8193, 2**15 - 1, 2**15 + 1, 2**16 - 1, 2**16 + 1]
"""Sizes around those at which kernels may change their way; every other pair of operator and dtype meets one half."""


@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
def test_sizes_around_tile_edges_give_the_exact_answer(operator: str, dtype: str) -> None:
    draw = np.random.default_rng(len(operator))
    version = max(v for v in VERSIONS[operator] if dtype in dtypes(operator, v))
    kinds = list(samples(dtype).values())
    for size, other in pairwise([*EDGES[PAIRS.index((operator, dtype)) % 2 :: 2], 1]):
        kind = kinds[size * 7 % len(kinds)]
        shape = (size, 1 + other % 3) if other % 2 else (1 + other % 3, size)
        values = kind(draw, dtype, shape[0] * shape[1]).reshape(shape)
        axis = shape.index(size)
        tensor = defined(operator, dtype, values, axis)
        parameters = {"axis": axis} if operator.startswith("Arg") else {"axes": [axis]}
        complaint = expect(operator, dtype, tensor, (axis,)).complaint(
            *reduced(operator, version, dtype, tensor, parameters)
        )
        assert complaint is None, f"{kind.__name__} {shape} along axis {axis}: {complaint}"
