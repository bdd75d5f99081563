"""THE TABLE: everything this service does, one row per operator version.

A version serves every opset from its own number up to the next row's. The difference between two rows of one
operator is the whole difference between the two versions: the mathematics never changes.
"""

from dataclasses import dataclass
from functools import cached_property
from re import sub

from app.errors import UnknownOperator, UnknownVersion
from app.names import asking, meant, plain, quoted
from app.spec.dtypes import BFLOAT16, BOOL, BYTES, FLOATS, HIGH_PRECISION, NUMERIC
from app.spec.parameters import (
    Axes,
    AxesFromFront,
    AxesInput,
    AxesOrNoop,
    Axis,
    AxisAndSide,
    AxisFromFront,
    Parameters,
)

LAST_OPSET = 28
OPSETS = range(1, LAST_OPSET + 1)
"""Every opset that exists."""


def operator_path(opset: int, path_name: str) -> str:
    """The path of an operator at an opset, without a host."""
    return f"/v{opset}/{path_name}"


@dataclass(frozen=True)
class Operator:
    """One version of one operator: ONNX's name, the opset it came with, how it is called, and on what.

    `output` is the dtype of every answer, or "T", the dtype of the data. `takes_empty` is False where a tensor with
    a dimension of 0 is refused as such, whatever is reduced.
    """

    name: str
    version: int
    parameters: type[Parameters]
    dtypes: tuple[str, ...]
    output: str = "T"
    takes_empty: bool = True

    @cached_property
    def path_name(self) -> str:
        """The name as URLs spell it: ReduceL1 is reduce_l1, ReduceLogSumExp is reduce_log_sum_exp."""
        return sub("(?<!^)(?=[A-Z])", "_", self.name).lower()

    @cached_property
    def path(self) -> str:
        """The canonical path, without a host."""
        return operator_path(self.version, self.path_name)


# fmt: off
OPERATORS = (
    Operator("ReduceMin",        1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceMin",       11, Axes,          HIGH_PRECISION),
    Operator("ReduceMin",       12, Axes,          HIGH_PRECISION + BYTES),
    Operator("ReduceMin",       13, Axes,          HIGH_PRECISION + BYTES + BFLOAT16),
    Operator("ReduceMin",       18, AxesInput,     HIGH_PRECISION + BYTES + BFLOAT16),
    Operator("ReduceMin",       20, AxesInput,     HIGH_PRECISION + BYTES + BFLOAT16 + BOOL),

    Operator("ReduceMax",        1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceMax",       11, Axes,          HIGH_PRECISION),
    Operator("ReduceMax",       12, Axes,          HIGH_PRECISION + BYTES),
    Operator("ReduceMax",       13, Axes,          HIGH_PRECISION + BYTES + BFLOAT16),
    Operator("ReduceMax",       18, AxesInput,     HIGH_PRECISION + BYTES + BFLOAT16),
    Operator("ReduceMax",       20, AxesInput,     HIGH_PRECISION + BYTES + BFLOAT16 + BOOL),

    Operator("ReduceSum",        1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceSum",       11, AxesOrNoop,    HIGH_PRECISION),
    Operator("ReduceSum",       13, AxesInput,     HIGH_PRECISION + BFLOAT16),

    Operator("ReduceMean",       1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceMean",      11, Axes,          HIGH_PRECISION),
    Operator("ReduceMean",      13, Axes,          HIGH_PRECISION + BFLOAT16),
    Operator("ReduceMean",      18, AxesInput,     HIGH_PRECISION + BFLOAT16),

    Operator("ReduceProd",       1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceProd",      11, Axes,          HIGH_PRECISION),
    Operator("ReduceProd",      13, Axes,          HIGH_PRECISION + BFLOAT16),
    Operator("ReduceProd",      18, AxesInput,     HIGH_PRECISION + BFLOAT16),

    Operator("ReduceL1",         1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceL1",        11, Axes,          HIGH_PRECISION),
    Operator("ReduceL1",        13, Axes,          HIGH_PRECISION + BFLOAT16),
    Operator("ReduceL1",        18, AxesInput,     HIGH_PRECISION + BFLOAT16),

    Operator("ReduceL2",         1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceL2",        11, Axes,          HIGH_PRECISION),
    Operator("ReduceL2",        13, Axes,          HIGH_PRECISION + BFLOAT16),
    Operator("ReduceL2",        18, AxesInput,     HIGH_PRECISION + BFLOAT16),

    Operator("ReduceSumSquare",  1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceSumSquare", 11, Axes,          HIGH_PRECISION),
    Operator("ReduceSumSquare", 13, Axes,          HIGH_PRECISION + BFLOAT16),
    Operator("ReduceSumSquare", 18, AxesInput,     HIGH_PRECISION + BFLOAT16),

    Operator("ReduceLogSum",     1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceLogSum",    11, Axes,          HIGH_PRECISION),
    Operator("ReduceLogSum",    13, Axes,          HIGH_PRECISION + BFLOAT16),
    Operator("ReduceLogSum",    18, AxesInput,     HIGH_PRECISION + BFLOAT16),
    Operator("ReduceLogSum",    28, AxesInput,     FLOATS),

    Operator("ReduceLogSumExp",  1, AxesFromFront, HIGH_PRECISION),
    Operator("ReduceLogSumExp", 11, Axes,          HIGH_PRECISION),
    Operator("ReduceLogSumExp", 13, Axes,          HIGH_PRECISION + BFLOAT16),
    Operator("ReduceLogSumExp", 18, AxesInput,     HIGH_PRECISION + BFLOAT16),
    Operator("ReduceLogSumExp", 28, AxesInput,     FLOATS),

    Operator("ArgMin",           1, AxisFromFront, NUMERIC, output="int64"),
    Operator("ArgMin",          11, Axis,          NUMERIC, output="int64", takes_empty=False),
    Operator("ArgMin",          12, AxisAndSide,   NUMERIC, output="int64"),
    Operator("ArgMin",          13, AxisAndSide,   NUMERIC + BFLOAT16, output="int64"),

    Operator("ArgMax",           1, AxisFromFront, NUMERIC, output="int64"),
    Operator("ArgMax",          11, Axis,          NUMERIC, output="int64", takes_empty=False),
    Operator("ArgMax",          12, AxisAndSide,   NUMERIC, output="int64"),
    Operator("ArgMax",          13, AxisAndSide,   NUMERIC + BFLOAT16, output="int64"),
)
# fmt: on


def _by_opset() -> dict[str, dict[int, Operator]]:
    serving: dict[str, dict[int, Operator]] = {}
    for operator in OPERATORS:
        opsets = range(operator.version, LAST_OPSET + 1)
        serving.setdefault(operator.path_name, {}).update(dict.fromkeys(opsets, operator))
    return serving


SERVING = _by_opset()
"""The row that serves an opset, by path name and opset."""


def resolve(path_name: str, opset: int) -> Operator:
    """The row that serves an opset; UnknownOperator or UnknownVersion if there is none."""
    opsets = SERVING.get(path_name)
    if opsets is None:
        none = f"there is no operator {quoted(path_name)}"
        raise UnknownOperator(f"{none}{asking(meant_operator(path_name))}; there are {', '.join(SERVING)}")
    operator = opsets.get(opset)
    if operator is None:
        versions = ", ".join(str(row.version) for row in versions_of(opsets[LAST_OPSET].name))
        raise UnknownVersion(f"{no_opset(opset)}; {path_name} has the versions {versions}")
    return operator


def meant_operator(name: str) -> str:
    """The path name of the operator that was probably meant, which may lack its reduce_; "" if none is near."""
    return _SHORTENED.get(plain(name)) or meant(name, SERVING)


_SHORTENED = {plain(name.removeprefix("reduce_")): name for name in SERVING}


def no_opset(opset: int) -> str:
    """That there is no such opset."""
    return f"there is no opset {opset}; opsets {OPSETS[0]} to {OPSETS[-1]} exist"


def versions_of(name: str) -> tuple[Operator, ...]:
    """The rows of one operator (ONNX's name), oldest first."""
    return tuple(operator for operator in OPERATORS if operator.name == name)
