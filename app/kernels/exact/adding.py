"""Sums of float64 as quick as they can be made, in whatever order that takes.

So they are for numbers whose sums no order changes, for none of them is rounded, or to within a bound that holds for
any order. Most are products with ones: BLAS is two to ten times as quick at them as NumPy's reductions are.
"""

import numpy as np

from app.kernels.rounding import Floats

# Terms of an output in a row: from here on rows are added up faster one by one than side by side.
LONG_RUN_TERMS = 64
# Matrices with fewer elements than this are added up by einsum, which spends less on each of many.
_SMALL_MATRIX_ELEMENTS = 64
# So many factors stay in the caches next to a core while rows pass by.
_ONES = np.ones(1 << 12)


def added(y: Floats) -> Floats:
    """The sums of y[a, r, b] over r, [a, 1, b], in whatever order is the quickest."""
    a, r, b = y.shape
    if b == 1:
        return _rows_added(y.reshape(a, r)).reshape(a, 1, 1)
    if r * b < _SMALL_MATRIX_ELEMENTS and a > 1:
        return np.asarray(np.einsum("arb->ab", y)).reshape(a, 1, b)
    return np.asarray(np.matmul(_ONES[:r] if r <= len(_ONES) else np.ones(r), y)).reshape(a, 1, b)


def _rows_added(rows: Floats) -> Floats:
    a, r = rows.shape
    if r <= len(_ONES):
        return np.asarray(np.dot(rows, _ONES[:r]))
    runs = r // len(_ONES)
    whole = runs * len(_ONES)
    sums = np.add.reduce(np.matmul(rows[:, :whole].reshape(a, runs, -1), _ONES), axis=1)
    return np.asarray(sums + np.dot(rows[:, whole:], _ONES[: r - whole]) if whole < r else sums)


def grouped(y: Floats, group: int) -> Floats:
    """Sums of at most `group` terms each, [a, groups, b]."""
    a, r, b = y.shape
    groups = -(-r // group)
    each = r // groups
    whole = y[:, : groups * each]
    if b == 1 and each >= LONG_RUN_TERMS:
        sums = added(whole.reshape(a * groups, each, 1)).reshape(a, groups, 1)
    else:
        # Terms that stand far apart: memory is read in runs of groups * b.
        sums = added(whole.reshape(a, each, groups * b)).reshape(a, groups, b)
    if groups * each < r:
        sums[:, : r - groups * each] += y[:, groups * each :]
    return sums


def products(x: Floats, y: Floats, most: int) -> Floats:
    """Sums over r of products x[a, r, b]·y[a, r, b], at most `most` at a time, as [a, groups, b]."""
    a, r, b = x.shape
    groups = -(-r // most)
    each = r // groups
    whole = groups * each
    if b == 1 and each >= LONG_RUN_TERMS:
        shape = (a, groups, each)
        sums: Floats = np.vecdot(x[:, :whole, 0].reshape(shape), y[:, :whole, 0].reshape(shape)).reshape(a, groups, 1)
    else:
        shape = (a, each, groups * b)
        sums = np.einsum("agb,agb->ab", x[:, :whole].reshape(shape), y[:, :whole].reshape(shape)).reshape(a, groups, b)
    if whole < r:
        sums[:, : r - whole] += x[:, whole:] * y[:, whole:]
    return sums
