"""A decimal text rounded once, into dtypes narrower than float64.

Reading a text as float64 and casting that rounds twice. The two differ from one rounding only where the float64
lies exactly between two neighbours in the narrow dtype: everywhere else text and float64 are on the same side of
the middle. So the cast decides, and the text is looked at again where the cast had a tie to break. bfloat16 goes
by way of float32, from which alone ml_dtypes casts correctly; the argument is the same for each of the two steps.
"""

from collections.abc import Sequence
from decimal import Decimal
from math import copysign, inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES

# The largest finite value, and half a step beyond it, from where on a number rounds to infinity.
LIMITS = {
    "float16": (float.fromhex("0x1.ffcp15"), float.fromhex("0x1.ffep15")),
    "bfloat16": (float.fromhex("0x1.fep127"), float.fromhex("0x1.ffp127")),
    "float32": (float.fromhex("0x1.fffffep127"), float.fromhex("0x1.ffffffp127")),
}

_ONE, _BELOW, _HALF = np.uint64(1), np.uint64(2**29 - 1), np.uint64(2**28)
_LEAST = np.array(2.0**-126).view(np.uint64) << _ONE
_SPAN = (np.array(LIMITS["float32"][0]).view(np.uint64) << _ONE) - _LEAST

NOWHERE = np.array([], np.intp)


def narrow(wide: NDArray[np.float64], dtype: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Texts that were read as float64, cast to `dtype`, and the flat indices at which the text must decide.

    Those are the ties, and finite float64s that became infinite.
    """
    if dtype == "float64" or not wide.size:
        return wide.astype(NUMPY_DTYPES[dtype], copy=False), NOWHERE
    if dtype == "float32" and _is_clear(wide):
        return wide.astype(np.float32), NOWHERE
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        middle: NDArray[Any] = wide.astype(np.float32) if dtype == "bfloat16" else wide
        values = middle.astype(NUMPY_DTYPES[dtype])
        back = values.astype(np.float64)
        if not np.count_nonzero(back != wide):
            return values, NOWHERE
        # Seen from a tie, the neighbour not chosen is as far away as the one chosen.
        other = 2 * middle.astype(np.float64) - back
        tied = (other != back) & (other.astype(values.dtype).astype(np.float64) == other)
    return values, np.flatnonzero((tied | np.isinf(back)) & np.isfinite(wide))


def _is_clear(wide: NDArray[np.float64]) -> bool:
    """Whether all are 0 or normal and finite as float32s, and none of them is a tie: half a step is bit 28."""
    bits = wide.reshape(-1).view(np.uint64)  # scalars would warn of what wraps
    if np.count_nonzero((bits & _BELOW) == _HALF):
        return False
    twice = bits << _ONE  # without the sign
    others = wide.size - np.count_nonzero((twice - _LEAST) < _SPAN)
    return not others or bool(others == wide.size - np.count_nonzero(twice))


def narrow_texts(texts: Sequence[str], wide: NDArray[np.float64], dtype: str) -> NDArray[Any]:
    """What numbers that `narrow` left to their texts are in `dtype`; `wide` are the same as float64s."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        middle: NDArray[Any] = wide.astype(np.float32) if dtype == "bfloat16" else wide
        values = middle.astype(NUMPY_DTYPES[dtype])
        chosen, middle = values.astype(np.float64), middle.astype(np.float64)
        other = 2 * middle - chosen
    for index in np.flatnonzero(np.isinf(chosen)).tolist():
        values[index] = narrow_text(texts[index], dtype)
    sides = np.array([_side(Decimal(text), at) for text, at in zip(texts, middle.tolist(), strict=True)], np.int8)
    wrong = np.flatnonzero(np.isfinite(chosen) & (((sides > 0) & (other > middle)) | ((sides < 0) & (other < middle))))
    values[wrong] = other[wrong].astype(values.dtype)
    return values


def _side(exact: Decimal, middle: float) -> int:
    """1 above the middle, -1 below, 0 on it."""
    return 0 if exact == middle else 1 if exact > middle else -1


def narrow_text(text: str, dtype: str) -> float:
    """What a number that `narrow` left to its text is in `dtype`; infinite if it is beyond the range."""
    wide = float(text)
    if dtype == "float64" or isinf(wide):
        return wide
    exact = Decimal(text)
    largest, limit = LIMITS[dtype]
    if exact.copy_abs() >= limit:
        return copysign(inf, wide)
    with np.errstate(over="ignore", under="ignore"):
        step = np.array(wide, np.float32 if dtype == "bfloat16" else np.float64)
        middle, chosen = float(step), float(step.astype(NUMPY_DTYPES[dtype]))
    if isinf(chosen):
        return copysign(largest, wide)
    other = 2 * middle - chosen
    return other if exact != middle and (exact > middle) == (other > middle) else chosen
