"""Integer Sum, Prod, SumSquare and L1: arithmetic modulo 2^n in the dtype's own n bits.

A ring homomorphism needs no care: the elements' sums and products wrap wherever they please, and the answer is the
exact one modulo 2^n. The state is the answer so far. The absolute value is taken in the same ring, so that of the
smallest signed integer is itself.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype
from app.kernels.extremes.folding import row_by_row
from app.kernels.kernel import OUTPUTS, Box, filled
from app.kernels.regions import PIECE, output_pieces, pieces

_SHORT_RUN = 512
_FEW = 4  # rows that are taken one after the other: no copy of the first
_LINE = 64  # bytes of a cache line: what a short run shares, so that a pass over one factor brings the others along


def wrapped_sum(box: Box) -> NDArray[Any]:
    """The sums of a box's elements, in its dtype, shape (o, i)."""
    if _few_long_rows(box):
        return row_by_row(np.add, box[..., 0], np.empty((box.shape[0], box.shape[2]), box.dtype))
    if in_short_runs(box, _SHORT_RUN):
        # einsum spends a fifth of what a reduction spends on each run of the inner loop, and a little more per element.
        return np.asarray(np.einsum("arbs->ab", box))
    return np.asarray(np.add.reduce(box, axis=(1, 3), dtype=box.dtype))


def _few_long_rows(box: Box) -> bool:
    _, r1, i, r2 = box.shape
    return r2 == 1 < r1 <= _FEW and i > _SHORT_RUN


def in_short_runs(box: Box, most: int) -> bool:
    """Whether a reduction goes from output to output, or from row to row, every few elements, `most` of them."""
    i, r2 = box.shape[2:]
    return 1 < (r2 if r2 > 1 else i) <= most


def wrapped_square_sum(box: Box) -> NDArray[Any]:
    """The sums of the elements' squares; einsum multiplies as it goes, without a temporary."""
    return np.asarray(np.einsum("arbs,arbs->ab", box, box))


def wrapped_absolute_sum(box: Box) -> NDArray[Any]:
    """The sums of the elements' absolute values."""
    if box.dtype.kind == "u":
        return wrapped_sum(box)
    if box.size <= PIECE:
        return wrapped_sum(np.abs(box))
    sums = np.zeros((box.shape[0], box.shape[2]), box.dtype)
    scratch = np.empty(PIECE, box.dtype)
    for piece in pieces(box.shape):
        part = box[piece]
        absolute = np.abs(part, out=scratch[: part.size].reshape(part.shape))
        sums[piece[0], piece[2]] += wrapped_sum(absolute)
    return sums


def wrapped_product(box: Box) -> NDArray[Any]:
    """The products of a box's elements, in its dtype, shape (o, i)."""
    o, r1, i, r2 = box.shape
    if _few_long_rows(box):
        return row_by_row(np.multiply, box[..., 0], np.empty((o, i), box.dtype))
    if r2 == 1 or r1 * r2 * box.itemsize > _LINE or o * i <= r1 * r2:
        return np.asarray(np.multiply.reduce(box, axis=(1, 3), dtype=box.dtype))
    # Many short runs: factor after factor for a cacheful of outputs is some five times as fast as run after run.
    products = np.empty((o, i), box.dtype)
    for piece in output_pieces(box.shape):
        part, product = box[piece], products[piece[0], piece[2]]
        product[...] = part[:, 0, :, 0]
        for factor in range(1, r1 * r2):
            np.multiply(product, part[:, factor // r2, :, factor % r2], out=product)
    return products


@dataclass(slots=True)
class WrappedValues:
    """The answer so far, combined with more by a ufunc of the ring."""

    values: NDArray[Any]
    combine: np.ufunc

    @property
    def nbytes(self) -> int:
        return self.values.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        mine = self.values[at : at + other.values.size]
        self.combine(mine, other.values, out=mine)


@dataclass(frozen=True, slots=True)
class WrappingReduction:
    """How a box is reduced, how states combine, what an empty set gives, what happens to an element alone."""

    min_threads = 2
    outputs_at_once = OUTPUTS

    dtype: NumpyDtype
    reduce: Callable[[Box], NDArray[Any]]
    combine: np.ufunc
    unit: int
    single: Callable[[NDArray[Any]], NDArray[Any]]

    def identity(self, outputs: int) -> WrappedValues:
        return WrappedValues(np.full(outputs, self.unit, self.dtype), self.combine)

    def partial(self, box: Box, first: int = 0) -> WrappedValues:
        return WrappedValues(self.whole(box), self.combine)

    def finish(self, state: WrappedValues, count: int) -> NDArray[Any]:
        return state.values

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        return filled(into, self.reduce(box).reshape(-1))

    def empty(self) -> np.generic:
        unit: np.generic = self.dtype.type(self.unit)
        return unit

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.single(values))


def wrapping_sum(dtype: NumpyDtype) -> WrappingReduction:
    return WrappingReduction(dtype, wrapped_sum, np.add, 0, np.asarray)


def wrapping_product(dtype: NumpyDtype) -> WrappingReduction:
    return WrappingReduction(dtype, wrapped_product, np.multiply, 1, np.asarray)


def wrapping_sum_square(dtype: NumpyDtype) -> WrappingReduction:
    return WrappingReduction(dtype, wrapped_square_sum, np.add, 0, np.square)


def wrapping_l1(dtype: NumpyDtype) -> WrappingReduction:
    return WrappingReduction(dtype, wrapped_absolute_sum, np.add, 0, np.abs)
