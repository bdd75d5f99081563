"""Minimum and maximum over the reduced axes of a box, as plain ufuncs, and the tiles that keep them in cache.

Both are idempotent: folding an element in twice does no harm, so windows and halves may overlap and no length of
an axis is special. What NumPy pays for each row, 50 to 160 ns, decides which way is the quickest.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.regions import Piece, regions

# A tile fills half of a second-level cache of 2 MB; where a fold keeps copies of it, a quarter.
TILE_BYTES = 1 << 20
COPIED_TILE_BYTES = 1 << 19
# Rows of a tile that does not hold its outputs' every element, at least: few outputs beside its elements.
DEPTH = 16
# Rows up to here fold faster by sliding windows than by a call for each.
SHORT_BYTES = 64
# Rows of a middle axis from here on are worth the iterator's step. Shorter ones are folded several at a time: no less
# than LEAST_TOGETHER bytes, and up to MOST_TOGETHER along a deep axis, for memory is read in long runs then. What is
# left of those is folded by halves where it is shorter than NARROW_BYTES.
WIDE_BYTES = 2048
LEAST_TOGETHER = 1024
MOST_TOGETHER = 1 << 14
NARROW_BYTES = 256
# Folds of several rows that make what is left a small part of the work.
FOLDS = 8
# So few rows of a middle axis are folded one after the other, or so few elements of a row: no copy of the first.
FEW_ROWS = 8
# Elements that NumPy is through with before any other way has begun.
SMALL = 64
# What is moved at once, the widest first. More of them than that to a row are too far apart.
WORDS = (np.dtype(np.complex128), np.dtype(np.uint64), np.dtype(np.uint32))
WORDS_OF_A_ROW = 16


def tile_bytes(box: NDArray[Any]) -> int:
    """How large tiles of a box may be."""
    copied = box.shape[3] > 1 and box.shape[3] * box.itemsize <= _turned_bytes(box)
    return COPIED_TILE_BYTES if copied else TILE_BYTES


def tiles(box: NDArray[Any], depth: int = DEPTH) -> Iterable[tuple[slice, slice, list[Piece]]]:
    """The regions of a box, cut to the size of the cache."""
    return regions(box.shape, tile_bytes(box) // box.itemsize, depth)


def _turned_bytes(rows: NDArray[Any]) -> int:
    """Rows up to here fold faster once turned into columns: NumPy is slow to begin a row of floats or of bytes."""
    if rows.dtype.kind == "f":
        return 1024 // rows.itemsize
    return 128 if rows.itemsize < 4 else SHORT_BYTES


def in_one_pass(box: NDArray[Any]) -> bool:
    """Whether `fold` needs no tiles: it is one call of NumPy, or a few, that hold nothing but outputs in the cache."""
    o, r1, i, r2 = box.shape
    if shallow(box):
        return True
    if o * i == 1 or (r1 == 1 and r2 * box.itemsize > max(SHORT_BYTES, _turned_bytes(box))):
        return bool(box.flags.c_contiguous)
    return r1 >= DEPTH and WIDE_BYTES <= i * r2 * box.itemsize <= COPIED_TILE_BYTES


def shallow(box: NDArray[Any]) -> bool:
    """Whether a box is few rows, folded one after the other, of outputs that stay in the cache."""
    o, r1, i, r2 = box.shape
    return r1 <= FEW_ROWS and r2 == 1 and o * i * box.itemsize <= TILE_BYTES


def fold(ufunc: np.ufunc, box: NDArray[Any], into: NDArray[Any] | None = None) -> NDArray[Any]:
    """`ufunc` (minimum or maximum) over r1 and r2 of a tile: 1-D, its o * i outputs, a new array or, where that saves a
    copy, `into`."""
    o, r1, i, r2 = box.shape
    if o * i == 1 and box.flags.c_contiguous:
        return np.asarray(ufunc.reduce(box.reshape(-1), keepdims=True))
    if r1 == r2 == 1:
        return box.flatten()
    if box.size <= SMALL:
        return np.asarray(ufunc.reduce(box, axis=(1, 3))).reshape(-1)
    if r2 == 1:
        return _fold_columns(ufunc, box[..., 0], into)
    if r1 == 1:
        return fold_rows(ufunc, box.reshape(-1, r2), into)
    if r2 * box.itemsize > SHORT_BYTES and i * r2 * box.itemsize < WIDE_BYTES:
        return np.asarray(ufunc.reduce(box, axis=(1, 3))).reshape(-1)
    columns = box.reshape(o, r1, i * r2)
    return fold_rows(ufunc, _fold_columns(ufunc, columns).reshape(-1, r2), into)


def fold_rows(ufunc: np.ufunc, rows: NDArray[Any], into: NDArray[Any] | None = None) -> NDArray[Any]:
    """Over the last axis of rows: (n, r) to (n,)."""
    n, length = rows.shape
    size = rows.itemsize
    word = word_of(rows)
    if length <= FEW_ROWS // 2 or (length <= FEW_ROWS and size >= 4 and word is not WORDS[0]):
        return _fold_columns(ufunc, rows.T[np.newaxis], into)
    if word is not None and length * size <= _turned_bytes(rows):
        columns = turned(rows, word)
        if word.itemsize == size:
            return _fold_columns(ufunc, columns, into)
        return fold_rows(ufunc, _fold_columns(ufunc, columns).reshape(n, -1), into)
    if length * size <= SHORT_BYTES:
        return _fold_windows(ufunc, rows.reshape(-1), length)
    return np.asarray(ufunc.reduceat(rows.reshape(-1), np.arange(0, rows.size, length), out=into))


def word_of(rows: NDArray[Any]) -> np.dtype[Any] | None:
    """The word to turn rows (n, r) by; None where that does not pay."""
    length = rows.shape[1] * rows.itemsize
    for word in WORDS:
        if length % word.itemsize == 0 and word.itemsize >= rows.itemsize:
            words = length // word.itemsize
            return word if 1 < words <= WORDS_OF_A_ROW else None
    return None


def turned(rows: NDArray[Any], word: np.dtype[Any]) -> NDArray[Any]:
    """Rows (n, r) as columns of words: (1, words of a row, n * elements of a word)."""
    words = np.ascontiguousarray(rows).view(word).T
    return np.ascontiguousarray(words).view(rows.dtype).reshape(1, len(words), -1)


def _fold_windows(ufunc: np.ufunc, flat: NDArray[Any], length: int) -> NDArray[Any]:
    width = 1  # flat[k] stands for the elements k to k + width - 1
    while width < length:
        step = min(width, length - width)
        flat = ufunc(flat[:-step], flat[step:])
        width += step
    return flat[::length].copy()


def row_by_row(ufunc: np.ufunc, rows: NDArray[Any], outputs: NDArray[Any]) -> NDArray[Any]:
    """Any `ufunc` over the middle axis of (o, r, i), r > 1, to `outputs` (o, i): no copy of the first row."""
    ufunc(rows[:, 0], rows[:, 1], out=outputs)
    for k in range(2, rows.shape[1]):
        ufunc(outputs, rows[:, k], out=outputs)
    return outputs


def _fold_columns(ufunc: np.ufunc, rows: NDArray[Any], into: NDArray[Any] | None = None) -> NDArray[Any]:
    """Over the middle axis: (o, r, i) to (o * i,)."""
    o, r, i = rows.shape
    if r == 1:
        return rows[:, 0].reshape(-1)
    if r > FEW_ROWS and i * rows.itemsize < WIDE_BYTES:
        return _fold_short_rows(ufunc, rows).reshape(-1)
    folded = np.empty(o * i, rows.dtype) if into is None else into
    outputs = folded.reshape(o, i)
    if r <= FEW_ROWS:
        row_by_row(ufunc, rows, outputs)
    else:
        ufunc.reduce(rows, axis=1, out=outputs)
    return folded


def _fold_short_rows(ufunc: np.ufunc, rows: NDArray[Any]) -> NDArray[Any]:
    """The same, of rows too short for a call each: to (o, i)."""
    o, r, i = rows.shape
    size = i * rows.itemsize
    if rows.strides[1:] != (size, rows.itemsize):  # then rows are no longer if they are taken together
        return _fold_halves(ufunc, rows)
    several = min(-(-MOST_TOGETHER // size), r // FOLDS)
    several = min(r // 2, max(several, -(-LEAST_TOGETHER // size)))
    together = r // several
    folded = ufunc.reduce(rows[:, : together * several].reshape(o, together, several * i), axis=1)
    if r % several:
        ufunc(folded, rows[:, r - several :].reshape(o, several * i), out=folded)
    folded = folded.reshape(o, several, i)
    return _fold_halves(ufunc, folded) if size < NARROW_BYTES else np.asarray(ufunc.reduce(folded, axis=1))


def _fold_halves(ufunc: np.ufunc, rows: NDArray[Any]) -> NDArray[Any]:
    """The same by halves of what is left, whatever the strides."""
    r = rows.shape[1]
    if r == 1:
        return rows[:, 0]
    half = r - r // 2
    folded = ufunc(rows[:, :half], rows[:, r - half :])
    while half > 1:
        pairs = half // 2
        ufunc(folded[:, :pairs], folded[:, half - pairs : half], out=folded[:, :pairs])
        half -= pairs
    return np.asarray(folded[:, 0])
