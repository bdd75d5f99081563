"""Squares to within a proven bound: those that float64 holds, and those of float64, whose elements are cut in two."""

from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.adding import LONG_RUN_TERMS, added, products
from app.kernels.exact.approximation import Approximation, nothing
from app.kernels.exact.estimates import RUN_TERMS, Cut, Estimate, Rough, Shape, largest_size
from app.kernels.exact.loading import NARROW_TILE_ELEMENTS, READERS, TILE_ELEMENTS, near
from app.kernels.exact.parts import exact_parts, split
from app.kernels.rounding import FLOAT_FORMATS, Floats
from app.kernels.scratch import Scratch

# Squares of an output that are added in one run; of more, runs of 2 * RUN_TERMS and then their sums.
_SHORT_RUN_TERMS = 2048
# Elements of sizes 2^-400 to 2^400 have squares far from overflow and underflow.
_MOST_EXPONENT = 400
# Elements of a tile that tell how large the others may be.
_SAMPLE_ELEMENTS = 256


class ShortSquares(Estimate):
    """Squares that float64 holds, none of them cut: sums by n additions miss n·2^-53 of themselves, in any order."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.tile = NARROW_TILE_ELEMENTS if dtype.itemsize == 2 else TILE_ELEMENTS

    def of_tile(self, tile: NDArray[Any], shape: Shape, count: int, scratch: Scratch) -> Rough | None:
        y = scratch.shaped(tile.shape)[0]
        read, scale = READERS[tile.dtype]
        values = read(tile, y, scratch)
        if scale and not largest_size(values) <= FLOAT_FORMATS[tile.dtype].largest * 2.0**-scale:  # infinities hide
            return None
        y = y.reshape(shape)
        if shape[2] == 1 and shape[1] >= LONG_RUN_TERMS:
            sums = np.add.reduce(products(y, y, _SHORT_RUN_TERMS), axis=1).reshape(-1)
        else:
            sums = added(np.square(y, out=y)).reshape(-1)
        if scale:
            sums *= 2.0 ** (2 * scale)
        return Rough([], sums, shape[1], 0.0)

    def closed(self, sums: Rough, count: int) -> Approximation:
        outputs = len(sums.rest)
        unknown = np.broadcast_to(sums.step, outputs)  # 0, or unlimited where a tile was None
        return Approximation(sums.rest, nothing(outputs), unknown, sums.additions * 2.0**-53)


class Squares(Cut):
    """x = a + b with a of so few bits that Σa² is exact, and Σb(x + a) far smaller.

    Where no |b| is above c, Σ|b(x + a)| over r terms is at most c(2√(rΣa²) + rc), by Cauchy and Schwarz.
    """

    def of_tile(self, tile: NDArray[Any], shape: Shape, count: int, scratch: Scratch) -> Rough | None:
        x = near(tile, scratch)
        likely = largest_size(sample(x))
        found = self._of_size(likely, x, tile, shape, scratch) if likely else None
        return found or self._of_size(largest_size(tile), near(tile, scratch), tile, shape, scratch)

    def _of_size(self, largest: float, x: Floats, tile: NDArray[Any], shape: Shape, scratch: Scratch) -> Rough | None:
        """The sums of a tile's squares, if its largest element is not much larger than `largest`; x is `near` it."""
        top = frexp(largest)[1]
        if not largest < np.inf or not -_MOST_EXPONENT < top < _MOST_EXPONENT:
            return None
        r = shape[1]
        run = r if r <= _SHORT_RUN_TERMS else 2 * RUN_TERMS
        cut = top - (53 - (run - 1).bit_length()) // 2
        rest, head, *_ = scratch.shaped(tile.shape)
        split(x, cut, head, rest)
        squares = products(head.reshape(shape), head.reshape(shape), run)
        # Multiples of 2^(2 cut) without a sign: if their sum has room for them all, so had every sum on the way. One
        # of just 2^53 of them may be what 2^53 + 1 were rounded to.
        most = float(np.maximum.reduce(squares, axis=None))
        if not most < 2.0 ** (53 + 2 * cut):
            return None
        if x is tile:
            head += x
        else:  # that holds the rest now
            head *= 2
            head += rest
        small = np.add.reduce(products(head.reshape(shape), rest.reshape(shape), 2 * RUN_TERMS), axis=1).reshape(-1)
        exact = exact_parts(squares, frexp(most)[1], 2 * cut)
        return Rough(exact, small, 2 * RUN_TERMS + r // RUN_TERMS + 5, 2.0 ** (cut - 1))

    def _bound(self, exact: Floats, step: Floats | float, count: int) -> Floats:
        bound: Floats = (2 * np.sqrt(exact * count) + count * step) * step
        return bound


def sample(values: Floats) -> Floats:
    """Some elements of a tile, to guess the size of the others by."""
    # An odd number apart: of a matrix whose width is a power of two, an even one would see a few columns only.
    return values.reshape(-1)[:: values.size // _SAMPLE_ELEMENTS | 1]
