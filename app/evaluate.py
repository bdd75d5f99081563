"""The whole service without HTTP: operator × parameters × tensor -> tensor."""

from collections.abc import Iterable

import numpy as np

from app.blocks import Block, Header, Tensor
from app.errors import DtypeNotAccepted, ShapeMismatch, Undefined
from app.kernels import kernel_for
from app.kernels.accumulate import Accumulator
from app.kernels.geometry import Geometry
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
    if header.dtype not in operator.dtypes:
        raise DtypeNotAccepted(dtype_refusal(operator, header.dtype), "/data/dtype")
    reduction = parameters.reduction(len(header.shape))
    if not operator.takes_empty and 0 in header.shape:
        raise Undefined(f"{operator.name} version {operator.version} takes no empty tensor", "/data/shape")
    answer = Header(header.dtype if operator.output == "T" else operator.output, answer_shape(header.shape, reduction))
    kernel = kernel_for(operator.name, header.numpy_dtype, reduction.last)

    if header.size == 0:
        values = np.full(answer.size, kernel.empty() if answer.size else 0, answer.numpy_dtype)
        missing = 0
    elif reduction.elementwise:
        values = np.empty(header.size, answer.numpy_dtype)
        missing = header.size
        for block in blocks:
            values[block.start : block.start + len(block.values)] = kernel.elementwise(block.values)
            missing -= len(block.values)
    else:
        accumulator = Accumulator(kernel, Geometry.of(header.shape, reduction.axes), answer.numpy_dtype, workers)
        for block in blocks:
            accumulator.absorb(block)
        values, missing = accumulator.outputs, accumulator.missing
    if missing:
        raise ShapeMismatch(f"shape {header.shape} has {header.size} elements, and {missing} of them did not come")
    return Tensor(answer, values.reshape(answer.shape))


def answer_shape(shape: tuple[int, ...], reduction: Reduction) -> tuple[int, ...]:
    """The shape of the answer, known before any element is."""
    if reduction.elementwise:
        return shape
    if reduction.keepdims:
        return tuple(1 if axis in reduction.axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in reduction.axes)
