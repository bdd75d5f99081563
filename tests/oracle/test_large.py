"""Sums by limbs are the sums by big integers."""

import numpy as np
import pytest

from tests.oracle.floats import exact_sum
from tests.oracle.formats import FORMATS
from tests.oracle.large import exact_total
from tests.oracle.reduction import bits_of
from tests.samples import FLOATS, finite


@pytest.mark.parametrize("dtype", list(FORMATS))
def test_sums_by_limbs_are_the_sums_by_big_integers(dtype: str) -> None:
    format = FORMATS[dtype]
    for name, sample in FLOATS.items():
        values = sample(np.random.default_rng(1), dtype, 500)
        values = values[finite(values)]
        for power, absolute in ((1, False), (1, True), (2, False)):
            limbs = format.rounded(*exact_total(dtype, values, power, absolute))
            assert limbs == format.rounded(*exact_sum(format, bits_of(values), power, absolute)), name
