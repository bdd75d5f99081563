"""Integer reductions beside the plain NumPy call with the same dtype, on 64 MB, one thread, in turn.

`python -m benchmarks.integers [dtype …]` prints the rows; `rows()` yields them.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from math import prod
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from app.kernels import kernel_for
from app.kernels.geometry import Geometry, box

DTYPES = ("int32", "int64", "uint32", "uint64")

# Shapes of 64 MB of four-byte elements; of eight-byte ones the largest dimension is halved.
PATTERNS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((65_536, 256), (1,)),
    ((1_000_000, 16), (1,)),
    ((5_000_000, 3), (1,)),
    ((3, 5_000_000), (0,)),
    ((4096, 4096), (0,)),
    ((4096, 4096), (1,)),
    ((256, 256, 256), (0,)),
    ((256, 256, 256), (1,)),
    ((256, 256, 256), (2,)),
    ((256, 256, 256), (0, 2)),
    ((4096, 4096), (0, 1)),
]


def plain(x: Any, axes: tuple[int, ...], dtype: Any) -> dict[str, Callable[[], Any]]:
    """What one would write with NumPy. Mean, L2 and the logarithms of NumPy pass through float64 and are not exact."""
    return {
        "ReduceSum": lambda: np.add.reduce(x, axis=axes, dtype=dtype),
        "ReduceProd": lambda: np.multiply.reduce(x, axis=axes, dtype=dtype),
        "ReduceSumSquare": lambda: (x * x).sum(axis=axes, dtype=dtype),
        "ReduceL1": lambda: np.abs(x).sum(axis=axes, dtype=dtype),
        "ReduceMean": lambda: np.mean(x, axis=axes).astype(dtype),
        "ReduceL2": lambda: np.sqrt(np.square(x, dtype=np.float64).sum(axis=axes)),
        "ReduceLogSum": lambda: np.log(x.sum(axis=axes, dtype=np.float64)),
        "ReduceLogSumExp": lambda: np.log(np.exp(x.astype(np.float64)).sum(axis=axes)),
    }


def rows(
    dtypes: Iterable[str] = DTYPES, operators: Iterable[str] | None = None, rounds: int = 3
) -> Iterator[tuple[str, float, float, float]]:
    """(workload, ours in GB/s, NumPy's, ours / NumPy's); elements are below 1000 or, if wide, any of the dtype's."""
    rng = np.random.default_rng(0)
    for name in dtypes:
        dtype = np.dtype(name)
        range_ = np.iinfo(dtype)
        for shape, axes in PATTERNS:
            sizes = list(shape)
            sizes[sizes.index(max(sizes))] //= dtype.itemsize // 4
            for kind, low, high in (("small", 1, 1000), ("wide", range_.min, range_.max)):
                x = rng.integers(low, high, sizes, dtype)
                geometry = Geometry.of(sizes, axes)
                ours = box(x.reshape(-1), geometry.rows, geometry.groups)
                assert prod(ours.shape) == x.size
                for operator, theirs in plain(x, axes, dtype).items():
                    if operators is not None and operator not in operators:
                        continue
                    if kind == "wide" and operator in ("ReduceLogSum", "ReduceLogSumExp"):
                        continue
                    kernel = kernel_for(operator, dtype)
                    mine, numpys = _in_turn(lambda k=kernel, b=ours: k.whole(b), theirs, rounds)  # type: ignore[misc]
                    workload = f"{operator} {name} {kind} {'×'.join(map(str, sizes))} over {axes}"
                    yield workload, x.nbytes / mine / 1e9, x.nbytes / numpys / 1e9, numpys / mine


def _in_turn(ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Median seconds of each, after one call of each. The second in a round finds a warmer cache: they take turns."""
    ours()
    theirs()
    times: dict[Callable[[], Any], list[float]] = {ours: [], theirs: []}
    pair = [ours, theirs]
    for _ in range(2 * rounds):
        for call in pair:
            start = perf_counter()
            call()
            times[call].append(perf_counter() - start)
        pair.reverse()
    return median(times[ours]), median(times[theirs])


def main() -> None:
    np.seterr(all="ignore")
    print(f"{'GB/s':64} {'ours':>7} {'NumPy':>7} {'ratio':>6}")
    for workload, ours, numpys, ratio in rows(sys.argv[1:] or DTYPES):
        print(f"{workload:64} {ours:7.2f} {numpys:7.2f} {ratio:6.2f}", flush=True)


if __name__ == "__main__":
    main()
