"""Sums to within a proven bound: in one reading, where the exact sum takes several.

The bound nearly always decides the rounding. Where it does not, or where a term is not finite, a square may overflow
or underflow, or a zero's sign is asked, so is the exact sum.
"""

from collections.abc import Callable
from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.approximation import Approximation, nothing
from app.kernels.double_double import two_sum
from app.kernels.loading import SCALES, near, read
from app.kernels.parts import added, exact_parts, grouped, products, split
from app.kernels.rounding import FORMATS, Floats
from app.kernels.scratch import Scratch

# Terms that are added in a row; of products, twice as many.
RUN = 32
# So many squares are added at once; of more, 2 RUN and then the sums.
SHORT = 2048
# Elements of sizes 2^-LIMIT to 2^LIMIT have squares far from overflow and underflow.
LIMIT = 400
# Elements of float64 up to this size have rests and sums that are normal numbers.
LONGEST = 800

Shape = tuple[int, int, int]
Estimate = Callable[[NDArray[Any], Shape, Scratch], Approximation]


def estimate_elements(tile: NDArray[Any], shape: Shape, scratch: Scratch) -> Approximation:
    """Elements of float64 as heads, which add exactly, and rests of some 2^-40 of them, which need not."""
    return _estimate(near(tile, scratch), shape, scratch)


def estimate_magnitudes(tile: NDArray[Any], shape: Shape, scratch: Scratch) -> Approximation:
    """The same for their magnitudes."""
    return _estimate(np.abs(tile, out=scratch.shaped(tile.shape)[0]), shape, scratch)


def estimate_short_squares(tile: NDArray[Any], shape: Shape, scratch: Scratch) -> Approximation:
    """Squares that float64 holds: each sum of r of them is within r·2^-53 of itself, in whatever order."""
    y = scratch.shaped(tile.shape)[0]
    values = read(tile, y, scratch)
    scale = SCALES[tile.dtype]
    if scale and not _largest(values) <= FORMATS[tile.dtype].largest * 2.0**-scale:  # infinities hide
        return _unknown(shape)
    y = y.reshape(shape)
    sums = np.einsum("arb,arb->ab", y, y).reshape(-1)
    if scale:
        sums *= 2.0 ** (2 * scale)
    return Approximation(sums, nothing(len(sums)), nothing(len(sums)), shape[1] * 2.0**-53)


def estimate_squares(tile: NDArray[Any], shape: Shape, scratch: Scratch) -> Approximation:
    """x = a + b with a of so few bits that Σa² is exact; Σb(x + a), which is far smaller, is added up as it comes.

    With |x| <= 2^e and a a multiple of 2^(e-w), |b| is at most c = 2^(e-w-1), and |x + a| at most 2|x| + c. So
    Σ|b(x + a)| over r terms is at most c(2√(rΣx²) + rc), by Cauchy and Schwarz. Float64 sums of 2 RUN products each and
    then of those sums err by at most (2 RUN + r/RUN)·2^-53 of that.
    """
    r = shape[1]
    x = near(tile, scratch)
    largest = _largest(x)
    top = frexp(largest)[1]
    if not largest < np.inf or not -LIMIT < top < LIMIT:
        return _unknown(shape)
    run = r if r <= SHORT else 2 * RUN
    need = (run - 1).bit_length()
    width = (53 - need) // 2
    rest, head, *_ = scratch.shaped(tile.shape)
    split(x, top - width, head, rest)
    squares = products(head.reshape(shape), head.reshape(shape), run)
    if x is tile:
        head += x
    else:  # that holds the rest now
        head *= 2
        head += rest
    small = np.add.reduce(products(head.reshape(shape), rest.reshape(shape), 2 * RUN), axis=1)
    exact = exact_parts(squares, 2 * top + need, 2 * (top - width))
    high, tail = two_sum(exact[0].values, small.reshape(-1))
    for part in exact[1:]:
        high, low = two_sum(high, part.values)
        tail += low
    step = 2.0 ** (top - width - 1)  # what no |b| is above
    errors = (2 * RUN + r // RUN + 5) * 2.0**-53
    missed = np.sqrt((np.abs(high) + r * step * 2.0 ** (top + 2) * errors) * r)  # the root is of no less than Σx²
    missed += r * step
    missed *= 2 * step * errors
    missed += np.abs(tail) * 2.0**-51
    return Approximation(*two_sum(high, tail), missed)


def together(several: list[Approximation]) -> Approximation:
    """The approximation of a sum from those of its pieces."""
    high, low, missed, relative = several[0]
    for other in several[1:]:
        high, rest = two_sum(high, other.high)
        low = low + (rest + other.low)
        missed = missed + other.missed + (np.abs(low) + np.abs(rest) + np.abs(other.low)) * 2.0**-50
        relative = max(relative, other.relative)
    if len(several) > 1:
        high, low = two_sum(high, low)
    return Approximation(high, low, missed, relative)


def side_by_side(several: list[Approximation]) -> Approximation:
    """The approximations of different outputs as one."""
    if len(several) == 1:
        return several[0]
    high, low, missed = (np.concatenate([about[field] for about in several]) for field in (0, 1, 2))
    return Approximation(high, low, missed, max(about.relative for about in several))


def _estimate(y: Floats, shape: Shape, scratch: Scratch) -> Approximation:
    largest = _largest(y)
    top = frexp(largest)[1]
    if not 0 < largest < np.inf or not -LONGEST < top < LONGEST:
        return _unknown(shape)
    cut = top + max(2, shape[1].bit_length()) - 53
    rest, head = scratch.shaped(y.shape)[:2]
    split(y, cut, head, rest)
    high, low = two_sum(added(head.reshape(shape)).reshape(-1), _sums(rest.reshape(shape)))
    return Approximation(high, low, np.full(len(high), _slack(shape[1]) * 2.0 ** (cut - 1)))


def _unknown(shape: Shape) -> Approximation:
    zeros = np.zeros(shape[0] * shape[2])
    return Approximation(zeros, zeros, np.full(len(zeros), np.inf))


def _largest(values: NDArray[Any]) -> float:
    """The largest size; NaN if there is one."""
    return max(float(np.maximum.reduce(values, axis=None)), -float(np.minimum.reduce(values, axis=None)))


def _slack(r: int) -> float:
    """Of r terms of at most 1: what `_sums` errs by. Each of n additions in a row errs by 2^-53 of the sum's bound."""
    return r * RUN * (1 + r.bit_length() // 5) * 2.0**-53


def _sums(y: Floats) -> Floats:
    """Sums over r of y[a, r, b], [a * b], by runs of runs of RUN."""
    while y.shape[1] > RUN:
        y = grouped(y, RUN)
    return np.add.reduce(y, axis=1).reshape(-1)
