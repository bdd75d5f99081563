"""LogSumExp of narrow floats by NumPy's own exponential and logarithm in float64, whose errors decide nearly all of it.

No two builds of NumPy have the same exponential. That does not matter where all numbers within the bound round alike.

Error, of a sum of e^(x - m), which is 1 or more as m is the largest x. An exponential is MATH_ERROR off. That x - m is
rounded moves e^-d, d its size, by 2^-53 d e^-d at most, and all of them together by less than 2^-47. Each addition adds
2^-53, and each time the sums of two tiles meet there are two more exponentials. The logarithm is off by as much, by
MATH_ERROR of itself, and by the rounding of its last sum.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.elementary.library import MATH_ERROR
from app.kernels.exact.gathering import ELEMENTS_PER_OUTPUT, over_columns
from app.kernels.exact.loading import TILE_ELEMENTS, TILES, read
from app.kernels.floats.result import Tentative, decided
from app.kernels.kernel import Box
from app.kernels.regions import Piece, regions
from app.kernels.rounding import FLOAT_FORMATS, Floats, cast
from app.kernels.scratch import Scratch

# Larger than any narrow number, whatever its scale, and what stands for an infinity.
_BEYOND, _INFINITE = 2.0**200, 2.0**1000


def tentative(box: Box) -> Tentative:
    """The results over r1 and r2 of a box of narrow floats, and which of them are undecided."""
    o, r1, i, r2 = box.shape
    values, undecided = np.empty((o, i), box.dtype), np.empty((o, i), np.bool_)
    with TILES.borrowed() as scratch:
        for a, b, pieces in regions(box.shape, TILE_ELEMENTS, ELEMENTS_PER_OUTPUT):
            largest, total = _of_region(box, pieces, scratch)
            log = np.log(total)
            about = largest + log
            additions = min(r1 * r2, TILE_ELEMENTS) + len(pieces)
            error = 4 * len(pieces) * MATH_ERROR + additions * 2.0**-53
            results, left = decided(about, error + np.abs(log) * MATH_ERROR + np.abs(about) * 2.0**-52, box.dtype)
            special = ~(np.abs(largest) < _BEYOND)
            if np.count_nonzero(special):
                results[special] = of_largest(largest[special], box.dtype)
                left &= ~special
            shape = values[a, b].shape
            values[a, b], undecided[a, b] = results.reshape(shape), left.reshape(shape)
    return values.reshape(-1), undecided.reshape(-1)


def of_largest(largest: Floats, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The results that the largest element alone decides: NaN, an infinity, or itself."""
    results = cast(largest, dtype)
    results[np.isnan(largest)] = FLOAT_FORMATS[dtype].quiet_nan
    return results


def _of_region(box: Box, pieces: list[Piece], scratch: Scratch) -> tuple[Floats, Floats]:
    """The largest element of each output of a region, and the sum of exponentials of what lies between it and all."""
    largest, total = _of_tile(box[pieces[0]], scratch)
    for piece in pieces[1:]:
        other, more = _of_tile(box[piece], scratch)
        both = np.maximum(largest, other)
        total = total * np.exp(largest - both) + more * np.exp(other - both)
        largest = both
    return largest, total


def _of_tile(tile: Box, scratch: Scratch) -> tuple[Floats, Floats]:
    """The largest element of each output of a tile and the sum of its exponentials, 1-D."""
    ordered, shape = over_columns(tile)
    values, scale = read(tile, ordered, scratch)
    y = values.reshape(shape)
    # Of an output that is -inf all over, its exponentials are to be 0.
    largest = np.maximum(np.maximum.reduce(y, axis=1, keepdims=True), -_INFINITE)
    y -= largest
    if scale:
        y *= 2.0**scale
        largest *= 2.0**scale
    np.exp(y, out=y)
    return largest.reshape(-1), np.add.reduce(y, axis=1).reshape(-1)
