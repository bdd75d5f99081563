"""The truth the application is held to: every reduction in exact arithmetic, written without its kernels.

Python integers, dyadic rationals and mpmath only; NumPy carries arrays in and takes them apart, and computes nothing.

formats     float formats: bits to m * 2**e and, correctly rounded, back
floats      one set of floats reduced exactly
logarithms  LogSum and LogSumExp, to the precision they promise
integers    one set of integers reduced exactly
reduction   expect(): any operator over any axes of an array
rows        answer(): the same for an operator version with its parameters, refusals included
"""

from tests.oracle.reduction import Expected, NoAnswer, expect
from tests.oracle.rows import answer

__all__ = ["Expected", "NoAnswer", "answer", "expect"]
