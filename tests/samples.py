"""Kinds of elements that reductions go wrong on, as functions of a random generator, a dtype and a size.

FLOATS and INTEGERS name them. Each takes its elements from a small pool or a narrow rule, so that sums over any axes
meet cancellation, midpoints, overflow and specials often.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from tests.oracle.formats import FORMATS
from tests.oracle.integers import bounds

Draw = np.random.Generator
Array = NDArray[Any]


def from_bits(dtype: str, bits: Any) -> Array:
    """Floats of given bits, whatever the shape."""
    return np.array(bits, np.uint64).astype(f"u{NUMPY_DTYPES[dtype].itemsize}").view(NUMPY_DTYPES[dtype])


def _scaled(draw: Draw, dtype: str, size: int, least: int, most: int) -> Array:
    """Random signs and mantissas, exponent fields within [least, most)."""
    format = FORMATS[dtype]
    most = min(most, format.infinity >> format.fraction)
    exponents = draw.integers(max(least, 0), max(most, 1), size, dtype=np.uint64)
    mantissas = draw.integers(0, 1 << format.fraction, size, dtype=np.uint64)
    signs = draw.integers(0, 2, size, dtype=np.uint64)
    shift = np.uint64(format.fraction), np.uint64(format.width - 1)
    return from_bits(dtype, signs << shift[1] | exponents << shift[0] | mantissas)


def _pool(draw: Draw, dtype: str, size: int, pool: list[int]) -> Array:
    return draw.choice(from_bits(dtype, pool), size)


def _powers(dtype: str, *values: tuple[int, int]) -> list[int]:
    """Bits of m * 2**e, rounded to the dtype."""
    return [FORMATS[dtype].rounded(mantissa, exponent) for mantissa, exponent in values]


def any_bits(draw: Draw, dtype: str, size: int) -> Array:
    """Every bit pattern alike: all exponents, now and then NaN or infinity."""
    return from_bits(
        dtype,
        draw.integers(0, 1 << FORMATS[dtype].width - 1, size, dtype=np.uint64) * np.uint64(2)
        + draw.integers(0, 2, size, dtype=np.uint64),
    )


def every_exponent(draw: Draw, dtype: str, size: int) -> Array:
    """Finite, spread over the whole range of exponents."""
    return _scaled(draw, dtype, size, 0, 1 << 11)


def window(draw: Draw, dtype: str, size: int) -> Array:
    """Exponents within a window of random width, anywhere."""
    format = FORMATS[dtype]
    top = int(draw.integers(1, (format.infinity >> format.fraction) + 1))
    return _scaled(draw, dtype, size, top - int(draw.integers(1, 80)), top)


def ordinary(draw: Draw, dtype: str, size: int) -> Array:
    """Normally distributed."""
    return draw.normal(size=size).astype(NUMPY_DTYPES[dtype])


def cancelling(draw: Draw, dtype: str, size: int) -> Array:
    """x, -x and elements far below."""
    format = FORMATS[dtype]
    x, y = (int(b) & ~format.sign_bit for b in window(draw, dtype, 2).view(f"u{format.width // 8}").tolist())
    tiny = int(draw.integers(0, 8))
    return _pool(draw, dtype, size, [x, x | format.sign_bit, y, y | format.sign_bit, tiny, tiny | format.sign_bit])


def midpoints(draw: Draw, dtype: str, size: int) -> Array:
    """Sums that fall on midpoints, or a tiny element beside them."""
    format = FORMATS[dtype]
    p, e = format.fraction, int(draw.integers(-8, 3))
    mantissa = (1 << p) + int(draw.integers(0, 1 << p))
    far = int(draw.integers(2, 2 * p + 60))
    values = [(mantissa, e), (1, e - 1), (-1, e - 1), (1, e), (3, e - 1), (1, e - far), (-1, e - far), (0, 0)]
    return _pool(draw, dtype, size, _powers(dtype, *values))


def norms(draw: Draw, dtype: str, size: int) -> Array:
    """3m and 4m of norm 5m, where 5m is a midpoint, and tiny elements."""
    format = FORMATS[dtype]
    e = int(draw.integers(-5, 5))
    m = int(draw.integers(1 << format.fraction - 3, (1 << format.fraction + 1) // 5))
    far = int(draw.integers(8, 2 * format.fraction + 20))
    return _pool(draw, dtype, size, _powers(dtype, (3 * m, e), (4 * m, e), (0, 0), (0, 0), (1, e - far)))


def subnormals(draw: Draw, dtype: str, size: int) -> Array:
    """At and below the smallest normal number, zeros of both signs among them."""
    format = FORMATS[dtype]
    few = draw.integers(0, 1 << int(draw.integers(1, format.fraction + 2)), size, dtype=np.uint64)
    return from_bits(dtype, few | draw.integers(0, 2, size, dtype=np.uint64) << np.uint64(format.width - 1))


def specials(draw: Draw, dtype: str, size: int) -> Array:
    """NaNs with payloads, infinities and zeros, seldom or often, among ordinary numbers."""
    format = FORMATS[dtype]
    infinity, sign = format.infinity, format.sign_bit
    pool = [infinity, infinity | sign, 0, sign]
    if draw.integers(0, 2):
        pool += [infinity + 1, infinity | sign | 5, format.nan, format.nan | sign, format.nan | 1]
    special = _pool(
        draw, dtype, size, [int(b) for b in draw.permutation(np.array(pool, np.uint64))[: draw.integers(1, 5)]]
    )
    return np.where(draw.random(size) < draw.choice([0.05, 0.3, 0.9]), special, ordinary(draw, dtype, size))


def zeros(draw: Draw, dtype: str, size: int) -> Array:
    """Zeros of both signs, or of one."""
    sign = FORMATS[dtype].sign_bit
    return _pool(draw, dtype, size, [0, sign] if draw.integers(0, 2) else [sign])


def zeros_among_nans(draw: Draw, dtype: str, size: int) -> Array:
    """Zeros of both signs, NaN and infinities: outputs of -0.0 beside outputs of NaN."""
    format = FORMATS[dtype]
    others = [format.nan, format.infinity | format.sign_bit, 0]
    return _pool(draw, dtype, size, [format.sign_bit] * 4 + others[: int(draw.integers(1, 4))])


def underflowing(draw: Draw, dtype: str, size: int) -> Array:
    """Numbers whose squares, and products of two, are subnormal."""
    format = FORMATS[dtype]
    bias, square = 1 - format.smallest - format.fraction, format.smallest + format.fraction // 2
    middle = bias + square // 2
    return _scaled(draw, dtype, size, middle - format.fraction // 4 - 1, middle + format.fraction // 4 + 1)


def small_whole(draw: Draw, dtype: str, size: int) -> Array:
    """Small whole numbers, many ties."""
    return draw.integers(-4, 5, size).astype(NUMPY_DTYPES[dtype])


def constant(draw: Draw, dtype: str, size: int) -> Array:
    """One value everywhere."""
    return np.full(size, window(draw, dtype, 1)[0])


def huge(draw: Draw, dtype: str, size: int) -> Array:
    """The largest numbers, whose sums overflow on the way or for good."""
    format = FORMATS[dtype]
    most, sign = format.infinity - 1, format.sign_bit
    half_ulp = format.rounded(1, (most >> format.fraction) - 1 + format.smallest - 1)
    below = most - (1 << format.fraction)
    return _pool(
        draw, dtype, size, [most, most | sign, half_ulp, half_ulp | sign, half_ulp - 1, below, below | sign, 1]
    )


def exponents(draw: Draw, dtype: str, size: int) -> Array:
    """What e^x makes of them is neither all nor nothing: within a few hundred of each other."""
    spread = float(draw.choice([1e-3, 1.0, 30.0, 800.0]))
    return (draw.uniform(-spread, spread, size) + float(draw.choice([0, 0, -700, 700, 1e4]))).astype(
        NUMPY_DTYPES[dtype]
    )


def near_one(draw: Draw, dtype: str, size: int) -> Array:
    """A few ulps from 1, or small powers of two with a few ulps: products that stay in range, sums near 1."""
    format = FORMATS[dtype]
    one = format.rounded(1, 0)
    offsets = draw.integers(-8, 9, size) + (draw.integers(-2, 3, size) << format.fraction) * int(draw.integers(0, 2))
    return from_bits(dtype, (one + offsets).astype(np.uint64))


def unit_sums(draw: Draw, dtype: str, size: int) -> Array:
    """1, -1, fractions and tiny elements: logarithms of sums next to 1."""
    far = int(draw.integers(1, 140))
    return _pool(
        draw, dtype, size, _powers(dtype, (1, 0), (-1, 0), (1, 0), (1, -1), (1, -far), (-1, -far), (3, -2), (1, -2))
    )


def finite(values: Array) -> Array:
    """Which elements are neither NaN nor infinite."""
    with np.errstate(invalid="ignore"):  # a signalling NaN that widens
        return np.isfinite(values.astype(np.float64))


Sample = Callable[[Draw, str, int], Array]
FLOATS: dict[str, Sample] = {
    sample.__name__: sample
    for sample in (
        any_bits, every_exponent, window, ordinary, cancelling, midpoints, norms, subnormals, specials, zeros,
        zeros_among_nans, underflowing, small_whole, constant, huge, exponents, near_one, unit_sums,
    )
}  # fmt: skip


def any_integers(draw: Draw, dtype: str, size: int) -> Array:
    """The whole range alike."""
    low, high = bounds(dtype)
    return draw.integers(low, high, size, dtype=NUMPY_DTYPES[dtype], endpoint=True)


def extremes(draw: Draw, dtype: str, size: int) -> Array:
    """The ends of the range, its middle, and their neighbours."""
    low, high = bounds(dtype)
    pool = [low, low + 1, high, high - 1, 0, 1, max(low, -1), (low + high) // 2, high // 3]
    return draw.choice(np.array(pool, NUMPY_DTYPES[dtype]), size)


def few(draw: Draw, dtype: str, size: int) -> Array:
    """Small numbers, many ties."""
    low, high = bounds(dtype)
    return draw.integers(max(low, -3), min(high, 3), size, dtype=NUMPY_DTYPES[dtype], endpoint=True)


def hundreds(draw: Draw, dtype: str, size: int) -> Array:
    """Within a few hundred of each other: what the cut of LogSumExp sees; anywhere in the range."""
    low, high = bounds(dtype)
    span = min(int(draw.choice([3, 50, 150, 300])), high - low)
    starts = (low, max(low, -span), max(low, -span // 2), high - span)
    start = starts[int(draw.integers(len(starts)))]
    return draw.integers(start, start + span, size, dtype=NUMPY_DTYPES[dtype], endpoint=True)


def powers(draw: Draw, dtype: str, size: int) -> Array:
    """Powers of two and their neighbours: products that wrap to little, squares that carry."""
    low, high = bounds(dtype)
    pool = {(sign << k) + step for k in range(high.bit_length()) for sign in (1, -1) for step in (-1, 0, 1)}
    return draw.choice(np.array(sorted(x for x in pool if low <= x <= high), NUMPY_DTYPES[dtype]), size)


def same(draw: Draw, dtype: str, size: int) -> Array:
    """One value everywhere."""
    return np.full(size, extremes(draw, dtype, 1)[0])


INTEGERS: dict[str, Sample] = {
    sample.__name__: sample for sample in (any_integers, extremes, few, hundreds, powers, same)
}


def booleans(draw: Draw, dtype: str, size: int) -> Array:
    """Seldom or often true."""
    return np.array(draw.random(size) < draw.choice([0.0, 0.1, 0.5, 0.9, 1.0]), NUMPY_DTYPES[dtype])


def samples(dtype: str) -> dict[str, Sample]:
    """The kinds of elements there are for a dtype."""
    if dtype == "bool":
        return {"booleans": booleans}
    return FLOATS if dtype in FORMATS else INTEGERS
