"""The bins of exact sums hold whatever is added to them, however often."""

from copy import deepcopy

import numpy as np

from app.kernels.exact.bins import Bins
from app.kernels.exact.parts import Part


def test_bins_carry_before_they_overflow() -> None:
    """The largest piece of a bin, 2^40 times: far more than 64 bits of it."""
    bins = Bins(1)
    bins.add(Part(np.array([2.0**32 - 1]), 32, 0))
    for _ in range(40):
        bins.merge(deepcopy(bins))
    bins.normalize()
    total, exponent = bins.exact(0)
    assert total << exponent == (2**32 - 1) << 40


def test_counted_integers_carry_before_they_overflow() -> None:
    """As many of the largest as a call takes, where their pieces are the largest: 2^22 times that."""
    bins, most = Bins(1), 1 << 18
    bins.count(np.full(most, (1 << 62) - 1), np.full(most, 31), np.zeros(most, np.int64))
    for _ in range(22):
        bins.merge(deepcopy(bins))
    bins.normalize()
    total, exponent = bins.exact(0)
    assert total << exponent == ((1 << 62) - 1) * most << 31 + 22
