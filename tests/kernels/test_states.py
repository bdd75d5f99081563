"""States of pieces of a box merge in any order and association to the bits of the whole."""

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.blocks import NUMPY_DTYPES
from app.errors import Undefined
from app.kernels import kernel_for
from tests.evaluation import bits
from tests.oracle.rows import PAIRS
from tests.samples import samples
from tests.strategies import SEEDS

BOXES = [
    (1, 1, 1, 50), (1, 1, 6, 9), (1, 12, 5, 1), (3, 7, 4, 1), (1, 5, 4, 6), (2, 3, 3, 5), (5, 1, 1, 1), (1, 40, 1, 1),
]  # fmt: skip


def pieces(box: Any, draw: random.Random) -> list[tuple[Any, int, int]]:
    """A box cut into smaller ones, with the first of the outputs each belongs to and where it starts along its axis."""
    o, r1, i, r2 = box.shape
    found = []
    for rows in range(o):
        across = sorted({0, i, draw.randint(0, i)})
        for left, right in pairwise(across):
            for top, bottom in _ranges(r1, draw):
                for begin, end in _ranges(r2, draw):
                    part = box[rows : rows + 1, top:bottom, left:right, begin:end]
                    found.append((part, rows * i + left, top if r1 > 1 else begin))
    return found


def _ranges(size: int, draw: random.Random) -> list[tuple[int, int]]:
    places = sorted({0, size, *(draw.randint(0, size) for _ in range(draw.randint(0, 3)))})
    return list(pairwise(places))


@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
@settings(max_examples=9)
@given(data=st.data())
def test_states_merge_in_any_order_and_association_to_the_same_bits(operator: str, dtype: str, data: Any) -> None:
    draw = random.Random(data.draw(SEEDS))
    last = operator.startswith("Arg") and draw.random() < 0.5
    kernel = kernel_for(operator, NUMPY_DTYPES[dtype], last)
    shape = data.draw(
        st.sampled_from([box for box in BOXES if not (operator.startswith("Arg") and min(box[1], box[3]) > 1)])
    )
    sample = data.draw(st.sampled_from(list(samples(dtype).values())))
    box = sample(np.random.default_rng(draw.getrandbits(32)), dtype, int(np.prod(shape))).reshape(shape)
    if operator == "ReduceLogSum" and box.dtype.kind in "iu" and data.draw(st.booleans()):
        box = np.maximum(box, 1)  # else most have an output without an answer
    outputs, count = shape[0] * shape[2], shape[1] * shape[3]
    try:
        whole = kernel.whole(box)
    except Undefined:
        with pytest.raises(Undefined):
            kernel.finish(kernel.partial(box), count)
        return
    assert bits(kernel.finish(kernel.partial(box), count)) == bits(whole)

    states = []
    for part, output, first in pieces(box, draw):
        state = kernel.identity(outputs)
        state.merge(kernel.partial(part, first), output)
        states.append(state)
    while len(states) > 1:
        one, other = (states.pop(draw.randrange(len(states))) for _ in range(2))
        one.merge(other)
        states.append(one)
    assert bits(kernel.finish(states[0], count)) == bits(whole)


@pytest.mark.parametrize(
    "shape", [*BOXES, (1, 3, 700, 1), (1, 1, 500, 3), (2, 1, 4, 600), (3, 40, 9, 1), (1, 1, 400, 16)]
)
@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
def test_outputs_go_where_they_are_wanted(operator: str, dtype: str, shape: tuple[int, int, int, int]) -> None:
    if operator.startswith("Arg") and min(shape[1], shape[3]) > 1:
        shape = (shape[0], shape[1] * shape[3], shape[2], 1)
    kernel = kernel_for(operator, NUMPY_DTYPES[dtype], False)
    outputs = shape[0] * shape[2]
    room = np.zeros(3 * outputs, np.int64 if operator.startswith("Arg") else NUMPY_DTYPES[dtype])
    into = room[outputs : 2 * outputs]
    for sample in samples(dtype).values():
        box = sample(np.random.default_rng(3), dtype, int(np.prod(shape))).reshape(shape)
        if operator == "ReduceLogSum" and box.dtype.kind in "iu":
            box = np.maximum(box, 1)  # a sum without a logarithm refuses all of them
        whole = kernel.whole(box)
        assert kernel.whole(box, into) is into
        assert bits(into) == bits(whole)
        assert not any(room[:outputs].tobytes() + room[2 * outputs :].tobytes())


@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
def test_a_kernel_leaves_its_box_alone(operator: str, dtype: str) -> None:
    kernel = kernel_for(operator, NUMPY_DTYPES[dtype], False)
    for shape in [(2, 3, 4, 1), (1, 1, 1, 40_000), (1, 3, 9000, 1), (1, 1, 9000, 3), (1, 520, 70, 1), (1, 1, 9, 5000)]:
        box = np.full(shape, 3, NUMPY_DTYPES[dtype])
        box.flags.writeable = False
        kernel.whole(box)
        kernel.finish(kernel.partial(box), shape[1] * shape[3])
        if not operator.startswith("Arg"):
            kernel.elementwise(box)
