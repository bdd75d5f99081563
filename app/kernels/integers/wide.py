"""Integers of any width, one per output.

An integer is the sum of limb[k]·2^(width·k) over its limbs, each an int64. Limbs are digits that may be too large, so
adding needs no carry; a bound known without looking at them tells when one is due. Most sums stay in one limb and get
more only where they need them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from app.blocks import NumpyDtype

Int64s = NDArray[np.int64]

_LARGEST = 1 << 62
"""No limb is larger than this and a carry, so that adding the carry of another limb does not wrap."""

_CARRIED = 1 << 43
"""No limb is larger than this after a carry; the top one has then been cut into two where it was."""


@dataclass(slots=True)
class WideIntegers:
    """`limbs` (k, outputs), the least significant first; none is larger than `bound` in size."""

    limbs: Int64s
    width: int
    bound: int = 0

    @property
    def nbytes(self) -> int:
        return self.limbs.nbytes

    def merge(self, other: Self, at: int = 0) -> None:
        if self.bound + other.bound > _LARGEST:
            self.carry()
        if self.bound + other.bound > _LARGEST:
            other.carry()
        while len(self.limbs) < len(other.limbs):
            self._widen()
        self.limbs[: len(other.limbs), at : at + other.limbs.shape[1]] += other.limbs
        self.bound += other.bound

    def carry(self) -> None:
        """Bring every limb but the top one into [0, 2^width), and the top one below 2^43."""
        top = len(self.limbs) - 1
        for k in range(top):
            self._carry_from(k)
        if self.limbs[top].max() > _CARRIED or self.limbs[top].min() < -_CARRIED:
            self._widen()
            self._carry_from(top)
        self.bound = _CARRIED

    def _carry_from(self, k: int) -> None:
        self.limbs[k + 1] += self.limbs[k] >> self.width
        self.limbs[k] &= (1 << self.width) - 1

    def _widen(self) -> None:
        self.limbs = np.concatenate([self.limbs, np.zeros_like(self.limbs[:1])])

    def modulo(self) -> Int64s:
        """The integers modulo 2^64."""
        low: Int64s = self.limbs[0]
        for k in range(1, len(self.limbs)):
            if self.width * k < 64:
                low = low + (self.limbs[k] << self.width * k)
        return low

    def estimate(self) -> NDArray[np.float64]:
        """The integers to within len(limbs) roundings of float64; of the right sign, and exact below 2^53."""
        if len(self.limbs) > 1:
            self.carry()
        value: NDArray[np.float64] = self.limbs[-1].astype(np.float64)
        for limb in self.limbs[-2::-1]:
            value = value * 2.0**self.width + limb
        return value

    def narrow(self) -> Int64s | None:
        """The integers themselves if all of them are well inside the range of int64."""
        if len(self.limbs) > 1:
            estimate = self.estimate()
            if max(estimate.max(), -estimate.min()) >= _LARGEST:
                return None
        return self.modulo()

    def exact(self, outputs: slice) -> list[int]:
        """The integers of some outputs."""
        digits = self.limbs[:, outputs].T.tolist()
        return [sum(digit << self.width * k for k, digit in enumerate(row)) for row in digits]


def wrapped(values: Iterable[int], dtype: NumpyDtype) -> NDArray[Any]:
    """Integers modulo 2^n as an array of an n-bit dtype."""
    unsigned = np.dtype(f"u{dtype.itemsize}")
    mask = (1 << 8 * dtype.itemsize) - 1
    return np.array([value & mask for value in values], unsigned).view(dtype)
