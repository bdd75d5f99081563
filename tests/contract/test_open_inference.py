"""ONNX's node cases and the worked cases as inferences: JSON and binary, in and out."""

import httpx
import pytest

from tests.cases import Case, read
from tests.contract.nodes import DTYPES, Node
from tests.evaluation import row
from tests.inference import infer_path, read_answer, request
from tests.oracle import answer

CASES = read()
ANSWERED = [case for case in CASES if case.expected is not None]
REFUSED = [case for case in CASES if case.expected is None]

every_form = pytest.mark.parametrize(
    ("binary", "binary_answer"), [(False, False), (False, True), (True, False), (True, True)]
)


def infer(client: httpx.Client, operator: str, version: int, body: bytes, headers: dict[str, str]) -> httpx.Response:
    return client.post(infer_path(row(operator, version).path_name, version), content=body, headers=headers)


@every_form
def test_onnx_nodes(nodes: list[Node], client: httpx.Client, binary: bool, binary_answer: bool) -> None:
    complaints = []
    for node in nodes:
        body, headers = request(DTYPES[node.values.dtype], node.values, node.fields, binary, binary_answer)
        response = infer(client, node.operator, node.version, body, headers)
        assert response.status_code == 200, (node.name, response.text)
        complaints.append(node.complaint(*read_answer(response.content, response.headers)))
    assert len(complaints) == 123
    assert [complaint for complaint in complaints if complaint] == []


@every_form
@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.id)
def test_worked_cases(client: httpx.Client, case: Case, binary: bool, binary_answer: bool) -> None:
    body, headers = request(case.dtype, case.values, case.parameters, binary, binary_answer, axes_last=binary_answer)
    response = infer(client, case.operator, case.version, body, headers)
    assert response.status_code == 200, response.text[:1000]
    allowed = answer(case.operator, case.version, case.dtype, case.values, case.parameters)
    allowed.assert_matches(*read_answer(response.content, response.headers))


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_refused_cases(client: httpx.Client, case: Case, binary: bool) -> None:
    body, headers = request(case.dtype, case.values, case.parameters, binary)
    response = infer(client, case.operator, case.version, body, headers)
    assert response.status_code == 400
    assert response.headers["content-type"] == "application/json"
    (said,) = response.json().items()
    assert said[0] == "error"
    assert said[1]
