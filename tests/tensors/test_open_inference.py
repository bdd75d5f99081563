"""The text of an inference asks for the same, whatever was read before it."""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.errors import Refusal
from app.tensors import skeleton
from app.tensors.open_inference import patterns, reading
from app.tensors.open_inference.members import Asked
from app.tensors.open_inference.patterns import Patterns
from app.tensors.open_inference.reading import read_anew


def text(data: str, axes: str = "[1]", more: str = "") -> bytes:
    inputs = f'{{"name": "data", "shape": [2], "datatype": "FP32", "data": {data}}}'
    inputs += f', {{"name": "axes", "shape": [1], "datatype": "INT64", "data": {axes}}}'
    return f'{{"inputs": [{inputs}]{more}}}'.encode()


IDS = ['""', '"a"', '"b"', '"\\u0061"', '"\u00e4"', "null", "5", '"a\\""', '"\\', '"a\tb"']

TEXTS = [
    text("[1, 2]"),
    text("[3.5, 4]", "[0]"),
    text("[[1], [2]]"),
    text("[1, 2, 3]"),
    text("[1]"),
    text("[]"),
    text("[-0, -0.0]"),
    text("[NaN, -Infinity]"),
    text("NaN"),
    text("[1e39, 1]"),
    text("[true, 1]"),
    text('["NaN", 1]'),
    text("[1, 2,]"),
    text("[1 2]"),
    text("[1, 2", "[1]"),
    text("[1, 2]", "[1.0]"),
    text("[1, 2]", "[1.5]"),
    text("[1, 2]", "NaN"),
    text("[1, 2]", "null"),
    text("[1, 2]", "[9223372036854775808]"),
    text("[1, 2]", more=', "parameters": {"keepdims": 0}'),
    text("[1, 2]", more=', "parameters": {"keepdims": NaN}'),
    text("[1, 2]", more=', "parameters": {"data": [1, 2]}'),
    text("[1, 2]", more=', "parameters": {"data": [3, 2]}'),
    text("[1, 2]", more=', "parameters": {"keepdims": 0, "keepdims": 1}'),
    text("[1, 2]", more=', "inputs": []'),
    text("[1, 2]", more=', "id": "\\ud800"'),
    *(text("[1, 2]", more=f', "id": {value}') for value in IDS),
    text("[3, 2]", more=', "id": "b"'),
    text("[1, 2]", more=', "id": "a", "id": "b"'),
    *(text("[1, 2]", more=f', "parameters": {{"headers": {{"id": {value}}}}}') for value in IDS),
    *(text("[1, 2]", more=f', "parameters": {{"id": {value}}}') for value in IDS),
    text("[1, 2]", more=', "parameters": {"headers": {"id": "a"}}, "id": "b"'),
    text("[1, 2]", more=', "parameters": {"headers": {"x\\\\"id": "a"}}, "id": ""'),
]


def read(body: bytes, decode: Callable[[bytes], Asked]) -> Any:
    """What a text asks for as something to compare, or the words of its refusal."""
    try:
        found = decode(body)
    except Refusal as refusal:
        return type(refusal), str(refusal), refusal.place
    assert found.data.values is not None
    axes = found.axes.values.tolist() if found.axes and found.axes.values is not None else None
    data = found.data.values
    return found.id, found.data.header, data.dtype, data.tobytes(), axes, found.parameters


@pytest.mark.parametrize("before", TEXTS, ids=lambda body: body.decode()[70:])
def test_what_was_read_before_makes_no_difference(before: bytes) -> None:
    expected = [repr(read(body, read_anew)) for body in TEXTS]
    read_before = Patterns().decode
    for _ in range(2):
        read(before, read_before)
        assert [repr(read(body, read_before)) for body in TEXTS] == expected


def test_no_more_lists_are_looked_for_than_there_are_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    ends: list[int] = []

    def end_of_list(text: bytes, start: int) -> int:
        ends.append(start)
        return skeleton.end_of_list(text, start)

    monkeypatch.setattr(reading, "skeleton", SimpleNamespace(**{**vars(skeleton), "end_of_list": end_of_list}))
    with pytest.raises(Refusal):
        read_anew(b'{"inputs": [' + b'"data":[],' * 1000)
    assert len(ends) == 2


def test_what_is_remembered_is_bounded() -> None:
    various, alike, long = Patterns(), Patterns(), Patterns()
    for number in range(2 * patterns.RESTS):
        various.decode(text("[1, 2]", more=f', "parameters": {{"priority": {number}}}'))
    assert 0 < len(various.known) <= patterns.RESTS
    for number in range(100):
        alike.decode(text("[1, 2]", f"[{number}]", more=f', "id": "{number}"'))
    (pattern,) = alike.known.values()
    assert 0 < len(pattern.axes) <= patterns.AXES_TEXTS
    alike.decode(text("[1, 2]", f"[1{' ' * patterns.SHORT_AXES}]", more=', "id": "x"'))
    assert max(map(len, pattern.axes)) <= patterns.SHORT_AXES
    long.decode(text("[1, 2]", more=f', "model_name": "{"x" * patterns.REMEMBERED}"'))
    assert long.known == {}


@pytest.mark.parametrize("size", [10, 3000, 200_000])
@pytest.mark.parametrize("nested", [False, True])
def test_elements_are_read_at_every_size(size: int, nested: bool) -> None:
    values = np.random.default_rng(size).normal(size=(size, 2)).astype(np.float32)
    data = {"name": "data", "shape": [size, 2], "datatype": "FP32"}
    elements = values.tolist() if nested else values.reshape(-1).tolist()
    decode = Patterns().decode
    for members in ({**data, "data": elements}, {"data": elements, **data}):
        for _ in range(2):
            found = decode(json.dumps({"parameters": {}, "inputs": [members]}).encode()).data
            assert found.header.shape == (size, 2)
            assert found.values is not None
            assert np.array_equal(found.values, values.reshape(-1))


@pytest.mark.parametrize("size", [1, 5, 5000])
def test_every_digit_of_a_number_counts(size: int) -> None:
    tie = "1." + str(5**53).rjust(53, "0") + "0" * 760  # 1 + 2^-53, half way to the next float64
    elements = ", ".join([tie] * size)
    request = f'{{"inputs": [{{"name": "data", "shape": [{size}], "datatype": "FP64", "data": [{elements}]}}]}}'
    decode = Patterns().decode
    decode(request.replace(tie, "1").encode())  # the pattern is known then
    found = decode(request.encode()).data.values
    assert found is not None
    assert found.tolist() == [1.0] * size
