"""Minimum and maximum over the reduced axes of a box, as plain ufuncs, and the tiles that keep them in cache.

Both are idempotent: folding an element in twice does no harm, so windows and halves may overlap and no length of
an axis is special. What NumPy pays for each row, 50 to 160 ns, decides which way is the quickest.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.regions import Piece, regions

# A tile fills half of a second-level cache of 2 MB; where a fold keeps several copies of it, an eighth.
TILE_BYTES = 1 << 20
COPIED_TILE_BYTES = 1 << 18
# Rows of a tile that does not hold its outputs' every element, at least: few outputs beside its elements.
DEPTH = 16
# Rows up to here fold faster by sliding windows than by a call for each.
SHORT_BYTES = 64
# Rows of a middle axis from here on are worth the iterator's step; shorter ones are folded by halves.
WIDE_BYTES = 1024


def tiles(box: NDArray[Any], depth: int = DEPTH) -> Iterator[tuple[slice, slice, list[Piece]]]:
    """The regions of a box, cut to the size of the cache."""
    windows = box.shape[3] > 1 and box.shape[3] * box.itemsize <= SHORT_BYTES
    return regions(box.shape, (COPIED_TILE_BYTES if windows else TILE_BYTES) // box.itemsize, depth)


def in_one_pass(box: NDArray[Any]) -> bool:
    """Whether `fold` is one call of NumPy that needs no tiles: it holds nothing but few outputs in the cache."""
    o, r1, i, r2 = box.shape
    if o * i == 1:
        return bool(box.flags.c_contiguous)
    return r1 >= DEPTH and (i * box.itemsize >= WIDE_BYTES if r2 == 1 else r2 * box.itemsize > SHORT_BYTES)


def fold(ufunc: np.ufunc, box: NDArray[Any]) -> NDArray[Any]:
    """`ufunc` (minimum or maximum) over r1 and r2 of a tile, as a new 1-D array of its o * i outputs."""
    o, r1, i, r2 = box.shape
    if o * i == 1 and box.flags.c_contiguous:
        return np.asarray(ufunc.reduce(box.reshape(-1), keepdims=True))
    if r1 == r2 == 1:
        return box.flatten()
    if r1 == 1:
        return _fold_rows(ufunc, box)
    if r2 * box.itemsize > SHORT_BYTES:
        return np.asarray(ufunc.reduce(box, axis=(1, 3))).reshape(-1)
    rows = box[..., 0] if r2 == 1 else _fold_rows(ufunc, box).reshape(o, r1, i)
    return _fold_columns(ufunc, rows).reshape(-1)


def _fold_rows(ufunc: np.ufunc, box: NDArray[Any]) -> NDArray[Any]:
    """Over the last axis: a 1-D array of all others."""
    length = box.shape[-1]
    flat = box.reshape(-1)
    if length * box.itemsize > SHORT_BYTES:
        return np.asarray(ufunc.reduceat(flat, np.arange(0, flat.size, length)))
    width = 1  # flat[k] stands for the elements k to k + width - 1
    while width < length:
        step = min(width, length - width)
        flat = ufunc(flat[:-step], flat[step:])
        width += step
    return flat[::length].copy()


def _fold_columns(ufunc: np.ufunc, rows: NDArray[Any]) -> NDArray[Any]:
    """Over the middle axis, r > 1: (o, r, i) to (o, i)."""
    _, r, i = rows.shape
    if i * rows.itemsize >= WIDE_BYTES:
        return np.asarray(ufunc.reduce(rows, axis=1))
    half = r - r // 2
    folded: NDArray[Any] = ufunc(rows[:, :half], rows[:, r - half :])
    while half > 1:
        pairs = half // 2
        ufunc(folded[:, :pairs], folded[:, half - pairs : half], out=folded[:, :pairs])
        half -= pairs
    return folded[:, 0]
