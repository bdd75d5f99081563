"""floor(log x) without a doubt, by comparison with powers of e.

No power of e but 1 is an integer, or a sum of other powers with integer coefficients (e is transcendental), so a
comparison is never a tie and enough digits decide it.
"""

from bisect import bisect_right
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.kernels.integers.wide import Int64s

_EXPONENTS = range(1, 89)
"""Up to e^88, which is beyond 2^126: the sum of 2^62 elements of 64 bits."""

_POWER_BITS = 64
"""Bits of the powers of e below the binary point."""

_FEW_POWERS = 8
"""Powers of e that numbers are compared with one after the other."""

_DOUBT = 1e-11
"""Far more than a computed logarithm of 64 bits is off by: so near to an integer, comparison decides."""


@cache
def scaled_power(exponent: int, bits: int) -> int:
    """e^exponent · 2^bits to within 2, for exponents of up to some hundreds in size."""
    if exponent < 0:
        return (1 << 2 * bits) // scaled_power(-exponent, bits)
    precision = bits + 2 * exponent + 32  # e^exponent is below 2^(1.5 exponent), and adds the errors of as many factors
    e, term, factor = 0, 1 << precision, 1
    while term:
        e += term
        term //= factor
        factor += 1
    return e**exponent >> precision * exponent - bits if exponent else 1 << bits


POWERS = [(scaled_power(exponent, _POWER_BITS) >> _POWER_BITS) + 1 for exponent in _EXPONENTS]
"""The least integers above e, e^2, …: an integer at or above POWERS[k - 1] has a logarithm of at least k."""

REAL_POWERS = [scaled_power(exponent, _POWER_BITS) / (1 << _POWER_BITS) for exponent in _EXPONENTS]
"""The powers themselves, rounded."""


def _binades(powers: list[Any], exponents: int, dtype: type[np.generic]) -> tuple[Int64s, NDArray[Any]]:
    """By the exponent of a number: the log of 2^exponent, cut, and from which number on it is one more.

    A binade holds one power of e at most, for the logarithms of its ends are 0.69 apart.
    """
    floors = [bisect_right(powers, 1 << exponent) for exponent in range(exponents)]
    return np.array(floors, np.int64), np.array([powers[k] for k in floors], dtype)


_FLOORS, _NEXT_POWERS = _binades(POWERS, 64, np.uint64)
_REAL_FLOORS, _NEXT_REALS = _binades(REAL_POWERS, 127, np.float64)


def _exponents(values: NDArray[np.float64]) -> Int64s:
    """k where 2^k <= value < 2^(k + 1)."""
    exponents = values.view(np.int64) >> 52
    exponents -= 1023
    return exponents


def floor_log(estimate: NDArray[np.float64], error: float, exact: Callable[[int], int]) -> NDArray[Any]:
    """floor(log x) of numbers x known to within `error` · x, and 0 for x < 1; `exact(k)` answers for x[k] where that
    leaves two. `error` is far less than what lies between a power of e and one of 2."""
    floors: NDArray[Any]
    others: NDArray[Any]
    powers = REAL_POWERS[: bisect_right(REAL_POWERS, float(estimate.max()) * (1 + error))]
    below, above = 1 - error, 1 + error
    if len(powers) <= _FEW_POWERS:
        floors, others = (_passed(estimate, [power / side for power in powers]) for side in (below, above))
    else:
        values = np.maximum(estimate, 1)
        exponents = _exponents(values)
        others = _REAL_FLOORS.take(exponents)
        powers_of_binades = _NEXT_REALS.take(exponents)
        floors = others + np.greater_equal(values * below, powers_of_binades)
        others += np.greater_equal(values * above, powers_of_binades)
    for k in np.flatnonzero(floors != others).tolist():
        floors[k] = exact(k)
    return floors


def floor_log_integers(values: NDArray[Any]) -> NDArray[Any]:
    """floor(log x) of positive integers, of any integer dtype."""
    least = bisect_right(POWERS, int(values.min(initial=np.iinfo(values.dtype).max)))
    powers = POWERS[least : bisect_right(POWERS, int(values.max(initial=1)))]
    if len(powers) <= (_FEW_POWERS if values.itemsize > 2 else 2 * _FEW_POWERS):
        return _passed(values, powers, least)
    logs = np.log(values, dtype=np.float64)
    floors = logs.astype(np.int64)
    logs -= floors
    if logs.min() < _DOUBT or logs.max() > 1 - _DOUBT:
        near = (logs < _DOUBT) | (logs > 1 - _DOUBT)
        floors[near] = _by_binade(values[near])
    return floors


def _by_binade(values: NDArray[Any]) -> Int64s:
    """The same by comparison: each with the power of its binade."""
    # What float64 rounds up to the next binade lies next to a power of two, and no power of e is as near to one.
    exponents = np.minimum(_exponents(values.astype(np.float64)), 63)
    floors = _FLOORS.take(exponents)
    floors += np.greater_equal(values.astype(np.uint64), _NEXT_POWERS.take(exponents))
    return floors


def _passed(values: NDArray[Any], powers: list[Any], least: int = 0) -> NDArray[np.uint8]:
    """How many of the powers are no larger than each value, and `least` more."""
    passed = np.full(values.shape, least, np.uint8)
    for power in powers:
        passed += np.greater_equal(values, values.dtype.type(power)).view(np.uint8)
    return passed
