"""The bins of exact sums hold whatever is added to them, however often."""

from copy import deepcopy
from fractions import Fraction

import numpy as np
import pytest

from app.kernels.exact.bins import Bins
from app.kernels.exact.leading import leading
from app.kernels.exact.parts import Part
from app.kernels.floats import sums
from tests.oracle.large import right_bits


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


@pytest.mark.parametrize("bins", [1, 2, 3, 4, 5, 9])
def test_leading_bits_miss_no_more_than_they_say(bins: int) -> None:
    """Of digits that are random, or such as carry all the way, from any place to any other; of both signs."""
    draw, outputs = np.random.default_rng(bins), 3000
    digits = draw.integers(0, 1 << 32, (bins, outputs))
    digits[draw.random((bins, outputs)) < 0.3] = 0
    digits[draw.random((bins, outputs)) < 0.2] = (1 << 32) - 1
    digits[-1] = draw.choice([-1, 0, 1, -5, 7, (1 << 32) - 1, -(1 << 32)], outputs)
    if bins >= 4:  # half a unit of the float64 above, and a little more
        digits[-4:, 5::16] = np.array([[1 << 31], [1 << 31], [6], [1 << 20]])
    for k in range(bins):
        digits[k + 1 :, k::16] = 0
        digits[:k, k + 8 :: 16] = 0
    high, low, exponent, missed = leading(digits, -40)
    worth = [Fraction(2) ** (32 * (k - 40)) for k in range(bins)]
    for k in range(outputs):
        total = sum((int(digit) * unit for digit, unit in zip(digits[:, k], worth, strict=True)), Fraction(0))
        unit = Fraction(2) ** int(exponent[k])
        assert abs(total - (Fraction(high[k]) + Fraction(low[k])) * unit) <= Fraction(missed[k]) * unit
        assert (high[k] == 0) == (total == 0)
        assert high[k] + low[k] == high[k]
        assert missed[k] <= abs(high[k]) * 2.0**-95
    assert not (exponent & 1).any()
    assert not missed[(digits != 0).argmax(axis=0) >= bins - 3].any()


@pytest.mark.parametrize("wide", [[0], [50, 51, 170], [299]])
def test_outputs_that_need_bins_keep_their_places_among_others(wide: list[int]) -> None:
    rows = np.random.default_rng(1).standard_normal((300, 1000)).astype(np.float32)
    rows[wide, :3] = 2.0**126, 2.0**-149, -(2.0**126)
    kernel = sums.total(rows.dtype)
    box = rows.reshape(1, 1, 300, 1000)
    right = [right_bits("ReduceSum", "float32", row) for row in rows]
    assert kernel.whole(box).view(np.uint32).tolist() == right
    assert kernel.finish(kernel.partial(box), 1000).view(np.uint32).tolist() == right
