"""Prod of floats: mantissas multiplied in double-double, exponents added apart, the sign carried by the mantissas.

Error. Every element is a mantissa of at most 53 bits, 1 <= |m| < 2, times a power of two, so nothing overflows or
underflows on the way however far the product strays. A double-double product is within 5 * 2^-106 of itself and n
factors need n - 1 of them, so the state is within about n * 2^-103 of the exact product; one rounding follows. For any
tensor that fits in a memory that is far below half an ulp: the answer is within 1 ulp, and correctly rounded unless
the product comes that near to a midpoint. Midpoints themselves are met exactly: a product that is one has an odd part
below 2^54, so have all its partial products, and those are never rounded.

Caution. Double-double products are associative only up to that error. Cut another way, the state may differ in its
last bits (of 106), and the answer only where a midpoint lies between: a chance of about n * 2^-49 for float64, and far
more for factors within a few ulps of 1, as (1 + 2u)(1 - u)(1 + 2u) is 2^-157 off one. Outputs of few elements that are
seen whole are therefore multiplied exactly where double-double puts them that near to a midpoint.

Of narrower floats that are seen whole, float64 decides nearly all (see `product_estimates`), double-double the others.
"""

from math import copysign, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.exact.deciding import put_exact_in
from app.kernels.exact.gathering import ELEMENTS_PER_OUTPUT
from app.kernels.few import ELEMENTS, product_of, rounded, rows
from app.kernels.floats import product_estimates
from app.kernels.floats.mantissas import BIAS, FRACTION_BITS, INFINITE, ZERO, Products
from app.kernels.floats.multiplication import SLAB_ELEMENTS, Multiplication
from app.kernels.kernel import OUTPUTS, Box, elements_of, filled, quiet
from app.kernels.regions import cuts, regions
from app.kernels.rounding import (
    FLOAT_FORMATS,
    Floats,
    Integers,
    leading_bits,
    round_one,
    round_pair,
    round_scaled,
    rounds_alike,
)

# Outputs that are finished in one go.
_OUTPUTS_TOGETHER = 1 << 13
# What a factor may add to the error of a product, in units of half its last bit.
_PRODUCT_ERROR = 2.0**-48
# Exponents with which neither half of a double-double leaves the normal range.
_MODERATE_EXPONENT = 900


class Product:
    """Prod of one float dtype."""

    min_threads = 3
    outputs_at_once = OUTPUTS

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype

    def identity(self, outputs: int) -> Products:
        return Products.ones(outputs)

    def partial(self, box: Box, first: int = 0) -> Products:
        o, _, i, _ = box.shape
        multiplication = Multiplication(box.size, FLOAT_FORMATS[self._dtype].precision)
        state = self.identity(o * i)
        with np.errstate(invalid="ignore"):  # signalling NaN
            if box.size <= SLAB_ELEMENTS:
                return multiplication.products(box)
            for a, b, pieces in regions(box.shape, SLAB_ELEMENTS, ELEMENTS_PER_OUTPUT):
                for piece in pieces:
                    state.merge(multiplication.products(box[piece]), a.start * i + b.start)
        return state

    def finish(self, state: Products, count: int) -> NDArray[Any]:
        results = np.empty(len(state.high), self._dtype)
        for part in cuts(len(results), _OUTPUTS_TOGETHER):
            results[part] = _rounded(state.high[part], state.low[part], state.exponent[part], self._dtype)
        if state.seen.any():
            zero, infinite = state.seen == ZERO, state.seen == INFINITE
            results[zero] = np.copysign(0.0, state.high[zero])
            results[infinite] = np.copysign(np.inf, state.high[infinite])
            results[state.seen > INFINITE] = FLOAT_FORMATS[self._dtype].quiet_nan
        return results

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        few = rows(box)
        if few is not None:
            return filled(into, rounded([_of_few(row, self._dtype) for row in few], self._dtype))
        return filled(into, self._precisely(box) if self._dtype == np.float64 else self._narrowly(box))

    @quiet
    def _narrowly(self, box: Box) -> NDArray[Any]:
        """By float64, where that decides."""
        tentative = product_estimates.tentative(box)
        if tentative is None:
            return self._precisely(box)
        outputs, undecided = tentative
        put_exact_in(box, outputs, undecided, self._precisely)
        return outputs

    def _precisely(self, box: Box) -> NDArray[Any]:
        count = box.shape[1] * box.shape[3]
        state = self.partial(box)
        outputs = self.finish(state, count)
        if count <= ELEMENTS and self._dtype == np.float64:  # of narrower ones, so few give no such products
            doubtful = np.flatnonzero(_near_midpoint(state, count))
            exact = elements_of(box, doubtful).reshape(-1, count).tolist()
            outputs[doubtful] = [_of_few(row, self._dtype) for row in exact]
        return outputs

    def empty(self) -> np.generic:
        one: np.generic = self._dtype.type(1)
        return one

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        return values


def product(dtype: np.dtype[Any]) -> Product:
    """Prod of float16, bfloat16, float32 or float64."""
    return Product(dtype)


def _near_midpoint(state: Products, count: int) -> NDArray[np.bool_]:
    """Which of some float64 products may lie on either side of a midpoint, 2^-53 from `high`, or 2^-54 below 1."""
    rest, slack = np.abs(state.low), count * _PRODUCT_ERROR
    near: NDArray[np.bool_] = rest >= (1 - slack) * 2.0**-53
    of_one = np.abs(state.high) == 1
    if of_one.any():
        near |= of_one & (np.abs(rest * 2.0**54 - 1) <= slack)
    return near & (state.seen == 0)


def _of_few(row: list[float], dtype: np.dtype[Any]) -> float:
    """The product of a few finite numbers, from the exact one where float64 does not decide."""
    if dtype.itemsize < 8 and (result := _about_few(row, dtype)) is not None:
        return result
    product, exponent = product_of(row)
    size = round_one(*leading_bits(abs(product), 1, exponent), dtype) if product else 0.0
    return copysign(size, prod([copysign(1.0, x) for x in row]))


def _about_few(row: list[float], dtype: np.dtype[Any]) -> float | None:
    """The product in a narrow dtype by float64, if that neither strays from its range on the way nor is left open."""
    reach = 2.0 ** (_MODERATE_EXPONENT // len(row))
    sizes = list(map(abs, row))
    if min(sizes) < 1 / reach or max(sizes) > reach:
        return None
    about = prod(row)
    return about if rounds_alike(about, abs(about) * len(row) * 2.0**-52, dtype) else None


def _rounded(high: Floats, low: Floats, exponent: Integers, dtype: np.dtype[Any]) -> NDArray[Any]:
    if np.abs(exponent).max() > _MODERATE_EXPONENT:
        return round_scaled(high, low, exponent, dtype)
    scale = ((exponent + BIAS) << FRACTION_BITS).view(np.float64)
    return round_pair(high * scale, low * scale, dtype)
