"""A sum is -0.0 where all of its elements are, and nowhere else, however they fall into tiles."""

import numpy as np
import pytest

from app.blocks import NUMPY_DTYPES
from app.kernels.exact.loading import NARROW_TILE_ELEMENTS
from app.kernels.floats.sums import mean, total
from tests.oracle.formats import FORMATS

TILES = {
    "nothing else": ([-0.0, -0.0, -0.0], True),
    "what cancels, first": ([1.0, -0.0, -0.0], False),
    "what cancels, last": ([-0.0, -0.0, 1.0], False),
    "zeros of the other sign": ([-0.0, 0.0, -0.0], False),
}


@pytest.mark.parametrize("dtype", list(FORMATS))
@pytest.mark.parametrize(("numbers", "negative"), list(TILES.values()), ids=list(TILES))
def test_minus_zeros_in_tiles_of_their_own_beside_others(numbers: list[float], negative: bool, dtype: str) -> None:
    tiles = [np.full(NARROW_TILE_ELEMENTS, number) for number in numbers]
    for tile in tiles:
        tile[1::2] *= -1 if tile[0] else 1
    box = np.concatenate(tiles).astype(NUMPY_DTYPES[dtype]).reshape(1, 1, 1, -1)
    for kernel in (total(box.dtype), mean(box.dtype)):
        for found in (kernel.whole(box), kernel.finish(kernel.partial(box), box.size)):
            assert (found[0], np.signbit(found[0])) == (0, negative)


@pytest.mark.parametrize("dtype", list(FORMATS))
def test_an_output_of_minus_zeros_beside_others(dtype: str) -> None:
    for shape in ((1, 4096, 3, 1), (1, 1, 3, 4096)):
        box = np.ones(shape, NUMPY_DTYPES[dtype])
        box[:, :, 1] = -0.0
        kernel = total(box.dtype)
        for found in (kernel.whole(box), kernel.finish(kernel.partial(box), 4096)):
            assert str(found.astype(np.float64).tolist()) == "[4096.0, -0.0, 4096.0]"
