"""Outputs that no bound decides get their exact results, by the way that reads least."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.gathering import ELEMENTS_PER_OUTPUT
from app.kernels.exact.loading import TILE_ELEMENTS
from app.kernels.kernel import Box, elements_of
from app.kernels.regions import regions

# The most undecided outputs of a region that are read one by one, rather than by a reading of the whole region.
_OUTPUTS_READ_ALONE = 4

Exact = Callable[[Box], NDArray[Any]]
"""The exact results of a box."""


def put_exact(values: NDArray[Any], undecided: NDArray[np.bool_], boxes: list[Box], exact: Exact) -> None:
    """Put the exact results of the undecided outputs of some regions in their places."""
    start = size = 0
    scattered: list[tuple[NDArray[np.intp], Box]] = []
    for region in boxes:
        o, r1, i, r2 = region.shape
        at = np.flatnonzero(undecided[start : start + o * i])
        more = len(at) * r1 * r2
        if more > TILE_ELEMENTS:
            values[start + at] = _exact_of(region, at, exact)
        elif more:
            if size + more > TILE_ELEMENTS:
                _put_scattered(values, scattered, exact)
                scattered, size = [], 0
            scattered.append((start + at, elements_of(region, at)))
            size += more
        start += o * i
    if scattered:
        _put_scattered(values, scattered, exact)


def put_exact_in(box: Box, values: NDArray[Any], undecided: NDArray[np.bool_], exact: Exact) -> None:
    """Put the exact results of the undecided outputs of a box in their places."""
    if np.count_nonzero(undecided):
        several = regions(box.shape, TILE_ELEMENTS, ELEMENTS_PER_OUTPUT)
        put_exact(values, undecided, [box[a, :, b] for a, b, _ in several], exact)


def _put_scattered(values: NDArray[Any], scattered: list[tuple[NDArray[np.intp], Box]], exact: Exact) -> None:
    places, boxes = zip(*scattered, strict=True)
    values[np.concatenate(places)] = exact(np.concatenate(boxes))


def _exact_of(region: Box, at: NDArray[np.intp], exact: Exact) -> NDArray[Any]:
    """The exact results of some outputs of a region."""
    if len(at) > _OUTPUTS_READ_ALONE:
        return exact(region)[at]
    outer, inner = np.divmod(at, region.shape[2])
    return np.concatenate([exact(region[o : o + 1, :, k : k + 1]) for o, k in zip(outer, inner, strict=True)])
