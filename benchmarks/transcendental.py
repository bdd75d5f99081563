"""LogSumExp and Prod of floats beside the plain NumPy formula, on 64 MB, one thread, in turn.

`python -m benchmarks.transcendental [dtype …]` prints the rows; `rows()` yields them. NumPy's formulas work in the
dtype of the elements and are not exact: its product rounds every time, and its exp is not a function of the element.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from app.blocks import NUMPY_DTYPES
from app.kernels.geometry import Geometry, box
from app.kernels.log_sum_exp import log_sum_exp
from app.kernels.product import product

DTYPES = ("float64", "float32", "float16", "bfloat16")

# Shapes of 64 MB of eight-byte elements; of shorter ones there are as many elements, and fewer bytes.
PATTERNS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((4096, 2048), (0,)),
    ((4096, 2048), (1,)),
    ((4096, 2048), (0, 1)),
    ((256, 256, 128), (1,)),
    ((256, 256, 128), (0, 2)),
    ((2_500_000, 3), (1,)),
]
# What the elements are: most of a normal distribution of width 1 lies in one class of LogSumExp, of width 10 in five.
WIDTHS = {"ReduceLogSumExp": (1.0, 10.0), "ReduceProd": (1.0,)}


def plain_log_sum_exp(x: Any, axes: tuple[int, ...]) -> Any:
    largest = x.max(axis=axes, keepdims=True)
    return np.log(np.exp(x - largest).sum(axis=axes, keepdims=True)) + largest


def rows(dtypes: Iterable[str] = DTYPES, rounds: int = 2) -> Iterator[tuple[str, float, float, float]]:
    """(workload, ours in GB/s, NumPy's, ours / NumPy's)."""
    draw = np.random.default_rng(0)
    for name in dtypes:
        dtype = NUMPY_DTYPES[name]
        for operator, kernel, plain in (
            ("ReduceLogSumExp", log_sum_exp(dtype), plain_log_sum_exp),
            ("ReduceProd", product(dtype), lambda x, axes: np.multiply.reduce(x, axis=axes)),
        ):
            for (shape, axes), width in ((pattern, width) for pattern in PATTERNS for width in WIDTHS[operator]):
                x = (draw.normal(size=shape) * width).astype(dtype)
                geometry = Geometry.of(shape, axes)
                ours = box(x.reshape(-1), geometry.rows, geometry.groups)
                mine, numpys = _in_turn(
                    lambda k=kernel, b=ours: k.whole(b),  # type: ignore[misc]
                    lambda f=plain, x=x, axes=axes: f(x, axes),  # type: ignore[misc]
                    rounds,
                )
                workload = f"{operator} {name} width {width:g} {'×'.join(map(str, shape))} over {axes}"
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
    print(f"{'GB/s':72} {'ours':>7} {'NumPy':>7} {'ratio':>6}")
    for workload, ours, numpys, ratio in rows(sys.argv[1:] or DTYPES):
        print(f"{workload:72} {ours:7.2f} {numpys:7.2f} {ratio:6.2f}", flush=True)


if __name__ == "__main__":
    main()
