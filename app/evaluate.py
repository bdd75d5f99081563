"""The whole service without HTTP: operator × parameters × tensor -> tensor."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import Block, Header, NumpyDtype, Tensor
from app.errors import AxisOutOfRange, DtypeNotAccepted, ShapeMismatch, Undefined
from app.kernels import kernel_for
from app.kernels.accumulate import Accumulator
from app.kernels.geometry import Geometry, box
from app.kernels.kernel import Kernel
from app.kernels.team import ALONE, Team
from app.pacing import Pace
from app.spec.history import dtype_refusal, negative_axes_hint
from app.spec.operators import Operator
from app.spec.parameters import Parameters, Reduction

Check = Callable[[], object]
"""Called before each step (see `pacing`); raising ends the reduction."""

FEW_ELEMENTS = 1 << 12
"""Elements up to which a tensor that comes in one block takes no detour over a state and threads."""


def nobody_asks() -> None:
    """The check of those who wait for the answer in any case."""


def evaluate(
    operator: Operator, parameters: Parameters, header: Header, blocks: Iterable[Block], team: Team = ALONE
) -> Tensor:
    """What `operator` answers for the tensor of `header` and `blocks`; a Refusal where it has no answer.

    The blocks may be cut anywhere and come in any order; the answer has the same bits.
    """
    return plan(operator, parameters, header).reduce(blocks, team)


@dataclass(frozen=True, slots=True)
class Plan:
    """How an operator reduces the tensors of one header, and the header of what they become. Holds for any elements."""

    header: Header
    reduced: Header
    kernel: Kernel[Any]
    geometry: Geometry | None  # None where nothing is reduced

    def reduce(self, blocks: Iterable[Block], team: Team = ALONE, check: Check = nobody_asks) -> Tensor:
        """The reduced tensor of the blocks, which are all there or on their way; ShapeMismatch if elements are
        missing."""
        size = self.header.size
        if 0 < size <= FEW_ELEMENTS:
            blocks = list(blocks)
            if len(blocks) == 1 and len(blocks[0].values) == size:
                return self._of_few(blocks[0].values)
        evaluation = Evaluation(self, team, check)
        for block in blocks:
            evaluation.absorb(block)
        return evaluation.finish()

    def _of_few(self, values: NDArray[Any]) -> Tensor:
        if self.geometry is None:
            outputs = self.kernel.elementwise(values)
        else:
            outputs = self.kernel.whole(box(values, self.geometry.rows, self.geometry.groups))
        return self.tensor(outputs)

    def tensor(self, outputs: NDArray[Any]) -> Tensor:
        """The outputs in the shape of the reduced tensor."""
        if self.header.fortran:
            return Tensor(self.reduced, outputs.reshape(self.reduced.shape[::-1]).T)
        return Tensor(self.reduced, outputs.reshape(self.reduced.shape))


def plan(operator: Operator, parameters: Parameters, header: Header) -> Plan:
    """The plan for tensors of `header`; a Refusal where dtype, axes or an empty shape have no answer."""
    if header.dtype not in operator.dtypes:
        raise DtypeNotAccepted(dtype_refusal(operator, header.dtype), "/data/dtype")
    shape = header.shape
    try:
        reduction = parameters.reduction(len(shape))
    except AxisOutOfRange as refusal:
        raise AxisOutOfRange(f"{refusal}{negative_axes_hint(operator, parameters)}", refusal.place) from None
    if not operator.takes_empty and 0 in shape:
        raise Undefined(f"{operator.name} version {operator.version} does not accept an empty tensor", "/data/shape")
    reduced = Header(header.dtype if operator.output == "T" else operator.output, _reduced_shape(shape, reduction))
    kernel = kernel_for(operator.name, header.numpy_dtype, reduction.last)
    if reduction.elementwise:
        return Plan(header, reduced, kernel, None)
    axes = reduction.axes
    if header.fortran:  # the same elements are a tensor in row-major order, its dimensions in reverse
        shape, axes = shape[::-1], tuple(len(shape) - 1 - axis for axis in axes)
    return Plan(header, reduced, kernel, Geometry.of(shape, axes))


class Evaluation:
    """One reduction while its elements come in. Room for outputs is taken with the first block."""

    def __init__(self, plan: Plan, team: Team, check: Check) -> None:
        self.reduced = plan.reduced
        self._plan = plan
        self._team = team
        self._check = check
        self._pace = Pace()

    def absorb(self, block: Block) -> int:
        """Take in a block, from one thread at a time; the bytes that are held for outputs that are not done."""
        if not len(block.values):
            return 0
        steps = self._into.steps(block, self._pace)
        while True:
            self._check()
            self._pace.begin()
            size = next(steps, 0)
            if not size:
                return self._into.nbytes
            self._pace.end(size)

    def finish(self) -> Tensor:
        """The reduced tensor; ShapeMismatch if elements are missing."""
        header = self._plan.header
        if header.size == 0:
            size = self.reduced.size
            return self._plan.tensor(np.full(size, self._plan.kernel.empty() if size else 0, self.reduced.numpy_dtype))
        if missing := self._into.missing:
            raise ShapeMismatch(f"shape {header.shape} has {header.size} elements, but {missing} of them did not come")
        return self._plan.tensor(self._into.outputs)

    @cached_property
    def _into(self) -> "Accumulator[Any] | Elementwise":
        dtype = self.reduced.numpy_dtype
        if self._plan.geometry is None:
            return Elementwise(self._plan.kernel, self._plan.header.size, dtype)
        return Accumulator(self._plan.kernel, self._plan.geometry, dtype, self._team)


class Elementwise:
    """The outputs of an operator that reduces nothing, while the blocks come in."""

    nbytes = 0

    def __init__(self, kernel: Kernel[Any], size: int, output: NumpyDtype) -> None:
        self.outputs: NDArray[Any] = np.empty(size, output)
        self.missing = size
        self._kernel = kernel

    def steps(self, block: Block, pace: Pace) -> Iterator[int]:
        """Each element to its output, step by step, as an Accumulator does it."""
        done = 0
        while done < len(block.values):
            values = block.values[done : done + pace.most(block.values.itemsize)]
            start = block.start + done
            self.outputs[start : start + len(values)] = self._kernel.elementwise(values)
            self.missing -= len(values)
            done += len(values)
            yield values.nbytes


def _reduced_shape(shape: tuple[int, ...], reduction: Reduction) -> tuple[int, ...]:
    if reduction.elementwise:
        return shape
    if reduction.keepdims:
        return tuple(1 if axis in reduction.axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in reduction.axes)
