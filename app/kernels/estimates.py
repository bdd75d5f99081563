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
from app.kernels.parts import exact_parts
from app.kernels.results import Approximation
from app.kernels.rounding import Floats

# Products that are added in a row, twice as many at most; bits of a head, of which so many squares add exactly.
RUN = 32
WIDTH = 23
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
    """x = a + b with a of so few bits that Σa² is exact; 2Σab + Σb², at most 2^-WIDTH of it, is added up as it comes.

    With |x| <= 2^e, a a multiple of 2^(e-WIDTH) and r terms: |b| <= 2^(e-WIDTH-1), so Σ|ab| <= r·2^(2e-WIDTH-1).
    Float64 sums of RUN products each and then of those sums err by at most (2 RUN + r/RUN)·2^-53 of that.
    """
    a, r, b = shape
    largest = max(float(np.maximum.reduce(tile, axis=None)), -float(np.minimum.reduce(tile, axis=None)))
    top = frexp(largest)[1]
    if not largest < np.inf or not -LIMIT < top < LIMIT:
        nothing = np.zeros(a * b)
        return Approximation(nothing, nothing, np.full(a * b, np.inf))
    big = 1.5 * 2.0 ** (52 + top - WIDTH)
    head = np.add(tile, big, out=workspace.values(tile.shape))
    head -= big
    rest = np.subtract(tile, head, out=workspace.scratch(tile.shape))
    head, rest = head.reshape(shape), rest.reshape(shape)
    squares = _products(head, head)
    small = np.add.reduce(_products(head, rest), axis=1)
    small *= 2
    small += np.add.reduce(_products(rest, rest), axis=1)
    exact = exact_parts(squares, np.empty_like(squares), 2 * top + RUN.bit_length(), 2 * (top - WIDTH))
    high, tail = two_sum(exact[0].values, small.reshape(-1))
    for part in exact[1:]:
        high, low = two_sum(high, part.values)
        tail += low
    missed = r * (2 * RUN + r // RUN + 3) * 2.0 ** (2 * top - WIDTH - 53)
    return Approximation(*two_sum(high, tail), missed + np.abs(tail) * 2.0**-51)


def _products(x: Floats, y: Floats) -> Floats:
    """Sums over r of x[a, r, b]·y[a, r, b], at most RUN at a time, as [a, runs, b]."""
    a, r, b = x.shape
    runs = max(1, r // RUN)
    run = r // runs
    shape = (a, runs, run, b)
    sums: Floats = np.einsum("agrb,agrb->agb", x[:, : runs * run].reshape(shape), y[:, : runs * run].reshape(shape))
    if runs * run < r:
        sums[:, : r - runs * run] += x[:, runs * run :] * y[:, runs * run :]
    return sums


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
