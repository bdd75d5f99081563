"""log from +, − and × alone, so that it is a function of its argument on every machine.

NumPy's own is not: which vector loop an element falls into decides its last bit. Here the nearest point of a table,
made of integers at import, is looked up and a polynomial added for the small rest (Tang, "Table-driven implementation
of the logarithm function in IEEE floating-point arithmetic", 1990).
"""

from math import frexp, ldexp

import numpy as np

from app.kernels.elementary.double_double import (
    Number,
    from_fixed,
    quick_two_sum,
    two_product,
    two_product_of_one,
    two_sum,
)
from app.kernels.rounding import Floats, Integers

_FRACTION_BITS = 52
_EXPONENT_OF_ONE = np.int64(1023 << _FRACTION_BITS)
_FRACTION_MASK = np.int64((1 << _FRACTION_BITS) - 1)
_HALF_INDEX = np.int64(1 << (_FRACTION_BITS - 9))
# The leading bits of a mantissa: with an inverse of 12 bits they make an exact product.
_LEADING_MASK = np.int64(-1 << 16)
# Of the logarithms in fixed point below the binary point: far more than a double-double keeps.
_POINT_BITS = 192


def _logarithm_tables() -> tuple[Floats, Integers, Floats, Floats, float, float]:
    """For the mantissas nearest to c = 1 + j/256: n/2048 near 1/c, a power of two, and the log that is left; ln 2.

    log(c) is about up * ln 2 + log(2048/n) − up * ln 2. From √2 on `up` is 1, so every number near 1, from either side,
    has the logarithm 0 + log1p. log((n + 1)/n) = 2 atanh(1/(2n + 1)) in fixed point sums up to log(n/1024).
    """
    logs = [0]
    for n in range(1024, 2048):
        odd = 2 * n + 1
        power, total, k = (2 << _POINT_BITS) // odd, 0, 1
        while power:
            total += power // k
            power //= odd * odd
            k += 2
        logs.append(logs[-1] + total)
    log2 = logs[-1]
    centre = 1 + np.arange(257) / 256
    inverse = np.rint(2048 / centre).astype(np.int64)
    up = (centre * centre >= 2).astype(np.int64)
    left = [log2 - logs[n - 1024] - k * log2 for n, k in zip(inverse.tolist(), up.tolist(), strict=True)]
    pairs = np.array([from_fixed(rest, _POINT_BITS) for rest in left]).T.copy()
    # The first part of ln 2 has 32 bits: times a power of two below 2^21 it is exact.
    first = log2 >> (_POINT_BITS - 32)
    second = from_fixed(log2 - (first << (_POINT_BITS - 32)), _POINT_BITS)[0]
    return inverse / 2048, up, pairs[0], pairs[1], first / 2.0**32, second


_INVERSES, _UP, _LOGS, _LOG_TAILS, _LN2, _LN2_TAIL = _logarithm_tables()

_INVERSE_LIST: list[float] = _INVERSES.tolist()
_UP_LIST: list[int] = _UP.tolist()
_LOG_LIST: list[float] = _LOGS.tolist()
_LOG_TAIL_LIST: list[float] = _LOG_TAILS.tolist()


def log_pair(high: Floats, low: Floats, exponent: Integers | int) -> tuple[Floats, Floats]:
    """log((high + low) * 2^exponent) as a double-double, for normal high > 0, |low| <= ulp(high)/2, |exponent| < 2^20.

    Within 2^-68 of itself, near 1 too, and within 2^-76 + 2^-84 |log| in absolute terms. With m the mantissa,
    r = m * n/2048 − 1 is at most 2^-8.6 in size and known to 2^-105; log1p(r) = r − r²/2 + r³ (1/3 − … − r⁵/8), with r
    and r² in double-double. Of r³/3 float64 is enough: a few times 2^-53 of it are 2^-76, and 2^-69 of r; the first
    term left out, r⁹/9, is 2^-72 of r. Where log c comes in, the result is above 2^-9.2.
    """
    bits = high.view(np.int64)
    fraction = bits & _FRACTION_MASK
    own = (bits >> _FRACTION_BITS) - 1023
    index = (fraction + _HALF_INDEX) >> _FRACTION_BITS - 8
    fraction |= _EXPONENT_OF_ONE
    mantissa = fraction.view(np.float64)
    leading = (fraction & _LEADING_MASK).view(np.float64)
    r, error = _rest(leading, mantissa, np.ldexp(low, -own), _INVERSES[index])
    return _log1p(
        r, error, two_product(r, r), (own + exponent + _UP[index]).astype(np.float64), _LOGS[index], _LOG_TAILS[index]
    )


def log_of_one(high: float, low: float, exponent: int) -> tuple[float, float]:
    """The same for one number, to the same bits at less cost."""
    half, own = frexp(high)
    mantissa, own = 2 * half, own - 1
    fraction = int((mantissa - 1.0) * 2.0**_FRACTION_BITS)
    index = (fraction + int(_HALF_INDEX)) >> _FRACTION_BITS - 8
    inverse = _INVERSE_LIST[index]
    leading = 1.0 + (fraction & int(_LEADING_MASK)) * 2.0**-_FRACTION_BITS
    r, error = _rest(leading, mantissa, ldexp(low, -own), inverse)
    powers = float(own + exponent + _UP_LIST[index])
    return _log1p(r, error, two_product_of_one(r, r), powers, _LOG_LIST[index], _LOG_TAIL_LIST[index])


def _rest(leading: Number, mantissa: Number, low: Number, inverse: Number) -> tuple[Number, Number]:
    """r = (mantissa + low) * inverse − 1 as a double-double."""
    r, error = two_sum(leading * inverse - 1.0, (mantissa - leading) * inverse)
    return quick_two_sum(r, error + low * inverse)


def _log1p(
    r: Number, error: Number, squared: tuple[Number, Number], powers: Number, log: Number, log_tail: Number
) -> tuple[Number, Number]:
    """powers * ln 2 + log + log1p(r); `squared` is r² as a double-double."""
    square, rest = squared
    q = 1 / 3 - r * (1 / 4 - r * (1 / 5 - r * (1 / 6 - r * (1 / 7 - r / 8))))
    total, tail = two_sum(powers * _LN2, log)
    total, carry = two_sum(total, r)
    tail += carry
    total, carry = two_sum(total, -0.5 * square)
    tail += carry
    tail += powers * _LN2_TAIL + log_tail
    tail += (error - error * r) + (r * square * q - 0.5 * rest)
    return quick_two_sum(total, tail)
