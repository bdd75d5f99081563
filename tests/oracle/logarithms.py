"""LogSum and LogSumExp: real values from mpmath at ample precision, and the answers their promise allows.

A float64 answer may be one ulp away (LogSumExp: or 2**-52, if that is larger). A narrower answer is such a
float64 rounded to its dtype: correctly rounded, but for ties no double can see.
"""

from collections import Counter
from typing import Any

from mpmath import libmp

from tests.oracle.floats import Allowed, exact_sum, has_nan, infinite_sum, only
from tests.oracle.formats import FORMATS, Format

PRECISION = 200
INTEGER_PRECISION = 500
DOUBLE = FORMATS["float64"]
DROPPED = 200
"""Integer LogSumExp counts terms that lie this many powers of two below the largest as 0."""


def log_sum(format: Format, row: list[int]) -> Allowed:
    special = infinite_sum(format, row)
    if special is not None:
        return only(format, format.infinity if special == format.infinity else format.nan)
    total, exponent = exact_sum(format, row)
    if total <= 0:
        return only(format, format.nan if total else format.infinity | format.sign_bit)
    return _near(format, libmp.mpf_log(libmp.from_man_exp(total, exponent), PRECISION))


def log_sum_exp(format: Format, row: list[int]) -> Allowed:
    if has_nan(format, row):
        return only(format, format.nan)
    if format.infinity in row:
        return only(format, format.infinity)
    terms = [bits for bits in row if not format.is_infinite(bits)]
    if len(terms) < 2:
        return only(format, terms[0] if terms else format.infinity | format.sign_bit)
    counts = Counter(format.parts(bits) for bits in terms)
    exact = {libmp.from_man_exp(*parts): count for parts, count in counts.items()}
    largest = libmp.from_man_exp(*format.parts(format.from_key(max(map(format.key, terms)))))
    excess = libmp.mpf_log(_sum_of_exponentials(exact, largest, libmp.from_int(-1000), PRECISION), PRECISION)
    return _near(format, libmp.mpf_add(largest, excess), least=-52)


def _sum_of_exponentials(counts: dict[Any, int], largest: Any, least: Any, precision: int) -> Any:
    """The sum of count * exp(x - largest), where terms with x - largest below `least` count as 0."""
    total = libmp.fzero
    for value, count in counts.items():
        distance = libmp.mpf_sub(value, largest)
        if libmp.mpf_ge(distance, least):
            term = libmp.mpf_exp(distance, precision)
            total = libmp.mpf_add(total, libmp.mpf_mul_int(term, count, precision), precision)
    return total


def _near(format: Format, value: Any, least: int | None = None) -> Allowed:
    """The answers allowed for a real value; `least`: an error of 2**least is always allowed."""
    sign, mantissa, exponent, length = value
    if not mantissa:
        return 0, 0
    mantissa = int(-mantissa if sign else mantissa)
    ulp = max(exponent + length - 1 - DOUBLE.fraction, DOUBLE.smallest)
    tolerance = ulp if least is None else max(ulp, least)
    shift = min(exponent, tolerance)
    centre, slack = mantissa << (exponent - shift), 1 << (tolerance - shift)
    if format is DOUBLE:
        low, high = format.rounded(centre - slack, shift, 1, "up"), format.rounded(centre + slack, shift, 1, "down")
    else:
        low, high = format.rounded(centre - slack, shift), format.rounded(centre + slack, shift)
    return format.key(low), format.key(high)


def integer_log_sum(total: int) -> int | None:
    """The logarithm of an exact integer sum, truncated; None where it has none."""
    return _floor(libmp.mpf_log(libmp.from_int(total), INTEGER_PRECISION)) if total > 0 else None


def integer_log_sum_exp(row: list[int]) -> int:
    """The real value truncated toward zero, after dropping what lies 2**-200 below the largest."""
    largest = max(row)
    counts = {libmp.from_int(value): count for value, count in Counter(row).items()}
    least = libmp.mpf_mul_int(libmp.mpf_ln2(INTEGER_PRECISION), -DROPPED, INTEGER_PRECISION)
    total = _sum_of_exponentials(counts, libmp.from_int(largest), least, INTEGER_PRECISION)
    excess = libmp.mpf_log(total, INTEGER_PRECISION)
    whole = largest + _floor(excess)
    # The excess is transcendental unless it is 0, so a negative value with an excess is never an integer.
    return whole + 1 if whole < 0 and excess != libmp.fzero else whole


def _floor(value: Any) -> int:
    return int(libmp.to_int(libmp.mpf_floor(value, INTEGER_PRECISION)))
