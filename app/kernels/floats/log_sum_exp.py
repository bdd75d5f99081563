"""LogSumExp of floats: an exact sum of exponentials, then its logarithm, rounded once.

Error. The exponentials are within 2^-60.3 of themselves, and so is their exact sum. Bringing its classes together in
double-double adds 2^-100, the logarithm 2^-76. So before the one rounding the result is within 2^-60 of the real
value, in absolute terms: float64 results of 1 and above are within 0.51 ulp, all results within 1 ulp or 2^-52, and
narrower formats are correctly rounded but for what no double can tell apart. Where a single element is above -inf the
result is that element.
"""

from collections.abc import Iterator
from math import exp, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.elementary.double_double import add, quick_two_sum, two_product, two_product_of_one, two_sum
from app.kernels.elementary.exponential import FINE_UNIT, INTERVAL, exponentials_of, powers
from app.kernels.elementary.library import MATH_ERROR
from app.kernels.elementary.logarithm import log_of_one, log_pair
from app.kernels.exact.deciding import put_exact_in
from app.kernels.exact.gathering import ELEMENTS_PER_OUTPUT
from app.kernels.few import rounded, rows
from app.kernels.floats import exponential_estimates
from app.kernels.floats.exponential_sums import CLASSES, LOWER_BITS, ExponentialSums, class_of, exponential_sums
from app.kernels.floats.result import decided
from app.kernels.kernel import OUTPUTS, Box, filled, quiet
from app.kernels.regions import cuts, regions
from app.kernels.rounding import Floats, Integers, pair_of_one, round_pair, rounds_alike
from app.kernels.scratch import Scratch

# Of a tile: seven arrays of it are at work.
_TILE_ELEMENTS = 1 << 15
# Outputs that are finished in one go.
_OUTPUTS_TOGETHER = 1 << 13
# e^(-16j).
_SCALES, _SCALE_TAILS = (part[::-INTERVAL] for part in powers(np.arange(-INTERVAL * (CLASSES - 1), 1), 1, 512))
_SCALES_OF_ONE: list[tuple[float, float]] = list(zip(_SCALES.tolist(), _SCALE_TAILS.tolist(), strict=True))
_HALF_BITS = LOWER_BITS >> 1
_HALF_MASK = np.int64((1 << int(_HALF_BITS)) - 1)
# The same in Python's numbers, which cost less than NumPy's for one output.
_LOWER_BITS_OF_ONE, _HALF_BITS_OF_ONE = int(LOWER_BITS), int(_HALF_BITS)
_LOWER_MASK_OF_ONE, _HALF_MASK_OF_ONE = (1 << _LOWER_BITS_OF_ONE) - 1, int(_HALF_MASK)
# What one of each third of a sum is worth: its upper word, and the upper and lower half of its lower one.
_UPPER_WORTH, _MIDDLE_WORTH, _LOWER_WORTH = 2.0 ** (FINE_UNIT + 62), 2.0 ** (FINE_UNIT + 31), 2.0**FINE_UNIT


class LogSumExp:
    """LogSumExp of one float dtype."""

    min_threads = 3
    outputs_at_once = OUTPUTS

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype

    def identity(self, outputs: int) -> ExponentialSums:
        return ExponentialSums.nothing(outputs)

    def partial(self, box: Box, first: int = 0) -> ExponentialSums:
        return ExponentialSums.side_by_side(list(_regions(box)))

    def finish(self, state: ExponentialSums, count: int) -> NDArray[Any]:
        results = np.empty(len(state.largest), self._dtype)
        for part in cuts(len(results), _OUTPUTS_TOGETHER):
            results[part] = self._finish(state.largest[part], state.several[part], state.sums[:, :, part])
        return results

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        few = rows(box)
        if few is not None:
            return filled(into, rounded([_of_few(row, self._dtype) for row in few], self._dtype))
        return filled(into, self._precisely(box) if self._dtype.itemsize == 8 else self._narrowly(box))

    @quiet
    def _narrowly(self, box: Box) -> NDArray[Any]:
        """By float64, where that decides."""
        results, undecided = exponential_estimates.tentative(box)
        put_exact_in(box, results, undecided, self._precisely)
        return results

    def _precisely(self, box: Box) -> NDArray[Any]:
        _, r1, _, r2 = box.shape
        results, parts, outputs = [], [], 0
        for part in _regions(box):
            parts.append(part)
            outputs += len(part.largest)
            if outputs >= _OUTPUTS_TOGETHER:
                results.append(self.finish(ExponentialSums.side_by_side(parts), r1 * r2))
                parts, outputs = [], 0
        if parts:
            results.append(self.finish(ExponentialSums.side_by_side(parts), r1 * r2))
        return results[0] if len(results) == 1 else np.concatenate(results)

    def empty(self) -> np.generic:
        nothing: np.generic = self._dtype.type(-np.inf)
        return nothing

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return values

    def _finish(self, largest: Floats, several: NDArray[np.bool_], sums: Integers) -> NDArray[Any]:
        of_sums = _precise if self._dtype.itemsize == 8 else _narrow
        summed = several & np.isfinite(largest)
        if summed.all():
            return of_sums(INTERVAL * class_of(largest), sums, self._dtype)
        results = exponential_estimates.of_largest(largest, self._dtype)
        if summed.any():
            results[summed] = of_sums(INTERVAL * class_of(largest[summed]), sums[:, :, summed], self._dtype)
        return results


def log_sum_exp(dtype: np.dtype[Any]) -> LogSumExp:
    """LogSumExp of float16, bfloat16, float32 or float64."""
    return LogSumExp(dtype)


def _of_few(row: list[float], dtype: np.dtype[Any]) -> float:
    """The result of a few finite numbers, to the bits that it has among many."""
    if len(row) == 1:
        return row[0]
    if dtype.itemsize < 8 and (result := _about_few(row, dtype)) is not None:
        return result
    top = round(max(row) / INTERVAL)
    if round(min(row) / INTERVAL) == top:
        high, low = _pair_of_one(sum(exponentials_of([x - INTERVAL * top for x in row])))
    else:
        high, low = _total_of_one(row, top)
    high, low = log_of_one(high, low, 0)
    total, error = two_sum(float(INTERVAL * top), high)
    return pair_of_one(*two_sum(total, error + low), dtype)


def _about_few(row: list[float], dtype: np.dtype[Any]) -> float | None:
    """The result in a narrow dtype by the math module, whose functions no two libraries have the same: only where its
    bound decides."""
    largest = max(row)
    result = largest + log(sum([exp(x - largest) for x in row]))
    # Of the sum, above 1, an exponential is 2^-48 off, the rounding of its exponent takes less than that, and so do all
    # additions; then comes the logarithm, of 64 terms at most.
    error = 16 * MATH_ERROR + abs(result) * 2.0**-52
    return result if rounds_alike(result, error, dtype) else None


def _total_of_one(row: list[float], top: int) -> tuple[float, float]:
    """The sum over classes, relative to class `top`, the first."""
    own = [round(x / INTERVAL) for x in row]
    sums: dict[int, int] = {}
    for c, power in zip(own, exponentials_of([x - INTERVAL * c for x, c in zip(row, own, strict=True)]), strict=True):
        sums[top - c] = sums.get(top - c, 0) + power
    high, low = _pair_of_one(sums[0])
    for depth in sorted(sums):
        if 0 < depth < CLASSES:
            scale, rest = _SCALES_OF_ONE[depth]
            part, tail = _pair_of_one(sums[depth])
            product, error = two_product_of_one(part, scale)
            high, low = add(high, low, product, error + (part * rest + tail * scale))
    return high, low


def _pair_of_one(units: int) -> tuple[float, float]:
    """units * 2^FINE_UNIT as a double-double."""
    upper, lower = units >> _LOWER_BITS_OF_ONE, units & _LOWER_MASK_OF_ONE
    high, low = two_sum(
        upper * _UPPER_WORTH,
        (lower >> _HALF_BITS_OF_ONE) * _MIDDLE_WORTH,
    )
    return quick_two_sum(high, low + (lower & _HALF_MASK_OF_ONE) * _LOWER_WORTH)


def _regions(box: Box) -> Iterator[ExponentialSums]:
    """The sums of runs of outputs, one after the other."""
    scratch = Scratch(7, min(box.size, _TILE_ELEMENTS))
    for _, _, (first, *others) in regions(box.shape, _TILE_ELEMENTS, ELEMENTS_PER_OUTPUT):
        with np.errstate(invalid="ignore"):
            state = exponential_sums(box[first], scratch)
            for other in others:
                state.merge(exponential_sums(box[other], scratch))
        yield state


def _narrow(base: Floats, sums: Integers, dtype: np.dtype[Any]) -> NDArray[Any]:
    """As `_precise`, of a narrow dtype, for which float64 decides nearly all."""
    total = _about(*sums[0])
    for words, scale in zip(sums[1:], _SCALES[1:], strict=False):
        total += _about(*words) * scale
    log = np.log(total)
    about = base + log
    error = (4 + np.abs(log)) * MATH_ERROR + np.abs(about) * 2.0**-52
    results, undecided = decided(about, error, dtype)
    at = np.flatnonzero(undecided)
    if at.size:
        results[at] = _precise(base[at], sums[:, :, at], dtype)
    return results


def _about(upper: Integers, lower: Integers) -> Floats:
    """upper * 2^(FINE_UNIT + 62) + lower * 2^FINE_UNIT, within 2^-52 of itself."""
    return np.asarray(upper * _UPPER_WORTH + lower * _LOWER_WORTH)


def _precise(base: Floats, sums: Integers, dtype: np.dtype[Any]) -> NDArray[Any]:
    """base + log of the sum over classes."""
    high, low = log_pair(*_total(sums), 0)
    total, error = two_sum(base, high)
    return round_pair(*two_sum(total, error + low), dtype)


def _total(sums: Integers) -> tuple[Floats, Floats]:
    """The sum over classes, relative to the first, as a double-double."""
    high, low = _pair(*sums[0])
    for (upper, lower), scale, rest in zip(sums[1:], _SCALES[1:], _SCALE_TAILS[1:], strict=False):
        part, tail = _pair(upper, lower)
        product, error = two_product(part, np.full_like(part, scale))
        high, low = add(high, low, product, error + (part * rest + tail * scale))
    return high, low


def _pair(upper: Integers, lower: Integers) -> tuple[Floats, Floats]:
    """upper * 2^(FINE_UNIT + 62) + lower * 2^FINE_UNIT as a double-double, without error below 2^31 terms."""
    top = upper.astype(np.float64) * _UPPER_WORTH
    middle = (lower >> _HALF_BITS).astype(np.float64) * _MIDDLE_WORTH
    bottom = (lower & _HALF_MASK).astype(np.float64) * _LOWER_WORTH
    high, low = two_sum(top, middle)
    return quick_two_sum(high, low + bottom)
