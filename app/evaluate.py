"""The whole service without HTTP: operator × parameters × tensor -> tensor."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import Block, Header, NumpyDtype, Tensor
from app.errors import DtypeNotAccepted, ShapeMismatch, Undefined
from app.kernels import kernel_for
from app.kernels.accumulate import Accumulator
from app.kernels.geometry import Geometry
from app.kernels.kernel import Kernel
from app.kernels.workers import ALONE, Workers
from app.spec.history import dtype_refusal
from app.spec.operators import Operator
from app.spec.parameters import Parameters, Reduction


def evaluate(
    operator: Operator, parameters: Parameters, header: Header, blocks: Iterable[Block], workers: Workers = ALONE
) -> Tensor:
    """What `operator` answers for the tensor of `header` and `blocks`; a Refusal where it has no answer.

    The blocks may be cut anywhere and come in any order; the answer has the same bits.
    """
    evaluation = Evaluation(operator, parameters, header, workers)
    for block in blocks:
        evaluation.absorb(block)
    return evaluation.finish()


class Evaluation:
    """One reduction while its elements come in. `answer` is the header of what it will say.

    Making one checks dtype and axes; room for outputs is taken with the first block. A block is not looked at any more
    once it is absorbed.
    """

    def __init__(self, operator: Operator, parameters: Parameters, header: Header, workers: Workers = ALONE) -> None:
        if header.dtype not in operator.dtypes:
            raise DtypeNotAccepted(dtype_refusal(operator, header.dtype), "/data/dtype")
        reduction = parameters.reduction(len(header.shape))
        if not operator.takes_empty and 0 in header.shape:
            raise Undefined(f"{operator.name} version {operator.version} takes no empty tensor", "/data/shape")
        dtype = header.dtype if operator.output == "T" else operator.output
        self.answer = Header(dtype, _answer_shape(header.shape, reduction))
        self._header = header
        self._reduction = reduction
        self._kernel = kernel_for(operator.name, header.numpy_dtype, reduction.last)
        self._workers = workers

    def absorb(self, block: Block) -> int:
        """Take in a block, from one thread at a time; the bytes that are held for outputs that are not done."""
        if not len(block.values):
            return 0
        self._into.absorb(block)
        return self._into.nbytes

    def finish(self) -> Tensor:
        """The answer; ShapeMismatch if elements are missing."""
        shape = self.answer.shape
        if self._header.size == 0:
            size = self.answer.size
            values = np.full(size, self._kernel.empty() if size else 0, self.answer.numpy_dtype)
        elif missing := self._into.missing:
            said = f"shape {self._header.shape} has {self._header.size} elements, and {missing} of them did not come"
            raise ShapeMismatch(said)
        else:
            values = self._into.outputs
        if self._header.fortran:
            return Tensor(self.answer, values.reshape(shape[::-1]).T)
        return Tensor(self.answer, values.reshape(shape))

    @cached_property
    def _into(self) -> "Accumulator[Any] | Elementwise":
        header, dtype = self._header, self.answer.numpy_dtype
        if self._reduction.elementwise:
            return Elementwise(self._kernel, header.size, dtype)
        shape, axes = header.shape, self._reduction.axes
        if header.fortran:  # the same elements are a tensor in row-major order, its dimensions in reverse
            shape, axes = shape[::-1], tuple(len(shape) - 1 - axis for axis in axes)
        return Accumulator(self._kernel, Geometry.of(shape, axes), dtype, self._workers)


class Elementwise:
    """The outputs of an operator that reduces nothing, while the blocks come in."""

    nbytes = 0

    def __init__(self, kernel: Kernel[Any], size: int, output: NumpyDtype) -> None:
        self.outputs: NDArray[Any] = np.empty(size, output)
        self.missing = size
        self._kernel = kernel

    def absorb(self, block: Block) -> None:
        """Each element to its output."""
        self.outputs[block.start : block.start + len(block.values)] = self._kernel.elementwise(block.values)
        self.missing -= len(block.values)


def _answer_shape(shape: tuple[int, ...], reduction: Reduction) -> tuple[int, ...]:
    if reduction.elementwise:
        return shape
    if reduction.keepdims:
        return tuple(1 if axis in reduction.axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in reduction.axes)
