"""Integer LogSumExp: a histogram of how far the elements lie below the largest.

log Σ e^x = m + log Σ c[d] e^-d, where m is the largest element and c[d] counts those d below it. Terms below 2^-200
count as 0, and d is an integer, so 139 counts say everything. Histograms merge exactly, and a float64 sum of them
decides all but close calls, which Python's integers decide.
"""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype
from app.errors import Undefined
from app.kernels.extremes.folding import fold
from app.kernels.integers.histograms import DISTANCES, Histograms, distances, tally
from app.kernels.integers.logarithms import REAL_POWERS, floor_log, scaled_power
from app.kernels.integers.power_sums import FEW_ELEMENTS
from app.kernels.integers.wide import wrapped
from app.kernels.kernel import OUTPUTS, Box, filled
from app.kernels.regions import PIECE, ROWS, Piece, pieces, regions

_WEIGHT_BITS = 320  # below the binary point: the least weight, 2^-200, has over a hundred of them
_WEIGHT = [scaled_power(-d, _WEIGHT_BITS) / (1 << _WEIGHT_BITS) for d in range(DISTANCES)]
_WEIGHTS = np.array(_WEIGHT)

_VISIBLE_WEIGHTS = np.append(np.maximum(_WEIGHTS, 2.0**-48), 0.0)
"""Weights for sums of up to _MOST_WEIGHED_ELEMENTS. A second term always shows, if only in the last bits; one too far
is 0."""

_MOST_WEIGHED_ELEMENTS = 1 << 18
"""Elements an output may have for its weights to be added up as they come, and not counted."""

_TURNED_ROW_ELEMENTS = 16
"""Rows of so few elements are turned into columns."""

_WEIGHT_ERROR = 1e-9
"""Relative to a sum of weights: more than all its roundings and what visible weights add to it."""


def _weights_of(distance: NDArray[Any], into: NDArray[np.float64]) -> NDArray[np.float64]:
    """The visible weights of unsigned distances, which may be overwritten."""
    if distance.itemsize == 8:  # that may be too large to be an index
        np.minimum(distance, DISTANCES, out=distance)
    return _VISIBLE_WEIGHTS.take(distance, out=into, mode="clip")


def _exact_floor_log(counts: list[int]) -> int:
    """floor(log Σ counts[d] e^-d), beyond doubt."""
    bits = _WEIGHT_BITS
    while True:
        total = sum(count * scaled_power(-d, bits) for d, count in enumerate(counts))
        slack = 2 * sum(counts) + 2
        floor = 0
        while scaled_power(floor + 1, bits) <= total - slack:
            floor += 1
        if scaled_power(floor + 1, bits) > total + slack:
            return floor
        bits *= 2


def _of_few(row: list[int]) -> int:
    """The answer for some elements, not yet wrapped."""
    largest = max(row)
    distances = [largest - x for x in row if largest - x < DISTANCES]
    total = sum([_WEIGHT[d] for d in distances])
    floor = bisect_right(REAL_POWERS, total * (1 - _WEIGHT_ERROR))
    if floor != bisect_right(REAL_POWERS, total * (1 + _WEIGHT_ERROR)):
        floor = _exact_floor_log([distances.count(d) for d in range(DISTANCES)])
    answer = largest + floor
    return answer + 1 if answer < 0 and len(distances) > 1 else answer


@dataclass(frozen=True, slots=True)
class IntegerLogSumExp:
    """The logarithm of the sum of the exponentials, cut toward zero, wrapped where that does not fit."""

    min_threads = 2
    outputs_at_once = OUTPUTS

    dtype: NumpyDtype

    def identity(self, outputs: int) -> Histograms:
        largest = np.full(outputs, np.iinfo(self.dtype).min, self.dtype)
        return Histograms(largest, np.zeros((outputs, DISTANCES), np.uint8))

    def partial(self, box: Box, first: int = 0) -> Histograms:
        o, r1, i, r2 = box.shape
        largest = np.maximum.reduce(box, axis=(1, 3))
        counts = np.zeros((o, i, DISTANCES), np.min_scalar_type(r1 * r2))
        for piece in pieces(box.shape):
            found = tally(largest[piece[0], piece[2]], box[piece])
            counts[piece[0], piece[2]] += found.astype(counts.dtype)
        return Histograms(largest.reshape(-1), counts.reshape(-1, DISTANCES), r1 * r2)

    def finish(self, state: Histograms, count: int) -> NDArray[Any]:
        sums = np.einsum("nd,d->n", state.counts, _WEIGHTS)
        floors = floor_log(sums, _WEIGHT_ERROR, lambda k: _exact_floor_log(state.counts[k].tolist()))
        return self._cut(state.largest, floors, np.einsum("nd->n", state.counts, dtype=np.int64, casting="unsafe") > 1)

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        o, r1, i, r2 = box.shape
        if box.size <= FEW_ELEMENTS:
            rows = box.transpose(0, 2, 1, 3).reshape(-1, r1 * r2).tolist()
            return filled(into, wrapped([_of_few(row) for row in rows], self.dtype))
        if r1 * r2 > _MOST_WEIGHED_ELEMENTS:
            return filled(into, self.finish(self.partial(box), r1 * r2))
        outputs = np.empty(o * i, self.dtype) if into is None else into
        here = outputs.reshape(o, i)
        memory = np.empty(PIECE, self.dtype), np.empty(PIECE)
        for a, b, found in regions(box.shape, PIECE, ROWS):
            part = box[a, :, b]
            if r1 == 1 and r2 <= _TURNED_ROW_ELEMENTS:
                part = np.ascontiguousarray(part.reshape(-1, r2).T).reshape(1, r2, -1, 1)
                found = [(slice(None),) * 4]
            else:
                found = [(slice(None), c, slice(None), d) for _, c, _, d in found]
            here[a, b] = self._short(part, found, memory).reshape(here[a, b].shape)
        return outputs

    def _short(self, box: Box, found: list[Piece], memory: tuple[NDArray[Any], NDArray[np.float64]]) -> NDArray[Any]:
        """The answers for a box of outputs, by pieces of up to PIECE elements."""
        o, _, i, _ = box.shape
        largest = fold(np.maximum, box).reshape(o, 1, i, 1)
        sums = np.zeros((o, i))
        for piece in found:
            part = box[piece]
            distance, weights = (array[: part.size].reshape(part.shape) for array in memory)
            np.subtract(largest, part, out=distance)
            sums += np.einsum("arbs->ab", _weights_of(distance.view(f"u{distance.itemsize}"), weights))

        def exact(k: int) -> int:
            a, b = divmod(k, i)
            distance = np.minimum(distances(largest[a, :, b], box[a, :, b]), DISTANCES)
            counts = np.bincount(distance.reshape(-1).astype(np.intp), minlength=DISTANCES)
            return _exact_floor_log(counts[:DISTANCES].tolist())

        flat = sums.reshape(-1)
        return self._cut(largest.reshape(-1), floor_log(flat, _WEIGHT_ERROR, exact), flat > 1)

    def _cut(self, largest: NDArray[Any], floors: NDArray[Any], several: NDArray[np.bool_]) -> NDArray[Any]:
        """largest + log, cut toward zero, where log is `floors` and, where it has `several` terms, a fraction."""
        answers: NDArray[Any] = largest + floors.astype(self.dtype)
        # A negative value with a fraction is cut upwards. Below 0 nothing has wrapped, for no logarithm is so large.
        answers += ((largest < 0) & (answers < 0) & several).astype(self.dtype)
        return answers

    def empty(self) -> np.generic:
        raise Undefined(
            "the sum of no exponentials is 0, which has no logarithm among integers; a float dtype gives -inf"
        )

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return values


def integer_log_sum_exp(dtype: NumpyDtype) -> IntegerLogSumExp:
    return IntegerLogSumExp(dtype)
