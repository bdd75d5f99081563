"""How each generation of the operators spells what to reduce, and what those spellings mean.

Every class inherits from the generation before it; its docstring says what changed. ONNX's spellings end
here: inside the service there is only `Reduction`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field, PlainValidator, StrictInt

from app.errors import AxisOutOfRange, DuplicateAxis

Role = Literal["attribute", "input"]


def flag(value: object) -> bool:
    """0, 1, false and true; the float 1.0 is none of them, though it equals one."""
    if type(value) in (int, bool) and value in (0, 1):
        return bool(value)
    raise ValueError


Flag = Annotated[bool, PlainValidator(flag)]
Integers = Annotated[tuple[StrictInt, ...], FailFast()]


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
    """One parameter as ONNX declares it: `type` in ONNX's spelling, `accepted` in terms of r, the rank of the data."""

    name: str
    role: Role
    type: str
    default: int | None
    accepted: str
    description: str


class Parameters(BaseModel, ABC):
    """What a caller can set beside the tensor."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    negative_axes: ClassVar[bool] = False
    axes_role: ClassVar[Role] = "attribute"
    note: ClassVar[str] = ""
    """What a reader of this version's page should know beyond its parameters."""

    keepdims: Flag = Field(default=True, description="1 keeps every reduced dimension with size 1, 0 removes it.")

    @abstractmethod
    def reduction(self, rank: int) -> Reduction:
        """The reduction of a tensor of this rank; AxisOutOfRange or DuplicateAxis if it has no such axes."""

    @classmethod
    def described(cls) -> tuple[Parameter, ...]:
        """The parameters in ONNX's terms, inputs before attributes."""
        fields = cls.model_fields.items()
        parameters = (cls._described(name, field.default, field.description or "") for name, field in fields)
        return tuple(sorted(parameters, key=lambda parameter: (parameter.role == "attribute", parameter.name)))

    @classmethod
    def _described(cls, name: str, default: int, description: str) -> Parameter:
        bounds = "[-r, r-1]" if cls.negative_axes else "[0, r-1]"
        match name:
            case "axes":
                kind = "tensor(int64)" if cls.axes_role == "input" else "int[]"
                return Parameter(name, cls.axes_role, kind, None, bounds, description)
            case "axis":
                return Parameter(name, "attribute", "int", default, bounds, description)
            case _:
                return Parameter(name, "attribute", "int", int(default), "0 or 1", description)

    def _within(self, axis: int, rank: int, place: str) -> int:
        """The axis counted from the front."""
        lowest = -rank if self.negative_axes else 0
        if lowest <= axis < rank:
            return axis % rank
        shown = axis if -(2**63) <= axis < 2**63 else "beyond 64 bits"
        if rank == 0:
            raise AxisOutOfRange(f"axis {shown} does not exist in a rank 0 tensor, which has no axes", place)
        raise AxisOutOfRange(f"axis {shown} is outside [{lowest}, {rank - 1}] for a rank {rank} tensor", place)


class AxesFromFront(Parameters):
    """Opset 1: `axes` is an attribute; its members count from the front. Without axes everything is reduced."""

    axes: Integers = Field(default=(), description="The axes to reduce; none given, or an empty list, means all.")

    def reduction(self, rank: int) -> Reduction:
        if not self.axes:
            return Reduction(tuple(range(rank)), self.keepdims)
        axes: list[int] = []
        for position, given in enumerate(self.axes):
            axis = self._within(given, rank, f"/axes/{position}")
            if axis in axes:
                raise DuplicateAxis(f"axis {given} names axis {axis} a second time", f"/axes/{position}")
            axes.append(axis)
        return Reduction(tuple(sorted(axes)), self.keepdims)


class Axes(AxesFromFront):
    """Opset 11: negative axes count from the back."""

    negative_axes = True


class AxesOrNoop(Axes):
    """ReduceSum at opset 11 also takes `noop_with_empty_axes`, an attribute ONNX's own list has only from 13 on."""

    note = (
        "noop_with_empty_axes is an addition to this version: a published page of it describes the parameter, though "
        "the attributes ONNX itself lists do not have it before version 13."
    )

    noop_with_empty_axes: Flag = Field(
        default=False,
        description="1 together with no axes reduces nothing: only the element-wise part of the operator applies, and "
        "the shape stays as it is.",
    )

    def reduction(self, rank: int) -> Reduction:
        if self.noop_with_empty_axes and not self.axes:
            return Reduction((), self.keepdims, elementwise=True)
        return super().reduction(rank)


class AxesInput(AxesOrNoop):
    """Opset 13 for ReduceSum, 18 for the rest: `axes` becomes an optional input, all have `noop_with_empty_axes`."""

    axes_role = "input"
    note = (
        "In a model of this version axes is an optional input and not an attribute; a request gives it beside the "
        "tensor all the same."
    )


class AxisFromFront(Parameters):
    """Arg* at opset 1: one `axis`, counted from the front."""

    axis: StrictInt = Field(default=0, description="The one axis along which the position is looked for.")

    def reduction(self, rank: int) -> Reduction:
        return Reduction((self._within(self.axis, rank, "/axis"),), self.keepdims)


class Axis(AxisFromFront):
    """Opset 11: a negative axis counts from the back."""

    negative_axes = True


class AxisAndSide(Axis):
    """Opset 12: `select_last_index` chooses between equal elements."""

    select_last_index: Flag = Field(
        default=False,
        description="Which of several equal extremes gives its position: 0 the first, 1 the last.",
    )

    def reduction(self, rank: int) -> Reduction:
        found = super().reduction(rank)
        return Reduction(found.axes, found.keepdims, last=self.select_last_index)
