"""exp from +, − and × alone, so that it is a function of its argument on every machine.

NumPy's own is not: which vector loop an element falls into decides its last bit. Here the nearest point of a table,
made of integers at import, is looked up and a polynomial added for the small rest (Tang, "Table-driven implementation
of the exponential function in IEEE floating-point arithmetic", 1989).
"""

import numpy as np

from app.kernels.elementary.double_double import from_fixed, two_product
from app.kernels.rounding import Floats, Integers
from app.kernels.scratch import Scratch

INTERVAL = 16
"""The length of the interval -8 <= x <= 8 that exponentials are of."""

COARSE_UNIT, FINE_UNIT = -30, -72
"""The units, as powers of two, of the digits an exponential is given in."""

# From one point of the table to the next: 2^-10. Adding 1.5 * 2^(52 + u) to a number below 2^(51 + u) rounds it to a
# multiple of 2^u, which the bits of the sum count.
_STEP_UNIT = -10
_TO_STEP = 1.5 * 2.0 ** (52 + _STEP_UNIT)
_TO_COARSE = 1.5 * 2.0 ** (52 + COARSE_UNIT)
_TO_FINE = 1.5 * 2.0 ** (52 + FINE_UNIT)

COARSE_BIAS = int(np.float64(_TO_COARSE).view(np.int64))
FINE_BIAS = int(np.float64(_TO_FINE).view(np.int64))
_STEP_BIAS = np.int64(np.float64(_TO_STEP).view(np.int64)) - np.int64(INTERVAL // 2 << -_STEP_UNIT)

# e^s − 1 = s * (c1 + s * (1/2 + s * (c3 + s / 24))) for |s| <= h = 2^-11: Taylor's polynomial of degree 5 with s^5
# replaced by (5/4) h^2 s^3 − (5/16) h^4 s, which is within h^5 / 16 of it (Chebyshev). The error is below 2^-65.
_H = 2.0 ** (_STEP_UNIT - 1)
_C4, _C3, _C2, _C1 = 1 / 24, 1 / 6 + (5 / 4) * _H**2 / 120, 1 / 2, 1 - (5 / 16) * _H**4 / 120


def _exponential_table() -> tuple[Floats, Floats]:
    """e^(N 2^_STEP_UNIT) for all N there are as head + tail; the head a multiple of 2^COARSE_UNIT, plus _TO_COARSE.

    Products of e^(i/32) and e^(j/1024) in double-double: within 2^-103 of themselves.
    """
    coarse, fine = np.arange(-256, 257), np.arange(32)
    (a, b), (c, d) = (powers(coarse, 32), powers(fine, 1024))
    high, low = two_product(np.repeat(a, 32), np.tile(c, len(a)))
    low += np.repeat(a, 32) * np.tile(d, len(a)) + np.repeat(b, 32) * np.tile(c, len(a))
    head = high + _TO_COARSE
    tail = (high - (head - _TO_COARSE)) + low
    entries = (INTERVAL << -_STEP_UNIT) + 1
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
    """e^(x − INTERVAL * of), where the exponent is within INTERVAL / 2 of 0 and |x| < 2^40, in the first arrays of a
    scratch of four or more.

    It is (coarse − COARSE_BIAS) * 2^COARSE_UNIT + (fine − FINE_BIAS) * 2^FINE_UNIT. Without their biases coarse is
    below 2^42 and fine at most 2^41 in size, so integer sums of a million are exact. The result depends on
    x − INTERVAL * of alone.

    Error, relative to e^x: 2^-63 from rounding e^s − 1, 2^-64 each from its product with the head and its sum with the
    tail, 2^-65 from the polynomial; and in absolute terms 2^-73 from the last digit, at e^-8 another 2^-61.4. Together
    at most 2^-60.3. The distance s of x from a table point is exact, and so is all that follows the sum with the tail.
    """
    sums, s, p, tail = scratch.shaped(x.shape)[:4]
    np.add(x, _TO_STEP, out=sums)
    np.subtract(sums, _TO_STEP, out=s)
    np.subtract(x, s, out=s)
    index = sums.view(np.int64)
    index -= _STEP_BIAS + np.int64((of * INTERVAL) << -_STEP_UNIT)
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


_STEPS_IN_ONE, _COARSE_IN_ONE, _FINE_IN_ONE = 2.0**-_STEP_UNIT, 2.0**-COARSE_UNIT, 2.0**-FINE_UNIT
_INDEX_OF_ZERO = INTERVAL // 2 << -_STEP_UNIT
_HEAD_LIST: list[float] = _HEADS.tolist()
_TAIL_LIST: list[float] = _TAILS.tolist()


def exponentials_of(numbers: list[float]) -> list[int]:
    """e^x in units of 2^FINE_UNIT for each |x| <= INTERVAL / 2: the steps of `exponential` with Python's floats, to the
    same bits and, for a few, at less cost."""
    to_step, to_coarse, to_fine = _TO_STEP, _TO_COARSE, _TO_FINE
    c1, c2, c3, c4 = _C1, _C2, _C3, _C4
    found: list[int] = []
    for x in numbers:
        step = (x + to_step) - to_step
        index = int(step * _STEPS_IN_ONE) + _INDEX_OF_ZERO
        head, tail = _HEAD_LIST[index], _TAIL_LIST[index]
        s = x - step
        p = (((s * c4 + c3) * s + c2) * s + c1) * s * ((head - to_coarse) + tail) + tail
        coarse = head + p
        fine = (p - (coarse - head)) + to_fine
        found.append(
            (int((coarse - to_coarse) * _COARSE_IN_ONE) << COARSE_UNIT - FINE_UNIT)
            + int((fine - to_fine) * _FINE_IN_ONE)
        )
    return found
