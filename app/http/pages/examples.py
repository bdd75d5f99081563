"""Requests that work when sent, with their answers: a small tensor for each operator, reduced along its rows."""

from base64 import b64encode
from struct import pack
from typing import Any, NamedTuple

from app.spec.operators import Operator

Json = dict[str, Any]
Rows = list[list[int]]
Answers = list[float] | list[int]


class Sample(NamedTuple):
    """Rows that every dtype of the operator takes, and what it answers for them as float32 along axis 1, in the fewest
    digits that name the float32. `remark`: what they show, or which others would."""

    rows: Rows
    answers: Answers
    remark: str = ""


PLAIN: Rows = [[3, 1, 2], [9, 7, 8]]
TIES: Rows = [[2, 1, 1], [0, 5, 5]]

_LOST = "Try {rows} as float32: in float32 arithmetic it would give {naive}; here it gives {exact}."

SAMPLES = {
    "ReduceMin": Sample(PLAIN, [1.0, 7.0]),
    "ReduceMax": Sample(PLAIN, [3.0, 9.0]),
    "ReduceSum": Sample(PLAIN, [6.0, 24.0], _LOST.format(rows="[[1e8, 1, -1e8]]", naive=0, exact=1)),
    "ReduceMean": Sample(PLAIN, [2.0, 8.0], _LOST.format(rows="[[1e8, 1, -1e8]]", naive=0, exact=0.33333334)),
    "ReduceProd": Sample(PLAIN, [6.0, 504.0]),
    "ReduceL1": Sample(PLAIN, [6.0, 24.0], _LOST.format(rows="[[16777216, 1, 1]]", naive=16777216, exact=16777218)),
    "ReduceL2": Sample(
        [[8192, 2, 3], [0, 3, 4]],
        [8192.001, 5.0],
        "In float32 arithmetic the first row would give 8192: the squares of 2 and 3 would be rounded away.",
    ),
    "ReduceSumSquare": Sample(
        [[4096, 1, 1], [3, 1, 2]],
        [16777218.0, 14.0],
        "In float32 arithmetic the first row would give 16777216: each 1 would be rounded away.",
    ),
    "ReduceLogSum": Sample(PLAIN, [1.7917595, 3.1780539]),
    "ReduceLogSumExp": Sample(
        [[100, 100, 100], [3, 1, 2]],
        [101.09861, 3.407606],
        "In float32 arithmetic the first row would give infinity: e^100 is beyond float32.",
    ),
    "ArgMin": Sample(TIES, [1, 0], "The first row has its smallest element twice."),
    "ArgMax": Sample(TIES, [0, 1], "The second row has its largest element twice."),
}
"""By ONNX's name of the operator."""


class Example(NamedTuple):
    """A JSON request and its answer."""

    summary: str
    request: Json
    answer: Json


def examples(operator: Operator) -> dict[str, Example]:
    """One request per encoding, for any version of any operator."""
    along = {"axis": 1} if "axis" in operator.parameters.model_fields else {"axes": [1]}
    parameters = {**along, "keepdims": 0}
    rows, answers, _ = SAMPLES[operator.name]
    dtype, code = ("float32", "f") if operator.output == "T" else ("int64", "q")
    data = {"dtype": "float32", "shape": [len(rows), len(rows[0])]}
    reduced = {"dtype": dtype, "shape": [len(answers)]}
    flat = [element for row in rows for element in row]
    return {
        "values": Example(
            "Elements as nested lists",
            {"data": {**data, "values": rows}, **parameters},
            {"reduced": {**reduced, "values": answers}},
        ),
        "base64": Example(
            "Elements as little-endian bytes",
            {"data": {**data, "base64": _base64("f", flat)}, **parameters},
            {"reduced": {**reduced, "base64": _base64(code, answers)}},
        ),
    }


def _base64(code: str, elements: Answers) -> str:
    return b64encode(pack(f"<{len(elements)}{code}", *elements)).decode()
