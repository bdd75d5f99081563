"""What every reduction is: partial, merge, finish over a state.

A kernel is one operator on one dtype. It sees *boxes*: 4-D arrays `box[o, r1, i, r2]`, reduced over r1 and
r2, which give o * i outputs in row-major order. Every reduction pattern folds into that shape: the last axis
is (1, 1, n, r), the first (1, r, i, 1), everything (1, 1, 1, r), two of three (1, r1, i, r2). No dimension of
a box is 0, and a kernel never writes to one.
"""

from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

Box = NDArray[Any]

quiet = np.errstate(all="ignore")
"""Decorates what meets NaN and infinities on purpose: NumPy's warnings about them would be noise."""


TOGETHER = 64
"""Elements of an output that a kernel sees together, by `whole`, if they are no more and can be: of so few, a float
product is the same however they come."""

OUTPUTS = 1 << 16
"""Outputs of one call of a kernel that makes some numbers of 64 bits for each."""


class State(Protocol):
    """What some of the elements contribute to each of n outputs."""

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""

    def merge(self, other: Self, at: int = 0) -> None:
        """Take in what `other` knows of the outputs from `at` on. Associative and commutative, to the bit; of float
        products, to some 100 bits."""


S = TypeVar("S", bound=State)


class Kernel(Protocol[S]):
    """One operator on one dtype, on one thread. Outputs are 1-D arrays of the output dtype."""

    @property
    def min_threads(self) -> int:
        """The fewest threads that are faster than one. What is done between two calls of NumPy is done under the
        interpreter lock, and each call that has to wait for it costs what a thread saves."""

    @property
    def outputs_at_once(self) -> int:
        """How many outputs one call should make: enough that the call itself costs little, few enough that what is made
        for each is still in the cache when it is read."""

    def identity(self, outputs: int) -> S:
        """The state of outputs that have seen no element."""

    def partial(self, box: Box, first: int = 0) -> S:
        """What the elements of a box contribute; `first` is where the box starts along the reduced axis (Arg*)."""

    def finish(self, state: S, count: int) -> NDArray[Any]:
        """The one rounding, into the output dtype; `count` (> 0) elements went into each output."""

    def whole(self, box: Box, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """finish(partial(box)) for a box that holds its outputs' every element, by any shortcut with the same bits (of
        float products: see `product`). Where `into` is given, the outputs go there, and it is returned."""

    def empty(self) -> np.generic:
        """The answer for an empty set; Undefined where there is none."""

    def elementwise(self, values: NDArray[Any]) -> NDArray[Any]:
        """The operator without its reduction, element by element, shape and all."""


def filled(into: NDArray[Any] | None, outputs: NDArray[Any]) -> NDArray[Any]:
    """The outputs, in `into` where it is given."""
    if into is None or into is outputs:
        return outputs
    into[...] = outputs
    return into


def elements_of(box: Box, outputs: NDArray[np.intp]) -> Box:
    """The elements of some of a box's outputs, as a box (outputs, r1, 1, r2) of their own: a copy."""
    outer, inner = np.divmod(outputs, box.shape[2])
    return box[outer, :, inner][:, :, np.newaxis]
