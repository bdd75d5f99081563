"""Min, Max, ArgMin and ArgMax beside the plain NumPy call, on 64 MB, one thread, in turn.

`python -m benchmarks.extrema [dtype …]` prints the rows; `rows()` yields them.
"""

import sys
from collections.abc import Iterable, Iterator
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.kernels import kernel_for
from app.kernels.geometry import Geometry, box
from benchmarks.plain import PLAIN
from benchmarks.timing import in_turn

MEGABYTES = 64

# Shapes of 64 MB of four-byte elements and the axes to reduce; the largest dimension gives way for other widths.
PATTERNS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((65_536, 256), (1,)),
    ((1_000_000, 16), (1,)),
    ((5_000_000, 3), (1,)),
    ((3, 5_000_000), (0,)),
    ((4096, 4096), (0,)),
    ((256, 256, 256), (0,)),
    ((256, 256, 256), (1,)),
    ((256, 256, 256), (2,)),
    ((256, 256, 256), (0, 2)),
    ((16_777_216,), (0,)),
]
OPERATORS = ("ReduceMin", "ReduceMax", "ArgMin", "ArgMax")


def elements(name: str, count: int, kind: str) -> NDArray[Any]:
    """Normally distributed floats, integers of the whole range; or zeros."""
    dtype = NUMPY_DTYPES[name]
    rng = np.random.default_rng(0)
    if kind == "zeros":
        return np.full(count, 0, dtype)  # np.zeros is one page of memory, many times
    if name.endswith(("float16", "float32", "float64")):
        return rng.standard_normal(count, np.float32).astype(dtype)
    return (
        rng.integers(0, 256, count * dtype.itemsize, np.uint8).view(dtype) if name != "bool" else np.ones(count, bool)
    )


def rows(
    dtypes: Iterable[str] = tuple(NUMPY_DTYPES),
    operators: Iterable[str] = OPERATORS,
    kinds: Iterable[str] = ("random", "zeros"),
    rounds: int = 3,
) -> Iterator[tuple[str, float, float, float]]:
    """(workload, ours in GB/s, NumPy's, ours / NumPy's)."""
    for name in dtypes:
        for kind in kinds:
            values = elements(name, (MEGABYTES << 20) // NUMPY_DTYPES[name].itemsize, kind)
            for shape, axes in PATTERNS:
                sizes = list(shape)
                largest = sizes.index(max(sizes))
                sizes[largest] = values.size // (prod(sizes) // sizes[largest])
                tensor = values[: prod(sizes)].reshape(sizes)
                for operator in operators:
                    if (kind == "zeros" or name == "bool" or len(axes) > 1) and operator.startswith("Arg"):
                        continue
                    ours, numpy = _rates(operator, name, tensor, axes, rounds)
                    yield f"{operator} {name} {tuple(sizes)} over {axes}, {kind}", ours, numpy, ours / numpy


def _rates(operator: str, name: str, tensor: NDArray[Any], axes: tuple[int, ...], rounds: int) -> tuple[float, float]:
    """Ours and NumPy's, in GB/s."""
    kernel = kernel_for(operator, NUMPY_DTYPES[name])
    geometry = Geometry.of(tensor.shape, axes)
    elements = box(tensor.reshape(-1), geometry.rows, geometry.groups)
    ours, numpy = in_turn([lambda: kernel.whole(elements), lambda: PLAIN[operator](tensor, axes)], rounds)
    return tensor.nbytes / ours / 1e9, tensor.nbytes / numpy / 1e9


if __name__ == "__main__":
    for workload, ours, numpy, ratio in rows(sys.argv[1:] or tuple(NUMPY_DTYPES)):
        print(f"{workload:60} {ours:7.2f} {numpy:7.2f} {ratio:6.2f}", flush=True)
