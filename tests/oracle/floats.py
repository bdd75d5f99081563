"""One set of floats, given by its bits, reduced exactly and rounded once.

Every function answers with a pair of keys (`Format.key`): the least and the greatest answer allowed, the same
wherever there is only one. Sets are never empty here.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

from tests.oracle.formats import Format

Allowed = tuple[int, int]

PRODUCT_ERROR = 100
"""Prod is allowed an error of n * 2**-PRODUCT_ERROR before its rounding; it is carried to about n * 2**-102."""


def only(format: Format, bits: int) -> Allowed:
    """The one answer allowed."""
    key = format.key(bits)
    return key, key


def has_nan(format: Format, row: list[int]) -> bool:
    unsigned, infinity = format.unsigned, format.infinity
    return any(bits & unsigned > infinity for bits in row)


def exact_sum(format: Format, row: list[int], power: int = 1, absolute: bool = False) -> tuple[int, int]:
    """(m, e) with m * 2**e the exact sum of the (absolute) values or squares."""
    by_exponent: defaultdict[int, int] = defaultdict(int)
    for mantissa, exponent in map(format.parts, row):
        by_exponent[exponent * power] += abs(mantissa) if absolute else mantissa**power
    low = min(by_exponent)
    return sum(mantissa << (exponent - low) for exponent, mantissa in by_exponent.items()), low


def infinite_sum(format: Format, row: list[int]) -> int | None:
    """Bits of a sum that is NaN or infinite because an element is; None where every element is finite."""
    unsigned, infinity = format.unsigned, format.infinity
    found = {bits for bits in row if bits & unsigned >= infinity}
    if not found:
        return None
    return found.pop() if found in ({infinity}, {infinity | format.sign_bit}) else format.nan


def mean(format: Format, row: list[int], count: int | None = None) -> Allowed:
    special = infinite_sum(format, row)
    if special is not None:
        return only(format, special)
    if all(bits == format.sign_bit for bits in row):
        return only(format, format.sign_bit)
    total, exponent = exact_sum(format, row)
    return only(format, format.rounded(total, exponent, len(row) if count is None else count))


def sum_(format: Format, row: list[int]) -> Allowed:
    return mean(format, row, count=1)


def _without_sign(format: Format, row: list[int]) -> list[int]:
    return [bits & format.unsigned for bits in row]


def l1(format: Format, row: list[int]) -> Allowed:
    return sum_(format, _without_sign(format, row))


def sum_square(format: Format, row: list[int]) -> Allowed:
    special = infinite_sum(format, _without_sign(format, row))
    return only(format, special if special is not None else format.rounded(*exact_sum(format, row, 2)))


def l2(format: Format, row: list[int]) -> Allowed:
    special = infinite_sum(format, _without_sign(format, row))
    return only(format, special if special is not None else format.rounded_root(*exact_sum(format, row, 2)))


def prod(format: Format, row: list[int]) -> Allowed:
    infinite = any(map(format.is_infinite, row))
    zero = any(bits & ~format.sign_bit == 0 for bits in row)
    if has_nan(format, row) or (infinite and zero):
        return only(format, format.nan)
    sign = format.sign_bit if sum(bits >= format.sign_bit for bits in row) & 1 else 0
    if infinite or zero:
        return only(format, sign | (format.infinity if infinite else 0))
    parts = [format.parts(bits) for bits in row]
    mantissa = _product([abs(mantissa) for mantissa, _ in parts])
    exponent = sum(exponent for _, exponent in parts) - PRODUCT_ERROR
    error = mantissa * (len(row) - 1)
    mantissa <<= PRODUCT_ERROR
    ends = (format.rounded(mantissa + slack, exponent) | sign for slack in (-error, error))
    low, high = sorted(map(format.key, ends))
    return low, high


def _product(factors: list[int]) -> int:
    """By halves, so that large integers meet large integers."""
    while len(factors) > 1:
        odd = [factors.pop()] if len(factors) & 1 else []
        factors = [a * b for a, b in zip(factors[::2], factors[1::2], strict=True)] + odd
    return factors[0]


def _extreme(choose: Callable[[Iterable[int]], int]) -> Callable[[Format, list[int]], Allowed]:
    def extreme(format: Format, row: list[int]) -> Allowed:
        if has_nan(format, row):
            return only(format, format.nan)
        key = choose(map(format.key, row))
        return key, key

    return extreme


minimum = _extreme(min)
maximum = _extreme(max)


def position_keys(format: Format, row: list[int], least: bool) -> list[int]:
    """Keys to look for the least or greatest in: zeros are equal, and all NaNs are beyond everything."""
    beyond = -(1 << format.width) if least else 1 << format.width
    zero = format.sign_bit
    return [beyond if format.is_nan(bits) else 0 if bits == zero else format.key(bits) for bits in row]
