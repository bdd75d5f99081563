"""exp and log from +, − and × alone, so that they are functions of their argument on every machine.

NumPy's own are not: which vector loop an element falls into decides its last bit. Both here look up the nearest point
of a table that is made of integers at import, and add a polynomial for the small rest (Tang, "Table-driven
implementation of the exponential function in IEEE floating-point arithmetic", 1989, and of the logarithm, 1990).
"""

import numpy as np

from app.kernels.double_double import from_fixed, quick_two_sum, two_product, two_sum
from app.kernels.rounding import Floats, Integers
from app.kernels.scratch import Scratch

# --- the exponential -------------------------------------------------------------------------------------------------

WIDTH = 16
"""Exponentials are of -WIDTH / 2 <= x <= WIDTH / 2."""

COARSE, FINE = -30, -72
"""The units, as powers of two, of the digits an exponential is given in."""

# Adding 1.5 * 2^(52 + u) to a number below 2^(51 + u) rounds it to a multiple of 2^u, which the bits of the sum count.
_STEP = -10
_TO_STEP = 1.5 * 2.0 ** (52 + _STEP)
_TO_COARSE = 1.5 * 2.0 ** (52 + COARSE)
_TO_FINE = 1.5 * 2.0 ** (52 + FINE)

COARSE_BIAS = int(np.float64(_TO_COARSE).view(np.int64))
FINE_BIAS = int(np.float64(_TO_FINE).view(np.int64))
_STEP_BIAS = np.int64(np.float64(_TO_STEP).view(np.int64)) - np.int64(WIDTH // 2 << -_STEP)

# e^s − 1 = s * (c1 + s * (1/2 + s * (c3 + s / 24))) for |s| <= h = 2^-11: Taylor's polynomial of degree 5 with s^5
# replaced by (5/4) h^2 s^3 − (5/16) h^4 s, which is within h^5 / 16 of it (Chebyshev). The error is below 2^-65.
_H = 2.0 ** (_STEP - 1)
_C4, _C3, _C2, _C1 = 1 / 24, 1 / 6 + (5 / 4) * _H**2 / 120, 1 / 2, 1 - (5 / 16) * _H**4 / 120


def _exponential_table() -> tuple[Floats, Floats]:
    """e^(N 2^_STEP) for all N there are as head + tail; the head a multiple of 2^COARSE, plus _TO_COARSE.

    Products of e^(i/32) and e^(j/1024) in double-double: within 2^-103 of themselves.
    """
    coarse, fine = np.arange(-256, 257), np.arange(32)
    (a, b), (c, d) = (powers(coarse, 32), powers(fine, 1024))
    high, low = two_product(np.repeat(a, 32), np.tile(c, len(a)))
    low += np.repeat(a, 32) * np.tile(d, len(a)) + np.repeat(b, 32) * np.tile(c, len(a))
    head = high + _TO_COARSE
    tail = (high - (head - _TO_COARSE)) + low
    entries = (WIDTH << -_STEP) + 1
    return head[:entries].copy(), tail[:entries].copy()


def powers(numbers: Integers, denominator: int, point: int = 256) -> tuple[Floats, Floats]:
    """e^(n / denominator) for consecutive integers n, as double-doubles."""
    one = 1 << point
    step, term, k = one, one, 1
    while term:
        term //= k * denominator
        step, k = step + term, k + 1
    power = one
    for _ in range(abs(int(numbers[0]))):
        power = power * step >> point
    if numbers[0] < 0:
        power = one * one // power
    pairs = []
    for _ in numbers:
        pairs.append(from_fixed(power, point))
        power = power * step >> point
    table = np.array(pairs).T.copy()
    return table[0], table[1]


_HEADS, _TAILS = _exponential_table()


def exponential(x: Floats, of: int, scratch: Scratch) -> tuple[Integers, Integers]:
    """e^(x − WIDTH * of), where the exponent is within WIDTH / 2 of 0 and |x| < 2^40, in the first arrays
    of a scratch of four or more.

    It is (coarse − COARSE_BIAS) * 2^COARSE + (fine − FINE_BIAS) * 2^FINE. Without their biases coarse is below 2^42 and
    fine at most 2^41 in size, so integer sums of a million are exact. The result depends on x − WIDTH * of alone.

    Error, relative to e^x: 2^-63 from rounding e^s − 1, 2^-64 each from its product with the head and its sum with the
    tail, 2^-65 from the polynomial; and in absolute terms 2^-73 from the last digit, at e^-8 another 2^-61.4. Together
    at most 2^-60.3. The distance s of x from a table point is exact, and so is all that follows the sum with the tail.
    """
    sums, s, p, tail = scratch.shaped(x.shape)[:4]
    np.add(x, _TO_STEP, out=sums)
    np.subtract(sums, _TO_STEP, out=s)
    np.subtract(x, s, out=s)
    index = sums.view(np.int64)
    index -= _STEP_BIAS + np.int64((of * WIDTH) << -_STEP)
    np.multiply(s, _C4, out=p)
    p += _C3
    p *= s
    p += _C2
    p *= s
    p += _C1
    p *= s
    head = s
    np.take(_HEADS, index, out=head, mode="clip")
    np.take(_TAILS, index, out=tail, mode="clip")
    power = sums
    np.subtract(head, _TO_COARSE, out=power)
    power += tail
    p *= power
    p += tail
    coarse = sums
    np.add(head, p, out=coarse)
    np.subtract(coarse, head, out=head)
    p -= head
    p += _TO_FINE
    return coarse.view(np.int64), p.view(np.int64)


# --- the logarithm ---------------------------------------------------------------------------------------------------

_FRACTION_BITS = 52
_ONE = np.int64(1023 << _FRACTION_BITS)
_FRACTION = np.int64((1 << _FRACTION_BITS) - 1)
_HALF_INDEX = np.int64(1 << (_FRACTION_BITS - 9))
# The leading bits of a mantissa: with an inverse of 12 bits they make an exact product.
_LEADING = np.int64(-1 << 16)
_POINT = 192


def _logarithm_tables() -> tuple[Floats, Integers, Floats, Floats, float, float]:
    """For the mantissas nearest to c = 1 + j/256: n/2048 near 1/c, a power of two, and the log that is left; ln 2.

    log(c) is about up * ln 2 + log(2048/n) − up * ln 2. From √2 on `up` is 1, so every number near 1, from either side,
    has the logarithm 0 + log1p. log((n + 1)/n) = 2 atanh(1/(2n + 1)) in fixed point sums up to log(n/1024).
    """
    logs = [0]
    for n in range(1024, 2048):
        odd = 2 * n + 1
        power, total, k = (2 << _POINT) // odd, 0, 1
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
    pairs = np.array([from_fixed(rest, _POINT) for rest in left]).T.copy()
    # The first part of ln 2 has 32 bits: times a power of two below 2^21 it is exact.
    first = log2 >> (_POINT - 32)
    second = from_fixed(log2 - (first << (_POINT - 32)), _POINT)[0]
    return inverse / 2048, up, pairs[0], pairs[1], first / 2.0**32, second


_INVERSES, _UP, _LOGS, _LOG_TAILS, _LN2, _LN2_TAIL = _logarithm_tables()


def log_pair(high: Floats, low: Floats, exponent: Integers | int) -> tuple[Floats, Floats]:
    """log((high + low) * 2^exponent) as a double-double, for normal high > 0, |low| <= ulp(high)/2, |exponent| < 2^20.

    Within 2^-68 of itself, near 1 too, and within 2^-76 + 2^-84 |log| in absolute terms. With m the mantissa,
    r = m * n/2048 − 1 is at most 2^-8.6 in size and known to 2^-105; log1p(r) = r − r²/2 + r³ (1/3 − … − r⁵/8), with r
    and r² in double-double. Of r³/3 float64 is enough: a few times 2^-53 of it are 2^-76, and 2^-69 of r; the first
    term left out, r⁹/9, is 2^-72 of r. Where log c comes in, the result is above 2^-9.2.
    """
    bits = high.view(np.int64)
    fraction = bits & _FRACTION
    own = (bits >> _FRACTION_BITS) - 1023
    index = (fraction + _HALF_INDEX) >> _FRACTION_BITS - 8
    powers = own + exponent + _UP[index]
    inverse = _INVERSES[index]
    fraction |= _ONE
    mantissa = fraction.view(np.float64)
    leading: Floats = (fraction & _LEADING).view(np.float64)
    r, error = two_sum(leading * inverse - 1.0, (mantissa - leading) * inverse)
    r, error = quick_two_sum(r, error + np.ldexp(low, -own) * inverse)
    square, rest = two_product(r, r)
    q = 1 / 3 - r * (1 / 4 - r * (1 / 5 - r * (1 / 6 - r * (1 / 7 - r / 8))))
    total, tail = two_sum(powers * _LN2, _LOGS[index])
    total, carry = two_sum(total, r)
    tail += carry
    total, carry = two_sum(total, -0.5 * square)
    tail += carry
    tail += powers * _LN2_TAIL + _LOG_TAILS[index]
    tail += (error - error * r) + (r * square * q - 0.5 * rest)
    return quick_two_sum(total, tail)
