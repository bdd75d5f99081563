"""Kernels beside plain NumPy and onnxruntime, on tensors of 64 MB: no server, no format, no copy."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES, Block
from app.kernels import kernel_for
from app.kernels.accumulate import Accumulator
from app.kernels.geometry import Geometry
from app.kernels.heap import retain_freed_memory
from app.kernels.team import Team
from app.spec.operators import versions_of
from benchmarks.engine import engine
from benchmarks.plain import PLAIN
from benchmarks.timing import in_turn, seconds

BLOCK_BYTES = 1 << 20
BUDGET = 0.4
"""Seconds after which a cell is measured no more, once it was measured LEAST times."""
LEAST = 3

# Shapes of 64 MB of 4-byte elements; of others, the largest dimension is longer or shorter. The last two are 12 MB.
PATTERNS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "first": ((4096, 4096), (0,)),
    "middle": ((256, 256, 256), (1,)),
    "last": ((4096, 4096), (1,)),
    "all": ((16_777_216,), (0,)),
    "two of three": ((256, 256, 256), (0, 2)),
    "short": ((65_536, 256), (1,)),
    "rows of 3": ((1_000_000, 3), (1,)),
    "3 rows": ((3, 1_000_000), (0,)),
}


class Choice(NamedTuple):
    """What to measure; `kind` is a kind of elements, `megabytes` the size of the tensors that are given as 64 MB."""

    operators: Sequence[str]
    dtypes: Sequence[str]
    patterns: Sequence[str]
    threads: int
    kind: str = "normal"
    rounds: int = 5
    megabytes: int = 64


class Row(NamedTuple):
    """Throughputs in GB/s: the tensor whole, as blocks of 1 MiB, by NumPy and by onnxruntime (None if it has no
    such kernel). How many times as fast as theirs the whole is, the median over rounds, in each of which all were
    measured; and whether their answers are ours, bit for bit."""

    operator: str
    dtype: str
    pattern: str
    threads: int
    whole: float
    blocks: float
    numpy: float
    times_numpy: float
    numpy_agrees: bool
    engine: float | None
    times_engine: float | None
    engine_agrees: bool


def elements(dtype: np.dtype[Any], size: int, kind: str) -> NDArray[Any]:
    """Random elements: `normal` floats or integers below 1000, `zeros`, or `wide` ones of any bits that are finite."""
    rng = np.random.default_rng(0)
    if kind == "zeros":
        return np.full(size, 0, dtype)  # np.zeros would be one page, shared
    if kind == "wide" and dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, size, dtype, endpoint=True)
    if dtype.kind in "iu":
        return rng.integers(1, 100 if dtype.itemsize == 1 else 1000, size).astype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(dtype)
    normal = rng.standard_normal(size, np.float64 if dtype == np.float64 else np.float32)
    return (normal if kind == "normal" else normal * 2.0 ** rng.integers(-100, 100, size)).astype(dtype)


def rows(choice: Choice) -> Iterator[Row]:
    """One row for each operator, dtype and pattern that go together."""
    retain_freed_memory()  # as where keepdims serves, and the others here have it too
    team = Team(choice.threads)
    for dtype_name in choice.dtypes:
        dtype = NUMPY_DTYPES[dtype_name]
        for pattern in choice.patterns:
            shape, axes = PATTERNS[pattern]
            if prod(shape) > 1 << 23:
                shape = (shape[0] * choice.megabytes // 16 // dtype.itemsize, *shape[1:])
            x = elements(dtype, prod(shape), choice.kind).reshape(shape)
            for name in choice.operators:
                taken = any(dtype_name in operator.dtypes for operator in versions_of(name))
                if taken and not (name.startswith("Arg") and len(axes) > 1):
                    yield _row(name, dtype_name, pattern, x, team, choice.rounds)
    team.close()


def _row(name: str, dtype: str, pattern: str, x: NDArray[Any], team: Team, rounds: int) -> Row:
    axes = PATTERNS[pattern][1]
    kernel = kernel_for(name, x.dtype)
    geometry = Geometry.of(x.shape, axes)
    output = np.dtype(np.int64) if name.startswith("Arg") else x.dtype
    flat = x.reshape(-1)

    def reduce(block: int) -> NDArray[Any]:
        accumulator = Accumulator(kernel, geometry, output, team)
        for start in range(0, flat.size, block):
            accumulator.absorb(Block(start, flat[start : start + block]))
        return accumulator.outputs

    calls: list[Callable[[], Any]] = [
        partial(reduce, flat.size),
        partial(reduce, BLOCK_BYTES // x.itemsize),
        partial(PLAIN[name], x, axes),
    ]
    other = engine(name, dtype, x, axes, team.threads)
    with np.errstate(all="ignore"):
        answers = [np.asarray(call()).tobytes() for call in (*calls, *([other] if other else []))]
        times = _in_turn(calls, rounds)
        # By itself: what onnxruntime leaves in the caches would be NumPy's or keepdims' burden by chance.
        against = _in_turn([calls[0], other], rounds) if other else None
    whole, blocks, numpy = (x.nbytes / 1e9 / median(each) for each in times)
    agrees = [answer == answers[0] for answer in answers]
    return Row(
        name,
        dtype,
        pattern,
        team.threads,
        whole,
        blocks,
        numpy,
        _times(times[0], times[2]),
        agrees[2],
        x.nbytes / 1e9 / median(against[1]) if against else None,
        _times(*against) if against else None,
        agrees[-1],
    )


def _in_turn(calls: list[Callable[[], Any]], rounds: int) -> list[list[float]]:
    return in_turn([partial(seconds, call) for call in calls], rounds, BUDGET, min(rounds, LEAST))


def _times(own: list[float], theirs: list[float]) -> float:
    """How many times as fast the first is."""
    return median(b / a for a, b in zip(own, theirs, strict=True))
