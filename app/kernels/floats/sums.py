"""Sum, Mean, L1, SumSquare, L2 and LogSum of floats: an exact sum of terms, then one rounding of its result."""

from dataclasses import dataclass
from math import copysign
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.approximation import Approximation, total_of
from app.kernels.exact.bins import MINUS_INFINITY, NAN, OTHER, PLUS_INFINITY, WIDTH, Bins, Flags
from app.kernels.exact.deciding import decide
from app.kernels.exact.estimates import Estimate, Rough, side_by_side, together
from app.kernels.exact.gathered import Gathered
from app.kernels.exact.gathering import DEPTH, TOGETHER, gather, summed_in_the_middle
from app.kernels.exact.layers import CELL, layered
from app.kernels.exact.leading import leading
from app.kernels.exact.loading import TILES
from app.kernels.exact.parts import Part
from app.kernels.exact.squares import square
from app.kernels.exact.terms import HIGHEST_TOP, LOWEST_UNIT, Term, element, magnitude
from app.kernels.few import rounded, rows, sum_of
from app.kernels.floats.log_result import LOGARITHM
from app.kernels.floats.results import MEAN, ROOT, TOTAL, Result
from app.kernels.kernel import OUTPUTS, Box, filled, quiet
from app.kernels.regions import cuts, regions
from app.kernels.rounding import FORMATS, some


@dataclass(frozen=True, slots=True)
class ExactSum:
    """A result of the exact sum of terms, correctly rounded into the dtype of the elements."""

    few_threads: ClassVar[int] = 2
    outputs_at_once: ClassVar[int] = OUTPUTS

    dtype: np.dtype[Any]
    term: Term
    result: Result

    def identity(self, outputs: int) -> Bins:
        return Bins(outputs)

    @quiet
    def partial(self, box: Box, first: int = 0) -> Bins:
        state = Bins(box.shape[0] * box.shape[2])
        for start, gathered in gather(box, self.term):
            gathered.add_to(state, start)
        return state

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        few = rows(box)
        if few is None:
            return filled(into, self._many(box))
        return filled(into, rounded([self._of_few(row) for row in few], self.dtype))

    def _of_few(self, row: list[float]) -> float:
        total, exponent = sum_of(self.term.of_ratio(*x.as_integer_ratio()) for x in row)
        if total:
            return self.result.of_sum(total, exponent, len(row), self.dtype)
        minus_zero = self.term.signed and self.result.keeps_one and all(copysign(1.0, x) < 0 for x in row)
        return -0.0 if minus_zero else self.result.of_zero

    @quiet
    def _many(self, box: Box) -> NDArray[Any]:
        if self.term.estimate is None or box.shape[1] * box.shape[3] < self.term.enough:
            return self._exact(box)
        return self._estimated(box, self.term.estimate)

    def _exact(self, box: Box) -> NDArray[Any]:
        outputs = np.empty(box.shape[0] * box.shape[2], self.dtype)
        for start, gathered in gather(box, self.term):
            outputs[start : start + gathered.outputs] = self._of(gathered, box.shape[1] * box.shape[3])
        return outputs

    def _estimated(self, box: Box, estimate: Estimate) -> NDArray[Any]:
        results: list[NDArray[Any]] = []
        waiting: list[tuple[Box, Rough]] = []
        outputs, count = 0, box.shape[1] * box.shape[3]
        with TILES.borrowed() as scratch:
            for a, b, pieces in regions(box.shape, estimate.tile, DEPTH):
                tiles = (summed_in_the_middle(box[piece]) for piece in pieces)
                found = [estimate.of_tile(tile, shape, count, scratch) for tile, shape in tiles]
                region = box[a, :, b]
                several = region.shape[0] * region.shape[2]
                waiting.append((region, together(found, several)))
                outputs += several
                if outputs >= TOGETHER:
                    results.append(self._settled(waiting, estimate, count))
                    waiting, outputs = [], 0
        if waiting:
            results.append(self._settled(waiting, estimate, count))
        return results[0] if len(results) == 1 else np.concatenate(results)

    def _settled(self, waiting: list[tuple[Box, Rough]], estimate: Estimate, count: int) -> NDArray[Any]:
        """The results of regions that have been estimated."""
        about = estimate.closed(side_by_side([sums for _, sums in waiting]), count)
        values, undecided = self.result.settle(about, count, self.dtype)
        undecided |= (about.high == 0) & (self.term.signed | (about.missed > 0))
        if np.count_nonzero(undecided):
            decide(values, undecided, [region for region, _ in waiting], self._exact)
        return values

    @quiet
    def finish(self, state: Bins, count: int) -> NDArray[Any]:
        outputs = len(state.flags)
        values = np.empty(outputs, self.dtype)
        if len(state.bins):
            state.settle()
            for here in cuts(outputs, TOGETHER):
                values[here] = self._finished(state, here, count)
        else:
            cells = dict(layered(state.held, outputs))
            for here in cuts(outputs, CELL):
                flags = state.flags[here]
                values[here] = self._of_parts(cells.get(here.start, []), flags, len(flags), count)
        return values

    def _finished(self, state: Bins, here: slice, count: int) -> NDArray[Any]:
        high, low, exponent, missed = leading(state.bins[:, here], state.lowest)
        if exponent.min() > LOWEST_UNIT + 3 * WIDTH and exponent.max() < HIGHEST_TOP - 3 * WIDTH:
            about = Approximation(np.ldexp(high, exponent), np.ldexp(low, exponent), np.ldexp(missed, exponent))
            values, undecided = self.result.settle(about, count, self.dtype)
        else:
            values, undecided = self.result.settle_scaled(high, low, exponent, missed, count, self.dtype)
        zero = high == 0
        at = np.flatnonzero(undecided & ~zero)
        if len(at):
            sums = [state.exact(here.start + int(output)) for output in at]
            values[at] = self.result.decide(sums, count, self.dtype)
        return self._with_specials(values, zero, state.flags[here])

    def empty(self) -> np.generic:
        if np.isnan(self.result.of_nothing):
            return FORMATS[self.dtype].quiet_nan
        nothing: np.generic = self.dtype.type(self.result.of_nothing)
        return nothing

    @quiet
    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        if self.term.signed and self.result.keeps_one:
            return values
        return self.whole(values.reshape(1, 1, -1, 1)).reshape(values.shape)

    def _of(self, gathered: Gathered, count: int) -> NDArray[Any]:
        if gathered.narrow:
            return self._of_parts(gathered.few(), gathered.flags, gathered.outputs, count)
        return self.finish(gathered.in_bins(), count)

    def _of_parts(self, parts: list[Part], flags: Flags | None, outputs: int, count: int) -> NDArray[Any]:
        """The results of sums that are parts."""
        if any(part.unit < LOWEST_UNIT or part.top > HIGHEST_TOP for part in parts):
            return self._of_bins(parts, np.full(outputs, OTHER, np.uint8) if flags is None else flags, count)
        about = total_of(parts, outputs)
        values, undecided = self.result.settle(about, count, self.dtype)
        zero = about.high == 0
        if some(about.missed):
            undecided |= zero & (about.missed > 0)
        if np.count_nonzero(undecided):
            at = np.flatnonzero(undecided)
            theirs = [Part(part.values[at], part.top, part.unit) for part in parts]
            values[at] = self._of_bins(theirs, np.full(len(at), OTHER, np.uint8), count)
            zero &= ~undecided
        return self._with_specials(values, zero, flags)

    def _of_bins(self, parts: list[Part], flags: Flags, count: int) -> NDArray[Any]:
        bins = Bins(len(flags))
        bins.flags |= flags
        for part in parts:
            bins.add(part)
        return self.finish(bins, count)

    def _with_specials(self, values: NDArray[Any], zero: NDArray[np.bool_], flags: Flags | None) -> NDArray[Any]:
        """Values where sums are zero, and where `flags` say that something else than a number is to come out."""
        result = self.result
        if np.count_nonzero(zero):
            values[zero] = result.of_zero
            if flags is not None and self.term.signed and result.keeps_one:
                values[zero & (flags & OTHER == 0)] = -0.0
        if flags is not None and (flags & (NAN | PLUS_INFINITY | MINUS_INFINITY)).any():
            plus, minus = flags & PLUS_INFINITY != 0, flags & MINUS_INFINITY != 0
            values[plus] = np.inf
            values[minus] = result.of_minus_infinity
            values[(flags & NAN != 0) | (plus & minus)] = np.nan
        if flags is not None or result.of_minus_infinity != -np.inf:
            values[np.isnan(values)] = FORMATS[self.dtype].quiet_nan
        return values


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
