"""The end of a sum of floats: exact sums, as parts or in bins, become results of a dtype, NaN and infinities too."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.approximation import Approximation, total_of
from app.kernels.exact.bins import BIN_BITS, MINUS_INFINITY, NAN, OTHER, PLUS_INFINITY, Bins, Flags
from app.kernels.exact.gathered import Gathered
from app.kernels.exact.gathering import OUTPUTS_TOGETHER
from app.kernels.exact.layers import CELL_OUTPUTS, layered
from app.kernels.exact.leading import leading
from app.kernels.exact.parts import Part
from app.kernels.exact.terms import HIGHEST_TOP, LOWEST_UNIT
from app.kernels.floats.result import Result
from app.kernels.regions import cuts
from app.kernels.rounding import FLOAT_FORMATS, some


@dataclass(frozen=True, slots=True)
class Finish:
    """Rounds a result of exact sums of `count` terms each into a dtype; `signed` terms can be -0.0 and -inf."""

    dtype: np.dtype[Any]
    result: Result
    signed: bool

    def of_gathered(self, gathered: Gathered, count: int) -> NDArray[Any]:
        if gathered.narrow:
            return self._of_parts(gathered.few(), gathered.flags, gathered.outputs, count)
        return self.of_bins(gathered.in_bins(), count)

    def of_bins(self, state: Bins, count: int) -> NDArray[Any]:
        outputs = len(state.flags)
        values = np.empty(outputs, self.dtype)
        if len(state.bins):
            state.normalize()
            for here in cuts(outputs, OUTPUTS_TOGETHER):
                values[here] = self._of_normalized(state, here, count)
        else:
            cells = dict(layered(state.held, outputs))
            for here in cuts(outputs, CELL_OUTPUTS):
                flags = state.flags[here]
                values[here] = self._of_parts(cells.get(here.start, []), flags, len(flags), count)
        return values

    def _of_normalized(self, state: Bins, here: slice, count: int) -> NDArray[Any]:
        high, low, exponent, missed = leading(state.bins[:, here], state.lowest)
        if exponent.min() > LOWEST_UNIT + 3 * BIN_BITS and exponent.max() < HIGHEST_TOP - 3 * BIN_BITS:
            about = Approximation(np.ldexp(high, exponent), np.ldexp(low, exponent), np.ldexp(missed, exponent))
            values, undecided = self.result.of_approximation(about, count, self.dtype)
        else:
            values, undecided = self.result.of_scaled(high, low, exponent, missed, count, self.dtype)
        zero = high == 0
        at = np.flatnonzero(undecided & ~zero)
        if len(at):
            sums = [state.exact(here.start + int(output)) for output in at]
            values[at] = self.result.of_sums(sums, count, self.dtype)
        return self._with_specials(values, zero, state.flags[here])

    def _of_parts(self, parts: list[Part], flags: Flags | None, outputs: int, count: int) -> NDArray[Any]:
        if any(part.unit < LOWEST_UNIT or part.top > HIGHEST_TOP for part in parts):
            return self._in_bins(parts, np.full(outputs, OTHER, np.uint8) if flags is None else flags, count)
        about = total_of(parts, outputs)
        values, undecided = self.result.of_approximation(about, count, self.dtype)
        zero = about.high == 0
        if some(about.missed):
            undecided |= zero & (about.missed > 0)
        if np.count_nonzero(undecided):
            at = np.flatnonzero(undecided)
            theirs = [Part(part.values[at], part.top, part.unit) for part in parts]
            values[at] = self._in_bins(theirs, np.full(len(at), OTHER, np.uint8), count)
            zero &= ~undecided
        return self._with_specials(values, zero, flags)

    def _in_bins(self, parts: list[Part], flags: Flags, count: int) -> NDArray[Any]:
        """The results of parts whose range, or whose sum, asks for more than two float64."""
        bins = Bins(len(flags))
        bins.flags |= flags
        for part in parts:
            bins.add(part)
        return self.of_bins(bins, count)

    def _with_specials(self, values: NDArray[Any], zero: NDArray[np.bool_], flags: Flags | None) -> NDArray[Any]:
        """Values where sums are zero, and where `flags` say that something else than a number is to come out."""
        result = self.result
        if np.count_nonzero(zero):
            values[zero] = result.of_zero
            if flags is not None and self.signed and result.keeps_one:
                values[zero & (flags & OTHER == 0)] = -0.0
        if flags is not None and (flags & (NAN | PLUS_INFINITY | MINUS_INFINITY)).any():
            plus, minus = flags & PLUS_INFINITY != 0, flags & MINUS_INFINITY != 0
            values[plus] = np.inf
            values[minus] = result.of_minus_infinity
            values[(flags & NAN != 0) | (plus & minus)] = np.nan
        if flags is not None or result.of_minus_infinity != -np.inf:
            values[np.isnan(values)] = FLOAT_FORMATS[self.dtype].quiet_nan
        return values
