"""How each generation of the operators spells what to reduce, and what those spellings mean.

Every class inherits from the generation before it; its docstring says what changed. ONNX's spellings end
here: inside the service there is only `Reduction`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, PlainValidator, StrictInt
from pydantic.fields import FieldInfo

from app.errors import AxisOutOfRange, DuplicateAxis
from app.names import MOST_BITS

Role = Literal["attribute", "input"]


class Kind(Enum):
    """What a parameter holds."""

    FLAG = "0 or 1"
    AXIS = "an axis"
    AXES = "a list of axes"


def flag(value: object) -> bool:
    """0, 1, false and true; the float 1.0 is none of them, though it equals one."""
    if type(value) in (int, bool) and value in (0, 1):
        return bool(value)
    raise ValueError


Flag = Annotated[bool, PlainValidator(flag), Kind.FLAG]
OneAxis = Annotated[StrictInt, Kind.AXIS]
AnyAxes = Annotated[tuple[StrictInt, ...], FailFast(), Kind.AXES]


@dataclass(frozen=True, slots=True)
class Reduction:
    """What to do to a tensor of known rank. `axes` are sorted and not negative; where they are (), no two elements
    meet: the tensor has rank 0, or the operator is `elementwise` and leaves the shape alone, whatever `keepdims`."""

    axes: tuple[int, ...]
    keepdims: bool
    last: bool = False
    elementwise: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter as ONNX declares it, `type` in ONNX's spelling. `negative`: axes may count from the back."""

    name: str
    kind: Kind
    role: Role
    type: str
    default: int | None
    negative: bool
    description: str

    @property
    def accepted(self) -> str:
        """The values it takes, in terms of r, the rank of the data."""
        if self.kind is Kind.FLAG:
            return "0 or 1"
        return "[-r, r-1]" if self.negative else "[0, r-1]"


class Parameters(BaseModel, ABC):
    """What a caller can set beside the tensor."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    negative_axes: ClassVar[bool] = False
    axes_role: ClassVar[Role] = "attribute"
    note: ClassVar[str] = ""
    """What a reader of this version's page should know beyond its parameters."""

    keepdims: Flag = Field(default=True, description="1 keeps reduced dimensions with size 1, 0 drops them.")

    @abstractmethod
    def reduction(self, rank: int) -> Reduction:
        """The reduction of a tensor of this rank; AxisOutOfRange or DuplicateAxis if it has no such axes."""

    @classmethod
    def described(cls) -> tuple[Parameter, ...]:
        """The parameters in ONNX's terms, inputs before attributes."""
        parameters = (cls._described(name, field) for name, field in cls.model_fields.items())
        return tuple(sorted(parameters, key=lambda parameter: (parameter.role == "attribute", parameter.name)))

    @classmethod
    def _described(cls, name: str, field: FieldInfo) -> Parameter:
        kind = next(each for each in field.metadata if isinstance(each, Kind))
        role, spelled, default = cls.axes_role, "int[]", None
        if kind is not Kind.AXES:
            role, spelled, default = "attribute", "int", int(field.default)
        elif role == "input":
            spelled = "tensor(int64)"
        negative = cls.negative_axes and kind is not Kind.FLAG
        return Parameter(name, kind, role, spelled, default, negative, field.description or "")

    def _within(self, axis: int, rank: int, place: str) -> int:
        """The axis counted from the front."""
        if self._lowest(rank) <= axis < rank:
            return axis % rank
        shown = axis if axis.bit_length() <= MOST_BITS else f"beyond {MOST_BITS} bits"
        if rank == 0:
            raise AxisOutOfRange(f"axis {shown} does not exist in a rank 0 tensor, which has no axes", place)
        accepted = f"[{self._lowest(rank)}, {rank - 1}]"
        raise AxisOutOfRange(f"axis {shown} is outside {accepted} for a rank {rank} tensor", place)

    def _lowest(self, rank: int) -> int:
        return -rank if self.negative_axes else 0


class AxesFromFront(Parameters):
    """Opset 1: `axes` is an attribute; its members count from the front. Without axes everything is reduced."""

    axes: AnyAxes = Field(default=(), description="The axes to reduce. If omitted or empty, every axis is reduced.")

    def reduction(self, rank: int) -> Reduction:
        if not self.axes:
            return Reduction(tuple(range(rank)), self.keepdims)
        axes: list[int] = []
        for position, given in enumerate(self.axes):
            axis = self._within(given, rank, f"/axes/{position}")
            if axis in axes:
                said = _again(given, self.axes[axes.index(axis)], axis)
                accepted = f"a rank {rank} tensor has axes [{self._lowest(rank)}, {rank - 1}], each to be listed once"
                raise DuplicateAxis(f"{said}; {accepted}", f"/axes/{position}")
            axes.append(axis)
        return Reduction(tuple(sorted(axes)), self.keepdims)


def _again(given: int, before: int, axis: int) -> str:
    """That an axis is listed once more, however either is counted."""
    if given == before:
        return f"axis {given} is listed twice"
    if given < 0:
        return f"axis {given} is axis {axis}, which is listed already"
    return f"axis {given} is listed already, as {before}"


class Axes(AxesFromFront):
    """Opset 11: negative axes count from the back."""

    negative_axes = True


class AxesOrNoop(Axes):
    """ReduceSum at opset 11 also takes `noop_with_empty_axes`, an attribute ONNX's own list has only from 13 on."""

    note = (
        "`noop_with_empty_axes` is an addition to this version: a published page describes it here, although ONNX's "
        "own list of attributes has it only from version 13 on."
    )

    axes: AnyAxes = Field(
        default=(),
        description="The axes to reduce. If omitted or empty, every axis is reduced, or none with "
        "`noop_with_empty_axes=1`.",
    )
    noop_with_empty_axes: Flag = Field(
        default=False,
        description="What omitted or empty axes mean: 0 reduces every axis; 1 reduces none, so that the shape stays "
        "and only the element-wise part of the operator applies.",
    )

    def reduction(self, rank: int) -> Reduction:
        if self.noop_with_empty_axes and not self.axes:
            return Reduction((), self.keepdims, elementwise=True)
        return super().reduction(rank)


class AxesInput(AxesOrNoop):
    """Opset 13 for ReduceSum, 18 for the rest: `axes` becomes an optional input, all have `noop_with_empty_axes`."""

    axes_role = "input"
    note = (
        "In a model of this version `axes` is an optional input rather than an attribute; in a request it stands "
        "beside the tensor either way."
    )


class AxisFromFront(Parameters):
    """Arg* at opset 1: one `axis`, counted from the front."""

    axis: OneAxis = Field(default=0, description="The axis to search along.")

    def reduction(self, rank: int) -> Reduction:
        return Reduction((self._within(self.axis, rank, "/axis"),), self.keepdims)


class Axis(AxisFromFront):
    """Opset 11: a negative axis counts from the back."""

    negative_axes = True


class AxisAndSide(Axis):
    """Opset 12: `select_last_index` chooses between equal elements."""

    select_last_index: Flag = Field(
        default=False,
        description="Which of several equal extremes is meant: 0 the first, 1 the last.",
    )

    def reduction(self, rank: int) -> Reduction:
        found = super().reduction(rank)
        return Reduction(found.axes, found.keepdims, last=self.select_last_index)
