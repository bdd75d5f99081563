"""What a tensor is inside: a header, and blocks of its elements in the order the header says.

A tensor that came as JSON is one block; a body that streams in, or a stored array, is many. Blocks may
be cut anywhere and come in any order; together they hold every element once.
"""

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

NumpyDtype = np.dtype[Any]

NUMPY_DTYPES: dict[str, NumpyDtype] = {
    "bool": np.dtype(np.bool_),
    "int8": np.dtype(np.int8),
    "int16": np.dtype(np.int16),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "uint8": np.dtype(np.uint8),
    "uint16": np.dtype(np.uint16),
    "uint32": np.dtype(np.uint32),
    "uint64": np.dtype(np.uint64),
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}


class Header(NamedTuple):
    """dtype (our spelling, a key of NUMPY_DTYPES) and shape of a tensor.

    `fortran`: its blocks run through the elements in column-major order, the first index fastest.
    """

    dtype: str
    shape: tuple[int, ...]
    fortran: bool = False

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def numpy_dtype(self) -> NumpyDtype:
        return NUMPY_DTYPES[self.dtype]


class Block(NamedTuple):
    """Consecutive elements of a tensor: `values` (1-D, contiguous, native byte order) from flat index `start` on."""

    start: int
    values: NDArray[Any]


class Tensor(NamedTuple):
    """A header and all its elements, `values.shape == header.shape`."""

    header: Header
    values: NDArray[Any]

    def blocks(self) -> Iterator[Block]:
        """The whole tensor as one block."""
        yield Block(0, np.ascontiguousarray(self.values).reshape(-1))
