"""ONNX's own node cases of these operators: every one that is a single node, none left out."""

from collections import Counter

import httpx
import pytest

from tests.contract.nodes import DTYPES, Node
from tests.evaluation import reduced, row
from tests.wire import Encoding, read_answer, request_body

EXPECTED = {
    "ReduceMin": 10,
    "ReduceMax": 11,
    "ReduceSum": 12,
    "ReduceMean": 8,
    "ReduceProd": 9,
    "ReduceL1": 9,
    "ReduceL2": 9,
    "ReduceSumSquare": 9,
    "ReduceLogSum": 5,
    "ReduceLogSumExp": 9,
    "ArgMin": 16,
    "ArgMax": 16,
}
"""How many cases the pinned onnx has."""


def test_all_of_them_are_here(nodes: list[Node]) -> None:
    assert Counter(node.operator for node in nodes) == EXPECTED
    assert sum(EXPECTED.values()) == 123


def test_evaluate_answers_each(nodes: list[Node]) -> None:
    complaints = [
        node.complaint(*reduced(node.operator, node.version, DTYPES[node.values.dtype], node.values, node.fields))
        for node in nodes
    ]
    assert [complaint for complaint in complaints if complaint] == []


@pytest.mark.parametrize("encoding", ["values", "base64"])
def test_http_answers_each(nodes: list[Node], client: httpx.Client, encoding: Encoding) -> None:
    complaints = []
    for node in nodes:
        body = request_body(DTYPES[node.values.dtype], node.values, node.fields, encoding)
        response = client.post(row(node.operator, node.version).path, content=body)
        assert response.status_code == 200, (node.name, response.text)
        complaints.append(node.complaint(*read_answer(response.json(), encoding)))
    assert [complaint for complaint in complaints if complaint] == []
