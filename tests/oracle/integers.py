"""One set of integers reduced exactly, then wrapped into its dtype. None where there is no answer."""

from collections.abc import Callable
from math import isqrt

from tests.oracle.logarithms import integer_log_sum, integer_log_sum_exp

WIDTHS = {
    "bool": 1,
    "int8": 8,
    "int16": 16,
    "int32": 32,
    "int64": 64,
    "uint8": 8,
    "uint16": 16,
    "uint32": 32,
    "uint64": 64,
}


def bounds(dtype: str) -> tuple[int, int]:
    """The smallest and the largest value of a dtype."""
    if dtype.startswith("int"):
        half = 1 << (WIDTHS[dtype] - 1)
        return -half, half - 1
    return 0, (1 << WIDTHS[dtype]) - 1


def wrapped(dtype: str, value: int) -> int:
    """The value of this dtype that is congruent modulo 2**n."""
    low, high = bounds(dtype)
    return (value - low) % (high - low + 1) + low


def _mean(row: list[int]) -> int:
    total = sum(row)
    quotient = abs(total) // len(row)
    return -quotient if total < 0 else quotient


def _product(row: list[int]) -> int:
    """Modulo 2**64, which every dtype's 2**n divides: an exact product of many elements is too long to be quick."""
    product = 1
    for factor in row:
        product = product * factor % (1 << 64)
    return product


INTEGER: dict[str, Callable[[list[int]], int | None]] = {
    "ReduceSum": sum,
    "ReduceMean": _mean,
    "ReduceProd": _product,
    "ReduceL1": lambda row: sum(map(abs, row)),
    "ReduceL2": lambda row: isqrt(sum(x * x for x in row)),
    "ReduceSumSquare": lambda row: sum(x * x for x in row),
    "ReduceLogSum": lambda row: integer_log_sum(sum(row)),
    "ReduceLogSumExp": integer_log_sum_exp,
    "ReduceMin": min,
    "ReduceMax": max,
}
