"""Min and Max against a loop over elements, one output at a time."""

import math
import random
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from app.kernels.extremes import folding
from app.kernels.extremes.extremum import Extremum, maximum, minimum

FLOATS = [np.dtype(d) for d in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]
INTEGERS = [np.dtype(f"{kind}{width}") for kind in ("int", "uint") for width in (8, 16, 32, 64)]
DTYPES = [*FLOATS, *INTEGERS, np.dtype(bool)]
KERNELS = [pytest.param(minimum, False, id="min"), pytest.param(maximum, True, id="max")]
SHAPES = [
    (1, 1, 1, 3),
    (1, 1, 7, 1),
    (1, 1, 5, 16),
    (1, 1, 40, 3),
    (1, 1, 3, 100),
    (1, 1, 2, 3000),
    (1, 9, 6, 1),
    (1, 5, 2050, 1),
    (3, 7, 4, 1),
    (2, 17, 5, 1),
    (1, 1, 1, 1),
    (1, 6, 5, 4),
    (1, 3, 4, 70),
    (2, 3, 4, 5),
]
CANONICAL_NAN = {"float16": 0x7E00, "bfloat16": 0x7FC0, "float32": 0x7FC00000, "float64": 0x7FF8000000000000}
INFINITY = {name: np.uint64(nan & ~(1 << int(ml_dtypes.finfo(name).nmant) - 1)) for name, nan in CANONICAL_NAN.items()}


def bits(values: NDArray[Any]) -> list[int]:
    found: list[int] = values.view(f"u{values.itemsize}").ravel().tolist()
    return found


def mixed(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> NDArray[Any]:
    """Elements of which many are equal; of floats some are zeros of either sign, infinities, NaNs of any payload."""
    rng = np.random.default_rng(seed)
    values: NDArray[Any]
    if dtype.kind == "b":
        values = rng.random(shape) < rng.choice([0.1, 0.5, 0.9])
        return values
    if dtype.kind in "iu":
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    values = np.asarray(rng.integers(-2, 3, shape) * rng.choice([-0.5, 0.5, 1], shape)).astype(dtype)
    values = np.where(rng.random(shape) < 0.5, np.abs(values), values) if seed % 3 else -np.abs(values)
    if seed % 2:
        values[rng.random(shape) < 0.05] = np.inf
        values[rng.random(shape) < 0.05] = -np.inf
    width = 8 * dtype.itemsize
    nans = (rng.random(shape) < 0.5 / shape[1] / shape[3]) & (seed % 4 > 1)
    loud = rng.integers(1, 2 ** (ml_dtypes.finfo(dtype).nmant), shape, np.uint64) | INFINITY[dtype.name]
    loud |= rng.integers(0, 2, shape, np.uint64) << np.uint64(width - 1)
    patterns = values.view(f"u{dtype.itemsize}")
    patterns[nans] = loud.astype(patterns.dtype)[nans]
    return values


def extreme(values: NDArray[Any], largest: bool) -> int:
    """The bits of the extreme of a 1-D array."""
    if values.dtype.kind in "biu":
        chosen = max(values.tolist()) if largest else min(values.tolist())
        return bits(np.array([chosen], values.dtype))[0]
    with np.errstate(invalid="ignore"):  # a signalling NaN is loud in a cast
        numbers = values.astype(np.float64).tolist()
    if any(map(math.isnan, numbers)):
        return CANONICAL_NAN[values.dtype.name]
    keyed = [(number, math.copysign(1, number), k) for k, number in enumerate(numbers)]
    return bits(values)[(max(keyed) if largest else min(keyed))[2]]


def expected(box: NDArray[Any], largest: bool) -> list[int]:
    rows = box.transpose(0, 2, 1, 3).reshape(box.shape[0] * box.shape[2], -1)
    return [extreme(row, largest) for row in rows]


@pytest.mark.parametrize(("kernel", "largest"), KERNELS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_pattern_gives_the_extreme_of_each_output(
    kernel: Callable[[np.dtype[Any]], Extremum], largest: bool, dtype: np.dtype[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    reduction = kernel(dtype)
    for tile_bytes in (None, 64):
        if tile_bytes is not None:
            monkeypatch.setattr(folding, "TILE_BYTES", tile_bytes)
            monkeypatch.setattr(folding, "COPIED_TILE_BYTES", tile_bytes)
        for shape in SHAPES:
            for seed in range(4):
                box = mixed(dtype, shape, seed)
                before = bits(box)
                whole = reduction.whole(box)
                state = reduction.partial(box)
                assert whole.dtype == dtype
                assert whole.shape == (shape[0] * shape[2],)
                assert bits(whole) == expected(box, largest), (shape, seed)
                assert bits(reduction.finish(state, shape[1] * shape[3])) == bits(whole)
                assert bits(box) == before


@pytest.mark.parametrize(("kernel", "largest"), KERNELS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_rows_of_every_length_turn_or_slide_to_the_same_extremes(
    kernel: Callable[[np.dtype[Any]], Extremum], largest: bool, dtype: np.dtype[Any]
) -> None:
    for length in [*range(2, 35), 40, 48, 63, 64, 65, 96, 128, 160]:
        box = mixed(dtype, (1, 1, 40, length), length)  # more elements than NumPy is left to do alone
        assert bits(kernel(dtype).whole(box)) == expected(box, largest), length
        first = np.ascontiguousarray(box.swapaxes(1, 3))
        assert bits(kernel(dtype).whole(first)) == expected(first, largest), length


@pytest.mark.parametrize(("kernel", "largest"), KERNELS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_lone_elements_are_merged_like_any_and_left_alone(
    kernel: Callable[[np.dtype[Any]], Extremum], largest: bool, dtype: np.dtype[Any]
) -> None:
    reduction = kernel(dtype)
    for seed in range(8):
        box = mixed(dtype, (1, 4, 200, 1), seed)
        before = bits(box)
        first, *others = [reduction.partial(box[:, k : k + 1]) for k in range(4)]
        for other in others:
            first.merge(other)
        assert bits(reduction.finish(first, 4)) == expected(box, largest)
        lone = reduction.finish(reduction.partial(box[:, :1]), 1)
        assert bits(lone) == expected(box[:, :1], largest)
        assert bits(box) == before


@pytest.mark.parametrize(("kernel", "largest"), KERNELS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_states_merge_in_any_order(
    kernel: Callable[[np.dtype[Any]], Extremum], largest: bool, dtype: np.dtype[Any]
) -> None:
    reduction = kernel(dtype)
    for seed in range(12):
        box = mixed(dtype, (1, 9, 7, 5), seed)
        pieces = [(r1, i, box[:, r1 : r1 + 3, i : i + 4, :]) for r1 in range(0, 9, 3) for i in (0, 4)]
        random.Random(seed).shuffle(pieces)
        state = reduction.identity(7)
        for _, i, piece in pieces:
            state.merge(reduction.partial(piece), i)
        assert state.nbytes == 7 * dtype.itemsize
        assert bits(reduction.finish(state, 45)) == expected(box, largest)


@pytest.mark.parametrize(("kernel", "largest"), KERNELS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "shape", [(1, 1, 3, 70_000), (1, 3, 150_000, 1), (1, 300, 1100, 1), (1, 1, 1, 900_000), (40, 9, 500, 3)]
)
def test_one_negative_zero_or_nan_in_much_data_is_found(
    kernel: Callable[[np.dtype[Any]], Extremum], largest: bool, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(5)
    for common, odd in [(0.0, -0.0), (-0.0, 0.0), (0.0, math.nan), (1.0, math.nan), (-1.0, 0.0), (1.0, -0.0)]:
        box = np.full(shape, common, dtype)
        place = tuple(int(rng.integers(size)) for size in shape)
        box[place] = odd
        output = place[0] * shape[2] + place[2]
        patterns = np.full(shape[0] * shape[2], common, dtype).view(f"u{dtype.itemsize}")
        patterns[output] = extreme(np.array([common, odd], dtype), largest)
        assert np.array_equal(kernel(dtype).whole(box).view(patterns.dtype), patterns)


@pytest.mark.parametrize(("kernel", "largest"), KERNELS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("shape", [(1, 3, 150_000, 1), (1, 1, 90_000, 3), (3, 40, 2000, 1), (1, 1, 300, 900)])
def test_zeros_of_both_signs_among_much_data_have_the_sign_of_their_output(
    kernel: Callable[[np.dtype[Any]], Extremum], largest: bool, dtype: np.dtype[Any], shape: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(6)
    for negative in (0.02, 0.5, 0.98):
        box = np.copysign(0, rng.random(shape) - negative).astype(dtype)
        box[:, :, ::3] = np.copysign(1, 0.5 - largest)  # no zero is the extreme of these
        signs = (np.signbit(box).all if largest else np.signbit(box).any)(axis=(1, 3)).reshape(-1)
        found = kernel(dtype).whole(box)
        assert np.array_equal(np.signbit(found), signs)
        assert np.array_equal(
            found.reshape(shape[0], shape[2]) == 0, np.broadcast_to(np.arange(shape[2]) % 3 > 0, (shape[0], shape[2]))
        )


@pytest.mark.parametrize(("kernel", "largest"), KERNELS)
def test_all_pairs_of_16_bit_floats_of_note(kernel: Callable[[np.dtype[Any]], Extremum], largest: bool) -> None:
    for dtype in FLOATS[:2]:
        infinity = int(INFINITY[dtype.name])
        magnitudes = [0, 1, 2, infinity - 1, infinity, infinity + 1, 0x7FFF]
        patterns = np.array([m | sign for m in magnitudes for sign in (0, 0x8000)], np.uint16)
        pairs = np.stack(np.meshgrid(patterns, patterns), -1).reshape(1, 1, -1, 2)
        assert bits(kernel(dtype).whole(pairs.view(dtype))) == expected(pairs.view(dtype), largest)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_an_empty_set_gives_what_any_element_beats(dtype: np.dtype[Any]) -> None:
    least: float
    greatest: float
    if dtype.kind == "b":
        least, greatest = False, True
    elif dtype.kind in "iu":
        least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
    else:
        least, greatest = -math.inf, math.inf
    for answer, value in [(minimum(dtype).empty(), greatest), (maximum(dtype).empty(), least)]:
        assert answer.dtype == dtype
        assert answer == value


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_elements_alone_keep_their_very_bits(dtype: np.dtype[Any]) -> None:
    values = mixed(dtype, (2, 50, 1, 1), seed=3)
    assert bits(minimum(dtype).elementwise(values)) == bits(values)
    assert minimum(dtype).elementwise(values).shape == values.shape


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize(("make", "largest"), KERNELS)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_a_nan_of_either_sign_that_meets_no_other_element_comes_out_canonical(
    make: Callable[[np.dtype[Any]], Extremum], largest: bool, dtype: np.dtype[Any], sign: int
) -> None:
    loud = INFINITY[dtype.name] + np.uint64(1) | np.uint64(sign << 8 * dtype.itemsize - 1)
    box = loud.astype(f"u{dtype.itemsize}").view(dtype).reshape(1, 1, 1, 1)
    kernel = make(dtype)
    assert bits(kernel.finish(kernel.partial(box), 1)) == bits(kernel.whole(box)) == [CANONICAL_NAN[dtype.name]]
