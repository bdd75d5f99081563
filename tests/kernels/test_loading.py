"""Tiles are read as what they are, and the range that is told of them holds."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.kernels.exact.gathering import over_columns
from app.kernels.exact.loading import READERS, READERS_FOR_SUMS, Loaded, Reader, load, measure, read
from app.kernels.kernel import quiet
from app.kernels.scratch import Scratch
from tests.oracle.formats import FORMATS
from tests.samples import from_bits

SCRATCH = Scratch(8, 1 << 10)
READING = [pytest.param(readers, id=name) for name, readers in (("sums", READERS_FOR_SUMS), ("others", READERS))]


def tiles(dtype: str) -> list[NDArray[Any]]:
    """Of one number and of several, with and without zeros: the ends of the format, powers of two, any others."""
    form, draw = FORMATS[dtype], np.random.default_rng(1)
    ends = [1, 2, (1 << form.fraction) - 1, form.infinity - 1, *[power << form.fraction for power in (1, 2, 3, 7)]]
    several = [[bits] for bits in [0, *ends]] + draw.choice(ends, (20, 3)).tolist()
    several += draw.integers(1, form.infinity, (20, 3)).tolist()
    signed = [[bits | int(draw.integers(0, 2)) * form.sign_bit for bits in numbers] for numbers in several]
    return [
        from_bits(dtype, draw.choice(np.array([*numbers, *zeros], np.uint64), (2, 5, 3, 4)))
        for numbers in [*signed, [several[-1][0] | form.sign_bit]]
        for zeros in ([], [0], [form.sign_bit])
    ]


def assert_within(loaded: Loaded, elements: NDArray[Any]) -> None:
    """That it is the elements, in order, and that they keep to its range."""
    for y, element in zip(loaded.y.reshape(-1).tolist(), elements.reshape(-1).tolist(), strict=True):
        assert Fraction(y) * Fraction(2) ** loaded.scale == Fraction(element)
        assert abs(Fraction(y)) <= Fraction(2) ** loaded.top or y == 0
        assert (Fraction(y) / Fraction(2) ** loaded.unit).denominator == 1
    assert loaded.zeros is None or loaded.zeros == bool((elements == 0).any())


@pytest.mark.parametrize("readers", READING)
@pytest.mark.parametrize("dtype", list(FORMATS))
def test_elements_keep_to_the_range_that_is_told_of_them(dtype: str, readers: dict[Any, Reader]) -> None:
    for tile in tiles(dtype):
        ordered, shape = over_columns(tile)
        loaded = load(tile, ordered, shape, readers[tile.dtype], SCRATCH)
        assert loaded.finite
        assert_within(loaded, ordered.astype(np.float64))
        values, scale = read(tile, ordered, SCRATCH)
        assert (values * 2.0**scale).tolist() == ordered.astype(np.float64).tolist()
        finite = SCRATCH.shaped(shape)[0]
        finite[...] = ordered.astype(np.float64).reshape(shape)
        assert_within(measure(finite, SCRATCH, tile.dtype), ordered.astype(np.float64))


@pytest.mark.parametrize("special", ["inf", "-inf", "nan", "-nan"])
@pytest.mark.parametrize("dtype", list(FORMATS))
@quiet
def test_one_element_that_is_no_finite_number_is_seen(dtype: str, special: str) -> None:
    for tile in tiles(dtype)[:30]:
        tile[1, 2, 0, 3] = float(special)
        ordered, shape = over_columns(tile)
        assert not load(tile, ordered, shape, READERS_FOR_SUMS[NUMPY_DTYPES[dtype]], SCRATCH).finite
        values, scale = read(tile, ordered, SCRATCH)
        assert str((values * 2.0**scale).tolist()) == str(ordered.astype(np.float64).tolist())
