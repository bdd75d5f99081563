"""Kernels beside plain NumPy, on one thread: whole tensors, and the same tensor as blocks of 1 MiB.

`make bench` prints the table; `make bench ARGS="--operators ReduceSum --dtypes float32"` a part of it.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES, Block
from app.kernels import KERNELS, kernel_for
from app.kernels.accumulate import Accumulator
from app.kernels.geometry import Geometry
from app.kernels.workers import ALONE
from app.spec.operators import versions_of
from benchmarks.plain import PLAIN
from benchmarks.timing import in_turn

BLOCK_BYTES = 1 << 20

# For 64 MB of 4-byte elements; of others, the largest dimension is longer or shorter. The last two are 12 MB of 4.
PATTERNS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "first": ((4096, 4096), (0,)),
    "last": ((4096, 4096), (1,)),
    "short": ((65_536, 256), (1,)),
    "middle": ((256, 256, 256), (1,)),
    "outer two": ((256, 256, 256), (0, 2)),
    "all": ((16_777_216,), (0,)),
    "rows of 3": ((1_000_000, 3), (1,)),
    "3 rows": ((3, 1_000_000), (0,)),
}


class Row(NamedTuple):
    """Throughputs in GB/s."""

    workload: str
    whole: float
    blocks: float
    plain: float


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


def rows(
    operators: Sequence[str], dtypes: Sequence[str], patterns: Sequence[str], kind: str, rounds: int
) -> Iterator[Row]:
    """One row for each operator, dtype and pattern that go together."""
    for dtype_name in dtypes:
        dtype = NUMPY_DTYPES[dtype_name]
        for pattern in patterns:
            shape, axes = PATTERNS[pattern]
            shape = (shape[0] * 4 // dtype.itemsize, *shape[1:]) if prod(shape) > 1 << 23 else shape
            x = elements(dtype, prod(shape), kind)
            for name in operators:
                taken = any(dtype_name in operator.dtypes for operator in versions_of(name))
                if taken and not (name.startswith("Arg") and len(axes) > 1):
                    yield _row(name, dtype_name, pattern, x.reshape(shape), axes, rounds)


def _row(name: str, dtype: str, pattern: str, x: NDArray[Any], axes: tuple[int, ...], rounds: int) -> Row:
    kernel = kernel_for(name, x.dtype)
    geometry = Geometry.of(x.shape, axes)
    output = np.dtype(np.int64) if name.startswith("Arg") else x.dtype
    flat = x.reshape(-1)

    def reduce(block: int) -> Callable[[], Any]:
        def call() -> Any:
            accumulator = Accumulator(kernel, geometry, output, ALONE)
            for start in range(0, flat.size, block):
                accumulator.absorb(Block(start, flat[start : start + block]))
            return accumulator.outputs

        return call

    plain = PLAIN[name]
    calls = [reduce(flat.size), reduce(BLOCK_BYTES // x.itemsize), lambda: plain(x, axes)]
    with np.errstate(all="ignore"):
        whole, blocks, numpy = (x.nbytes / 1e9 / seconds for seconds in in_turn(calls, rounds))
    return Row(f"{name} {dtype} {pattern}", whole, blocks, numpy)


def main() -> None:
    """Print the table, in Markdown."""
    names = list(KERNELS)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--operators", nargs="+", default=names, choices=names)
    parser.add_argument("--dtypes", nargs="+", default=["float32", "float64", "float16", "int32"], choices=NUMPY_DTYPES)
    parser.add_argument("--patterns", nargs="+", default=list(PATTERNS), choices=PATTERNS)
    parser.add_argument("--kind", default="normal", choices=["normal", "zeros", "wide"])
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    print("| 64 MB, one thread, GB/s | whole | blocks | plain NumPy | whole / NumPy |\n|---|---|---|---|---|")
    for row in rows(chosen.operators, chosen.dtypes, chosen.patterns, chosen.kind, chosen.rounds):
        ratio = row.whole / row.plain
        print(f"| {row.workload} | {row.whole:.2f} | {row.blocks:.2f} | {row.plain:.2f} | {ratio:.2f} |", flush=True)
