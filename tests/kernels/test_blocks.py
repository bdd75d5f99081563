"""The answer has the same bits however a tensor is cut into blocks, in whatever order they come, on any threads."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.blocks import NUMPY_DTYPES, Block
from app.errors import Undefined
from app.kernels import accumulate, kernel_for
from app.kernels.geometry import Geometry
from app.kernels.kernel import Kernel
from app.kernels.team import ALONE, Team
from tests.evaluation import bits, cut, reduced
from tests.oracle import expect
from tests.oracle.formats import FORMATS
from tests.oracle.rows import PAIRS, newest
from tests.samples import samples
from tests.strategies import cuts, fields, tensors


@pytest.fixture(scope="module")
def eager() -> Iterator[dict[int, Team]]:
    """Teams of 1, 2 and 3 threads, which take to small tensors as they would to large ones."""
    pools = {1: ALONE, 2: Team(2), 3: Team(3)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accumulate, "WORTH_A_THREAD", 8)
        yield pools
    for threads in (2, 3):
        pools[threads].close()


@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
@settings(max_examples=14)
@given(data=st.data())
def test_any_cut_in_any_order_on_any_threads_gives_the_bits_of_one_block(
    eager: dict[int, Team], operator: str, dtype: str, data: Any
) -> None:
    version = newest(operator, dtype)
    values = data.draw(tensors(dtype, least_rank=1 if operator.startswith("Arg") else 0, most=300))
    parameters = data.draw(fields(operator, version, values.ndim))
    blocks = list(cut(values, *data.draw(cuts(values.size))))
    team = eager[data.draw(st.sampled_from([1, 2, 3]))]
    try:
        _, whole = reduced(operator, version, dtype, values, parameters)
    except Undefined:
        with pytest.raises(Undefined):
            reduced(operator, version, dtype, values, parameters, blocks, team)
    else:
        _, pieced = reduced(operator, version, dtype, values, parameters, blocks, team)
        assert bits(pieced) == bits(whole)


class Sparing:
    """A kernel that is asked for few outputs in one call."""

    def __init__(self, kernel: Kernel[Any], outputs_at_once: int) -> None:
        self.outputs_at_once = outputs_at_once
        self._kernel = kernel

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


@pytest.mark.parametrize(("operator", "dtype"), PAIRS)
def test_outputs_asked_for_by_few_are_those_asked_for_together(
    eager: dict[int, Team], operator: str, dtype: str
) -> None:
    kernel = kernel_for(operator, NUMPY_DTYPES[dtype])
    output = np.dtype(np.int64) if operator.startswith("Arg") else NUMPY_DTYPES[dtype]
    values = np.resize(np.array([5, 1, 7, 2, 2, 9, 3], NUMPY_DTYPES[dtype]), 2 * 5 * 90)
    for shape, axes in [((2, 5, 90), [1]), ((5, 180), [0]), ((300, 3), [1])]:
        answers = []
        for few, threads in [(None, 1), (7, 1), (7, 3), (50, 3), (400, 3)]:
            sparing: Any = kernel if few is None else Sparing(kernel, few)
            accumulator = accumulate.Accumulator(sparing, Geometry.of(shape, axes), output, eager[threads])
            accumulator.absorb(Block(0, values))
            answers.append(bits(accumulator.outputs))
        assert answers == [answers[0]] * 5


@pytest.mark.parametrize(("operator", "dtype"), [pair for pair in PAIRS if pair[1] in FORMATS])
def test_one_element_a_block_backwards_gives_the_exact_answer(operator: str, dtype: str) -> None:
    draw = np.random.default_rng(7)
    version = newest(operator, dtype)
    parameters = {"axis": 1} if operator.startswith("Arg") else {"axes": [1]}
    for name, sample in samples(dtype).items():
        values = sample(draw, dtype, 60).reshape(2, 10, 3)
        blocks = cut(values, range(1, 60), range(59, -1, -1))
        complaint = expect(operator, dtype, values, (1,)).complaint(
            *reduced(operator, version, dtype, values, parameters, blocks)
        )
        assert complaint is None, f"{name}: {complaint}"


@pytest.mark.parametrize("shape", [(600_000,), (2, 300_001), (300_001, 2), (3, 100_003, 2), (100, 3000)])
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceL2", "ReduceLogSumExp", "ReduceMin", "ArgMax"])
@pytest.mark.parametrize("threads", [2, 3])
def test_tensors_worth_a_thread_give_the_bits_of_one_thread(
    threads: int, operator: str, shape: tuple[int, ...]
) -> None:
    size = int(np.prod(shape))
    values = np.random.default_rng(8).normal(size=size).astype(np.float32).reshape(shape)
    team = Team(threads)
    places = [size // 7, size // 3 + 1, size - 5]
    for axis in range(len(shape)):
        parameters = {"axis": axis} if operator == "ArgMax" else {"axes": [axis]}
        version = newest(operator, "float32")
        _, alone = reduced(operator, version, "float32", values, parameters)
        _, together = reduced(operator, version, "float32", values, parameters, team=team)
        _, pieced = reduced(operator, version, "float32", values, parameters, cut(values, places, [2, 0, 3, 1]), team)
        assert bits(alone) == bits(together) == bits(pieced)
    team.close()


@pytest.mark.parametrize(
    ("operator", "threads", "shared"),
    [("ReduceL2", 2, 0), ("ReduceL2", 3, 1), ("ReduceSum", 2, 0), ("ReduceSum", 3, 1), ("ReduceMin", 2, 1)],
)
def test_threads_share_a_reduction_where_that_is_quicker(
    operator: str, threads: int, shared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = Team(threads)
    calls: list[int] = []
    run = team.run

    def counted(tasks: Sequence[Callable[[], object]]) -> list[object]:
        calls.append(len(tasks))
        return run(tasks)

    monkeypatch.setattr(team, "run", counted)
    values = np.ones(1_000_000, np.float32)
    reduced(operator, newest(operator, "float32"), "float32", values, {}, team=team)
    team.close()
    assert len(calls) == shared
