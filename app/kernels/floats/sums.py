"""Sum, Mean, L1, SumSquare, L2 and LogSum of floats: an exact sum of terms, then one rounding of its result."""

from math import copysign, fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.bins import Bins
from app.kernels.exact.deciding import put_exact
from app.kernels.exact.estimates import Estimate, Rough, side_by_side, together
from app.kernels.exact.gathering import ELEMENTS_PER_OUTPUT, OUTPUTS_TOGETHER, gather, summed_in_the_middle
from app.kernels.exact.loading import TILES
from app.kernels.exact.squares import square
from app.kernels.exact.terms import Term, element, magnitude
from app.kernels.few import rounded, rows, sum_of
from app.kernels.floats.finish import Finish
from app.kernels.floats.log_result import LOGARITHM
from app.kernels.floats.result import Result
from app.kernels.floats.rounded_results import MEAN, ROOT, TOTAL
from app.kernels.kernel import OUTPUTS, Box, filled, quiet
from app.kernels.regions import regions
from app.kernels.rounding import FLOAT_FORMATS


class ExactSum:
    """A result of the exact sum of terms, correctly rounded into the dtype of the elements."""

    min_threads = 3
    outputs_at_once = OUTPUTS

    def __init__(self, dtype: np.dtype[Any], term: Term, result: Result) -> None:
        self._dtype = dtype
        self._term = term
        self._result = result
        self._finish = Finish(dtype, result, term.signed)

    def identity(self, outputs: int) -> Bins:
        return Bins(outputs)

    @quiet
    def partial(self, box: Box, first: int = 0) -> Bins:
        state = Bins(box.shape[0] * box.shape[2])
        for start, gathered in gather(box, self._term):
            gathered.add_to(state, start)
        return state

    @quiet
    def finish(self, state: Bins, count: int) -> NDArray[Any]:
        return self._finish.of_bins(state, count)

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        outputs = self._few(box)
        return filled(into, self._many(box) if outputs is None else outputs)

    def _few(self, box: Box) -> NDArray[Any] | None:
        """The results of a small box; None where it is none, or where its terms are not known as numbers."""
        results: list[float] = []
        for row in rows(box) or ():
            terms = self._term.of_few(row)
            if terms is None:
                return None
            results.append(self._of_few(terms, len(row)))
        return rounded(results, self._dtype) if results else None

    def _of_few(self, terms: list[float], count: int) -> float:
        try:
            about = fsum(terms)
        except OverflowError:  # maybe on the way alone
            about = None
        if about and (result := self._result.of_few(terms, about, count, self._dtype)) is not None:
            return result
        total, exponent = sum_of(terms)
        if total:
            return self._result.of_sum(total, exponent, count, self._dtype)
        minus_zero = self._term.signed and self._result.keeps_one and all(copysign(1.0, x) < 0 for x in terms)
        return -0.0 if minus_zero else self._result.of_zero

    @quiet
    def _many(self, box: Box) -> NDArray[Any]:
        if self._term.estimate is None or box.shape[1] * box.shape[3] < self._term.enough:
            return self._exact(box)
        return self._estimated(box, self._term.estimate)

    def _exact(self, box: Box) -> NDArray[Any]:
        outputs = np.empty(box.shape[0] * box.shape[2], self._dtype)
        for start, gathered in gather(box, self._term):
            outputs[start : start + gathered.outputs] = self._finish.of_gathered(gathered, box.shape[1] * box.shape[3])
        return outputs

    def _estimated(self, box: Box, estimate: Estimate) -> NDArray[Any]:
        results: list[NDArray[Any]] = []
        waiting: list[tuple[Box, Rough]] = []
        outputs, count = 0, box.shape[1] * box.shape[3]
        with TILES.borrowed() as scratch:
            for a, b, pieces in regions(box.shape, estimate.tile, ELEMENTS_PER_OUTPUT):
                tiles = (summed_in_the_middle(box[piece]) for piece in pieces)
                found = [estimate.of_tile(tile, shape, count, scratch) for tile, shape in tiles]
                region = box[a, :, b]
                several = region.shape[0] * region.shape[2]
                waiting.append((region, together(found, several)))
                outputs += several
                if outputs >= OUTPUTS_TOGETHER:
                    results.append(self._of_regions(waiting, estimate, count))
                    waiting, outputs = [], 0
        if waiting:
            results.append(self._of_regions(waiting, estimate, count))
        return results[0] if len(results) == 1 else np.concatenate(results)

    def _of_regions(self, waiting: list[tuple[Box, Rough]], estimate: Estimate, count: int) -> NDArray[Any]:
        """The results of regions that have been estimated."""
        about = estimate.closed(side_by_side([sums for _, sums in waiting]), count)
        values, undecided = self._result.of_approximation(about, count, self._dtype)
        undecided |= (about.high == 0) & (self._term.signed | (about.missed > 0))
        if np.count_nonzero(undecided):
            put_exact(values, undecided, [region for region, _ in waiting], self._exact)
        return values

    def empty(self) -> np.generic:
        if np.isnan(self._result.of_nothing):
            return FLOAT_FORMATS[self._dtype].quiet_nan
        nothing: np.generic = self._dtype.type(self._result.of_nothing)
        return nothing

    @quiet
    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        if self._term.signed and self._result.keeps_one:
            return values
        return self.whole(values.reshape(1, 1, -1, 1)).reshape(values.shape)


def total(dtype: np.dtype[Any]) -> ExactSum:
    """ReduceSum: the sum."""
    return ExactSum(dtype, element(dtype), TOTAL)


def mean(dtype: np.dtype[Any]) -> ExactSum:
    """ReduceMean: the sum over the count."""
    return ExactSum(dtype, element(dtype), MEAN)


def l1(dtype: np.dtype[Any]) -> ExactSum:
    """ReduceL1: the sum of magnitudes."""
    return ExactSum(dtype, magnitude(dtype), TOTAL)


def sum_square(dtype: np.dtype[Any]) -> ExactSum:
    """ReduceSumSquare: the sum of squares."""
    return ExactSum(dtype, square(dtype), TOTAL)


def l2(dtype: np.dtype[Any]) -> ExactSum:
    """ReduceL2: the root of the sum of squares."""
    return ExactSum(dtype, square(dtype), ROOT)


def log_sum(dtype: np.dtype[Any]) -> ExactSum:
    """ReduceLogSum: the logarithm of the sum."""
    return ExactSum(dtype, element(dtype), LOGARITHM)
