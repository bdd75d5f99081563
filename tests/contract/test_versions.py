"""Every row answers by the rules of its generation: vectors for the versions that ONNX's own cases do not reach."""

from typing import Any

import httpx
import numpy as np
import pytest

from app.errors import AxisOutOfRange, Undefined, UnknownParameter
from app.spec.operators import OPERATORS
from tests.evaluation import reduced, row
from tests.oracle import answer
from tests.oracle.rows import ROWS, dtypes, parameters
from tests.samples import samples
from tests.wire import read_answer, request_body

INFINITY = float("inf")

VECTORS: dict[str, tuple[list[list[float]], list[float], float | list[float]]] = {
    "ReduceMin": ([[3, 1, 2], [9, 7, 8]], [1, 7], 1),
    "ReduceMax": ([[3, 1, 2], [9, 7, 8]], [3, 9], 9),
    "ReduceSum": ([[3, 1, 2], [9, 7, 8]], [6, 24], 30),
    "ReduceMean": ([[3, 1, 2], [9, 7, 8]], [2, 8], 5),
    "ReduceProd": ([[3, 1, 2], [9, 7, 8]], [6, 504], 3024),
    "ReduceL1": ([[3, -1, 2], [9, 7, -8]], [6, 24], 30),
    "ReduceL2": ([[2, 3, 6], [1, -4, 8]], [7, 9], 11.401754251),
    "ReduceSumSquare": ([[3, 1, 2], [0, -1, 2]], [14, 5], 19),
    "ReduceLogSum": ([[0.5, 0.25, 0.25], [1, 0.5, -0.5]], [0, 0], 0.69314718056),
    "ReduceLogSumExp": ([[2, -INFINITY, -INFINITY], [-INFINITY, -INFINITY, -3]], [2, -3], 2.00671534849),
    "ArgMin": ([[3, 1, 1], [7, 9, 7]], [1, 0], [0, 0, 0]),
    "ArgMax": ([[3, 1, 3], [7, 9, 9]], [0, 1], [1, 1, 1]),
}
"""A tensor, the answer along its last axis, and the answer where no axis is given (Arg*: along axis 0)."""

LAST_INDEX = {"ArgMin": [2, 2], "ArgMax": [2, 2]}
"""Along the last axis, with select_last_index."""

UNREDUCED = {
    "ReduceL1": [[3, 1, 2], [9, 7, 8]],
    "ReduceL2": [[2, 3, 6], [1, 4, 8]],
    "ReduceSumSquare": [[9, 1, 4], [0, 1, 4]],
    "ReduceLogSum": np.log(np.array([[0.5, 0.25, 0.25], [1, 0.5, np.nan]], np.float32)).tolist(),
}
"""With noop_with_empty_axes and no axes; the other operators leave the tensor as it is."""

every_row = pytest.mark.parametrize(("operator", "version"), ROWS)


def ask(operator: str, version: int, **fields: Any) -> np.ndarray[Any, Any]:
    values = np.array(VECTORS[operator][0], np.float32)
    dtype, answer = reduced(operator, version, "float32", values, fields)
    assert dtype == ("int64" if operator.startswith("Arg") else "float32")
    return answer


def along(operator: str, axis: int) -> dict[str, Any]:
    return {"axis": axis} if operator.startswith("Arg") else {"axes": [axis]}


def same(found: Any, expected: Any) -> bool:
    wanted = np.array(expected, found.dtype)
    return found.shape == wanted.shape and np.array_equal(found, wanted, equal_nan=found.dtype.kind == "f")


def test_the_rules_are_for_every_row_of_the_table() -> None:
    assert sorted(ROWS) == sorted((operator.name, operator.version) for operator in OPERATORS)


@every_row
def test_the_last_axis_is_reduced(operator: str, version: int) -> None:
    along_last = VECTORS[operator][1]
    assert same(ask(operator, version, **along(operator, 1), keepdims=0), along_last)
    assert same(ask(operator, version, **along(operator, 1)), [[value] for value in along_last])
    assert same(ask(operator, version, **along(operator, 1), keepdims=True), [[value] for value in along_last])


@every_row
def test_without_axes_everything_is_reduced_or_axis_0_searched(operator: str, version: int) -> None:
    expected = VECTORS[operator][2]
    assert same(ask(operator, version, keepdims=0), expected)
    nothing = {"axis": None} if operator.startswith("Arg") else {"axes": None}
    assert same(ask(operator, version, keepdims=False, **nothing), expected)
    if not operator.startswith("Arg"):
        assert same(ask(operator, version, axes=[], keepdims=0), expected)
        assert same(ask(operator, version), [[expected]])


@every_row
def test_negative_axes_exist_since_version_11(operator: str, version: int) -> None:
    if version == 1:
        with pytest.raises(AxisOutOfRange, match=r"-1\b"):
            ask(operator, version, **along(operator, -1))
    else:
        assert same(ask(operator, version, **along(operator, -1), keepdims=0), VECTORS[operator][1])


@every_row
def test_noop_with_empty_axes_exists_where_the_row_says(operator: str, version: int) -> None:
    if "noop_with_empty_axes" not in parameters(operator, version):
        with pytest.raises(UnknownParameter):
            ask(operator, version, noop_with_empty_axes=1)
        return
    expected = UNREDUCED.get(operator, VECTORS[operator][0])
    spellings: tuple[dict[str, Any], ...] = ({}, {"axes": []}, {"axes": None}, {"keepdims": 0})
    for fields in spellings:
        assert same(ask(operator, version, noop_with_empty_axes=1, **fields), expected)
    assert same(ask(operator, version, noop_with_empty_axes=1, axes=[1], keepdims=0), VECTORS[operator][1])
    assert same(ask(operator, version, noop_with_empty_axes=0, axes=[], keepdims=0), VECTORS[operator][2])


@every_row
def test_select_last_index_exists_since_version_12_of_arg(operator: str, version: int) -> None:
    if "select_last_index" not in parameters(operator, version):
        with pytest.raises(UnknownParameter):
            ask(operator, version, select_last_index=1)
    else:
        assert same(ask(operator, version, axis=1, select_last_index=1, keepdims=0), LAST_INDEX[operator])
        assert same(ask(operator, version, axis=1, select_last_index=0, keepdims=0), VECTORS[operator][1])


@every_row
def test_empty_sets_follow_one_rule_at_every_version(operator: str, version: int) -> None:
    empty = np.empty((2, 0, 3), np.float32)
    if operator.startswith("Arg"):
        with pytest.raises(Undefined):
            reduced(operator, version, "float32", empty, {"axis": 1})
        if version == 11:
            with pytest.raises(Undefined):
                reduced(operator, version, "float32", empty, {"axis": 0})
        else:
            assert reduced(operator, version, "float32", empty, {"axis": 0})[1].shape == (1, 0, 3)
        return
    expected = {"ReduceProd": 1, "ReduceMin": INFINITY, "ReduceMax": -INFINITY, "ReduceMean": np.nan}
    expected |= {"ReduceLogSum": -INFINITY, "ReduceLogSumExp": -INFINITY}
    found = reduced(operator, version, "float32", empty, {"axes": [1], "keepdims": 0})[1]
    assert same(found, np.full((2, 3), expected.get(operator, 0)))
    assert reduced(operator, version, "float32", empty, {"axes": [2]})[1].shape == (2, 0, 1)


@every_row
def test_http_answers_every_dtype_of_the_row(client: httpx.Client, operator: str, version: int) -> None:
    draw = np.random.default_rng(version)
    for dtype in dtypes(operator, version):
        kind = "ordinary" if "float" in dtype else "booleans" if dtype == "bool" else "few"
        values = abs(samples(dtype)[kind](draw, dtype, 24).reshape(2, 3, 4))
        values = values + 1 if operator == "ReduceLogSum" else values
        fields = {"axis": 1} if operator.startswith("Arg") else {"axes": [0, 2]}
        response = client.post(row(operator, version).path, content=request_body(dtype, values, fields, "base64"))
        assert response.status_code == 200, response.text
        answer(operator, version, dtype, values, fields).assert_matches(*read_answer(response.json(), "base64"))
