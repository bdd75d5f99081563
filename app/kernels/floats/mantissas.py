"""Products as mantissas in double-double and exponents beside them; the sign goes with the mantissas."""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.kernels.elementary.double_double import multiply_into
from app.kernels.regions import cuts
from app.kernels.rounding import Floats, Integers
from app.kernels.scratch import Scratch

# Outputs that are merged in one go, with five arrays to compute in.
_OUTPUTS_TOGETHER = 1 << 13

FRACTION_BITS = np.int64(52)
FIELD_MASK = np.int64(0x7FF)
BIAS = 1023

ZERO, INFINITE, NAN = 1, 2, 4
"""What an output may have seen."""


class Products:
    """Per output: (high + low) * 2^exponent, 1 <= |high| < 2, and which of zero, infinity, NaN it has seen."""

    def __init__(self, high: Floats, low: Floats, exponent: Integers, seen: NDArray[np.uint8]) -> None:
        self.high = high
        self.low = low
        self.exponent = exponent
        self.seen = seen

    @classmethod
    def ones(cls, outputs: int) -> Self:
        """Products of no factor."""
        return cls(np.ones(outputs), np.zeros(outputs), np.zeros(outputs, np.int64), np.zeros(outputs, np.uint8))

    @property
    def nbytes(self) -> int:
        return self.high.nbytes + self.low.nbytes + self.exponent.nbytes + self.seen.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        """Multiply. Associative up to the rounding of the last of 106 bits (see `product`)."""
        memory = Scratch(5, min(_OUTPUTS_TOGETHER, len(other.high)))
        for part in cuts(len(other.high), _OUTPUTS_TOGETHER):
            here = slice(at + part.start, at + part.stop)
            high, low = self.high[here], self.low[here]
            scratch = memory.shaped(high.shape)
            multiply_into(high, low, other.high[part], other.low[part].copy(), scratch)
            fields, scale = (array.view(np.int64) for array in scratch[:2])
            self.exponent[here] += other.exponent[part] + normalise(high, low, fields, scale)
            self.seen[here] |= other.seen[part]


def read_fields(values: Floats, fields: Integers) -> None:
    """The exponent fields: 0 for zeros and subnormals, 2047 for infinities and NaN."""
    np.right_shift(values.view(np.int64), FRACTION_BITS, out=fields)
    fields &= FIELD_MASK


def normalise(high: Floats, low: Floats, exponent: Integers, scale: Integers) -> Integers:
    """Scale (high, low) in place so that 1 <= |high| < 2, and say by which power of two they were larger."""
    read_fields(high, exponent)
    exponent -= BIAS
    np.subtract(BIAS, exponent, out=scale)
    scale <<= FRACTION_BITS
    high *= scale.view(np.float64)
    low *= scale.view(np.float64)
    return exponent
