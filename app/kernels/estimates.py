"""Sums of squares to within a proven bound: in one reading, where the exact sum takes several.

Squares do not cancel, so a bound of the error is small beside the sum and nearly always decides the rounding. Where
it does not, or where a square may overflow or underflow, the exact sum is asked.
"""

from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.double_double import two_sum
from app.kernels.loading import Workspace, read
from app.kernels.results import Approximation
from app.kernels.rounding import Floats

# Products that are added in a row.
RUN = 64
# Sizes of elements whose squares are far from overflow and underflow: 2^-LIMIT to 2^LIMIT.
LIMIT = 400


def estimate_short_squares(tile: NDArray[Any], shape: tuple[int, int, int], workspace: Workspace) -> Approximation:
    """Squares that float64 holds: each sum of r of them is within r·2^-53 of itself, in whatever order."""
    y = workspace.values(tile.shape)
    read(tile, y, workspace)
    y = y.reshape(shape)
    sums = np.einsum("arb,arb->ab", y, y).reshape(-1)
    nothing = np.broadcast_to(np.float64(0.0), len(sums))
    return Approximation(sums, nothing, nothing, shape[1] * 2.0**-53)


def estimate_squares(tile: NDArray[Any], shape: tuple[int, int, int], workspace: Workspace) -> Approximation:
    """x = a + b with a of so few bits that Σa² is exact; 2Σab + Σb², at most 2^-w of it, is added up as it comes.

    With |x| <= 2^e, a a multiple of 2^(e-w) and r terms: |b| <= 2^(e-w-1), so Σ|ab| <= r·2^(2e-w-1). Float64 sums of
    RUN products each and then of those sums err by at most (RUN + r/RUN)·2^-53 of that.
    """
    a, r, b = shape
    largest = max(float(np.maximum.reduce(tile, axis=None)), -float(np.minimum.reduce(tile, axis=None)))
    top = frexp(largest)[1]
    nothing = np.zeros(a * b)
    if not largest < np.inf or not -LIMIT < top < LIMIT:
        return Approximation(nothing, nothing, np.full(a * b, np.inf))
    width = (53 - r.bit_length()) // 2
    big = 1.5 * 2.0 ** (52 + top - width)
    head = np.add(tile, big, out=workspace.values(tile.shape))
    head -= big
    rest = np.subtract(tile, head, out=workspace.scratch(tile.shape))
    head, rest = head.reshape(shape), rest.reshape(shape)
    sums = _products(head, head)
    small = _products(head, rest)
    small *= 2
    small += _products(rest, rest)
    high, low = two_sum(sums, small)
    runs = RUN + -(-r // RUN) + 2
    return Approximation(high, low, np.full(a * b, r * runs * 2.0 ** (2 * top - width - 53) * (1 + 2.0**-10)))


def _products(x: Floats, y: Floats) -> Floats:
    """Sums over r of x[a, r, b]·y[a, r, b], [a * b], by runs of RUN."""
    a, r, b = x.shape
    if r <= RUN:
        return np.einsum("arb,arb->ab", x, y).reshape(-1)
    runs = r // RUN
    shape = (a, runs, RUN, b)
    whole = runs * RUN
    parts = np.einsum("agrb,agrb->agb", x[:, :whole].reshape(shape), y[:, :whole].reshape(shape))
    sums = np.add.reduce(parts, axis=1)
    if whole < r:
        sums += np.einsum("arb,arb->ab", x[:, whole:], y[:, whole:])
    return sums.reshape(-1)


def together(several: list[Approximation]) -> Approximation:
    """The approximation of a sum from those of its pieces."""
    high, low, missed, relative = several[0]
    for other in several[1:]:
        high, rest = two_sum(high, other.high)
        low = low + (rest + other.low)
        missed = missed + other.missed + np.abs(low) * 2.0**-51
        relative = max(relative, other.relative)
    if len(several) > 1:
        high, low = two_sum(high, low)
    return Approximation(high, low, missed, relative)
