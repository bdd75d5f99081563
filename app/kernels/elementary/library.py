"""The exponential and the logarithm of others: of Python's math module, and of NumPy.

No two builds have the same, so they tell a result only where every number within their error rounds alike.
"""

MATH_ERROR = 2.0**-48
"""A bound of what `exp` and `log` are off, relative to themselves: C libraries keep 2^-52, NumPy's own loops 2^-50."""
