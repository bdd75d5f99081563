"""Sums that are said to have no rounding have none."""

from fractions import Fraction

import numpy as np
import pytest

from app.kernels.exact.approximation import total_of
from app.kernels.exact.layers import CELL_OUTPUTS, layered
from app.kernels.exact.parts import Part, exact_parts, joined


def exact(values: list[float]) -> Fraction:
    return sum(map(Fraction, values), Fraction(0))


@pytest.mark.parametrize("terms", [2, 3, 4, 7, 8, 9, 16, 33, 64, 129, 1000])
@pytest.mark.parametrize("bits", [40, 46, 48, 49, 50, 51, 52, 53, 60, 75, 90, 101, 120])
def test_parts_have_the_sum_of_their_terms(bits: int, terms: int) -> None:
    """Integers that are odd or large or both: one rounding anywhere, and a unit is missing."""
    draw = np.random.default_rng(terms)
    odd = 2.0 ** min(bits, 53) - draw.choice([1.0, 3.0], (1, terms, 4))
    y = np.where(draw.random((1, terms, 4)) < 0.5, odd, (2.0**53 - 1) * 2.0 ** (bits - 53) if bits > 53 else odd)
    y[0, :, 0], y[0, :, 1] = odd[0, :, 0], odd[0, :, 1] * 2.0 ** max(0, bits - 53)
    parts = exact_parts(y.copy(), bits, 0)
    for part in parts:
        assert np.abs(part.values).max() <= 2.0**part.top
        assert not (part.values % 2.0**part.unit).any()
    for k in range(4):
        assert exact([float(part.values[k]) for part in parts]) == exact(y[0, :, k].tolist())


def test_parts_are_joined_only_where_their_sum_has_no_rounding() -> None:
    parts = [Part(np.array([2.0**53 - 1, 1.0]), 53, 0), Part(np.array([2.0**53 - 2, 2.0]), 53, 0)]
    for few in (parts, [*parts, Part(np.array([1.0, 1.0]), 1, 0)]):
        for k in range(2):
            wanted = exact([float(part.values[k]) for part in few])
            assert exact([float(part.values[k]) for part in joined(few)]) == wanted


def test_a_total_misses_no_more_of_its_parts_than_it_says() -> None:
    draw = np.random.default_rng(1)
    parts = [Part(draw.uniform(-1, 1, 50) * 2.0**-scale, -scale, -scale - 53) for scale in (0, 40, 90, 140, 170, 200)]
    for several in (parts[:1], parts[:2], parts[:3], parts[:4], parts, parts[::-1]):
        high, low, missed, _ = total_of(several, 50)
        for k in range(50):
            wrong = exact([*(float(part.values[k]) for part in several), -float(high[k]), -float(low[k])])
            assert abs(wrong) <= Fraction(float(missed[k]))
            assert missed[k] <= 2.0**-80 * (len(several) > 2)


@pytest.mark.parametrize("longest", [3, CELL_OUTPUTS // 3, 3 * CELL_OUTPUTS])
def test_parts_of_some_outputs_have_the_same_sums_in_layers(longest: int) -> None:
    """Parts of different ranges that begin where others end, overlap, and reach over cells."""
    draw, outputs = np.random.default_rng(longest), 2 * CELL_OUTPUTS + 5
    held: list[tuple[int, list[Part]]] = []
    wanted, start = np.zeros(outputs), 0
    for _ in range(60):
        size = int(draw.integers(1, min(longest, outputs - start) + 1))
        unit = int(draw.integers(-6, 6))
        parts = [Part(np.float64(2.0**unit) * draw.integers(-8, 9, size), unit + 3, unit) for _ in range(2)]
        held.append((start, parts))
        wanted[start : start + size] += parts[0].values + parts[1].values
        start = (
            start + size - int(draw.integers(0, 2)) + int(draw.integers(0, 2)) * int(draw.integers(0, outputs))
        ) % outputs
    found = np.zeros(outputs)
    for at, layers in layered(held, outputs):
        for part in layers:
            assert len(part.values) == min(CELL_OUTPUTS, outputs - at)
            assert np.abs(part.values).max() <= 2.0**part.top
            assert not (part.values % 2.0**part.unit).any()
            found[at : at + len(part.values)] += part.values
    assert found.tolist() == wanted.tolist()
