"""Operator versions by the rules alone: which dtypes and parameters each takes, and what it must answer.

Written apart from the application's table, so that the two can disagree.
"""

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from tests.oracle.reduction import Expected, NoAnswer, expect

FLOATS = ("float16", "float32", "float64")
H = (*FLOATS, "int32", "int64", "uint32", "uint64")
N = (*H, "int8", "int16", "uint8", "uint16")

VERSIONS: dict[str, tuple[int, ...]] = {
    "ReduceMin": (1, 11, 12, 13, 18, 20),
    "ReduceMax": (1, 11, 12, 13, 18, 20),
    "ReduceSum": (1, 11, 13),
    "ReduceMean": (1, 11, 13, 18),
    "ReduceProd": (1, 11, 13, 18),
    "ReduceL1": (1, 11, 13, 18),
    "ReduceL2": (1, 11, 13, 18),
    "ReduceSumSquare": (1, 11, 13, 18),
    "ReduceLogSum": (1, 11, 13, 18, 28),
    "ReduceLogSumExp": (1, 11, 13, 18, 28),
    "ArgMin": (1, 11, 12, 13),
    "ArgMax": (1, 11, 12, 13),
}
ROWS = [(operator, version) for operator, versions in VERSIONS.items() for version in versions]


def dtypes(operator: str, version: int) -> tuple[str, ...]:
    """What a row accepts."""
    if operator.startswith("Arg"):
        return N + (("bfloat16",) if version >= 13 else ())
    accepted: tuple[str, ...] = H
    if operator in ("ReduceMin", "ReduceMax"):
        accepted += ("int8", "uint8") if version >= 12 else ()
        accepted += ("bool",) if version >= 20 else ()
    if operator in ("ReduceLogSum", "ReduceLogSumExp") and version >= 28:
        accepted = FLOATS
    return accepted + (("bfloat16",) if version >= 13 else ())


def newest(operator: str, dtype: str) -> int:
    """The newest version of an operator that takes a dtype."""
    return max(version for version in VERSIONS[operator] if dtype in dtypes(operator, version))


def parameters(operator: str, version: int) -> tuple[str, ...]:
    """The names a row takes beside the tensor."""
    if operator.startswith("Arg"):
        return ("axis", "keepdims", "select_last_index") if version >= 12 else ("axis", "keepdims")
    noop = version >= 11 if operator == "ReduceSum" else version >= 18
    return ("axes", "keepdims", "noop_with_empty_axes") if noop else ("axes", "keepdims")


def answer(operator: str, version: int, dtype: str, values: NDArray[Any], given: Mapping[str, Any]) -> Expected:
    """What a row must answer to an array and the JSON fields beside it; NoAnswer where it must refuse."""
    if dtype not in dtypes(operator, version):
        raise NoAnswer(f"{dtype} at {operator}-{version}")
    if unknown := set(given) - set(parameters(operator, version)):
        raise NoAnswer(f"parameters {unknown} at {operator}-{version}")
    keepdims = _flag(given, "keepdims", True)
    if operator.startswith("Arg"):
        if version == 11 and values.size == 0:
            raise NoAnswer("the tensor must not be empty at version 11")
        axis = given.get("axis")
        axes = _axes([0 if axis is None else axis], values.ndim, version)
        reduced_is_empty = values.shape[axes[0]] == 0
        others = [size for index, size in enumerate(values.shape) if index != axes[0]]
        if reduced_is_empty and 0 not in others:
            raise NoAnswer("the axis has size 0")
        return expect(operator, dtype, values, axes, keepdims, last=_flag(given, "select_last_index", False))
    noop = _flag(given, "noop_with_empty_axes", False)
    axes = _axes(given.get("axes") or [], values.ndim, version)
    elementwise = noop and not axes
    return expect(operator, dtype, values, axes or tuple(range(values.ndim)), keepdims, elementwise=elementwise)


PAIRS = [
    (operator, dtype)
    for operator, versions in VERSIONS.items()
    for dtype in dict.fromkeys(dtype for version in versions for dtype in dtypes(operator, version))
]
"""Every operator with every dtype that one of its versions takes."""


def _flag(given: Mapping[str, Any], name: str, default: bool) -> bool:
    value = given.get(name)
    if value is None:
        return default
    if type(value) not in (bool, int) or value not in (0, 1):
        raise NoAnswer(f"{name} is {value!r}")
    return bool(value)


def _axes(given: Any, rank: int, version: int) -> tuple[int, ...]:
    least = -rank if version >= 11 else 0
    if type(given) is not list or any(type(axis) is not int or not least <= axis < rank for axis in given):
        raise NoAnswer(f"axes {given!r} of rank {rank}")
    axes = {axis % rank for axis in given}
    if len(axes) < len(given):
        raise NoAnswer(f"axes {given!r} name one twice")
    return tuple(sorted(axes))
