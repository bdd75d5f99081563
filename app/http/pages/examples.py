"""Requests that work when sent, with their answers: one small tensor, reduced along its rows."""

from base64 import b64encode
from struct import pack
from typing import Any, NamedTuple

from app.spec.operators import Operator

Json = dict[str, Any]

SHAPE = [2, 3]
ROWS = [[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]]

ANSWERS: dict[str, list[float] | list[int]] = {
    "ReduceMin": [1.0, 7.0],
    "ReduceMax": [3.0, 9.0],
    "ReduceSum": [6.0, 24.0],
    "ReduceMean": [2.0, 8.0],
    "ReduceProd": [6.0, 504.0],
    "ReduceL1": [6.0, 24.0],
    "ReduceL2": [3.7416575, 13.928389],
    "ReduceSumSquare": [14.0, 194.0],
    "ReduceLogSum": [1.7917595, 3.1780539],
    "ReduceLogSumExp": [3.407606, 9.407606],
    "ArgMin": [1, 1],
    "ArgMax": [0, 0],
}
"""What each operator answers for ROWS as float32 along axis 1, in the fewest digits that name the float32."""


class Example(NamedTuple):
    """A JSON request and its answer."""

    summary: str
    request: Json
    answer: Json


def examples(operator: Operator) -> dict[str, Example]:
    """One request per encoding, for any version of any operator."""
    along = {"axis": 1} if "axis" in operator.parameters.model_fields else {"axes": [1]}
    parameters = {**along, "keepdims": 0}
    answers = ANSWERS[operator.name]
    dtype, code = ("float32", "f") if operator.output == "T" else ("int64", "q")
    data = {"dtype": "float32", "shape": SHAPE}
    reduced = {"dtype": dtype, "shape": [len(answers)]}
    flat = [element for row in ROWS for element in row]
    return {
        "values": Example(
            "Elements as nested lists",
            {"data": {**data, "values": ROWS}, **parameters},
            {"reduced": {**reduced, "values": answers}},
        ),
        "base64": Example(
            "Elements as little-endian bytes",
            {"data": {**data, "base64": _base64("f", flat)}, **parameters},
            {"reduced": {**reduced, "base64": _base64(code, answers)}},
        ),
    }


def _base64(code: str, elements: list[float] | list[int]) -> str:
    return b64encode(pack(f"<{len(elements)}{code}", *elements)).decode()
