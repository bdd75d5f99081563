"""The exponential and the logarithm of others: of Python's math module, and of NumPy.

No two builds have the same, so they tell a result only where every number within their error rounds alike.
"""

MATH_ERROR = 2.0**-48
"""Upper bound of the relative error of `exp` and `log`: C libraries keep 2^-52, NumPy's own loops 2^-50."""
