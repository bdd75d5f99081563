"""The worked cases, through `evaluate` and through HTTP in both encodings."""

import httpx
import numpy as np
import pytest

from app.errors import Unprocessable
from tests.cases import Case, read
from tests.evaluation import reduced, row
from tests.oracle import answer
from tests.wire import Encoding, read_answer, request_body

CASES = read()
ANSWERED = [case for case in CASES if case.expected is not None]
REFUSED = [case for case in CASES if case.expected is None]


def test_there_are_281_cases_under_names_of_their_own() -> None:
    assert len({case.id for case in CASES}) == 281
    assert len(REFUSED) == 41
    assert all(row(case.operator, case.version).path == case.path for case in CASES)


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.id)
def test_evaluate_answers_as_worked(case: Case) -> None:
    dtype, values = reduced(case.operator, case.version, case.dtype, case.values, case.parameters)
    check(case, dtype, values)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_evaluate_refuses_as_worked(case: Case) -> None:
    with pytest.raises(Unprocessable):
        reduced(case.operator, case.version, case.dtype, case.values, case.parameters)


@pytest.mark.parametrize("encoding", ["values", "base64"])
@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.id)
def test_http_answers_as_worked(client: httpx.Client, case: Case, encoding: Encoding) -> None:
    response = client.post(case.path, content=request_body(case.dtype, case.values, case.parameters, encoding))
    assert response.status_code == 200, response.text[:1000]
    check(case, *read_answer(response.json(), encoding))


@pytest.mark.parametrize("encoding", ["values", "base64"])
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_http_refuses_as_worked_with_a_problem_document(client: httpx.Client, case: Case, encoding: Encoding) -> None:
    response = client.post(case.path, content=request_body(case.dtype, case.values, case.parameters, encoding))
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == 422
    assert problem["type"] not in ("", "about:blank")
    assert problem["title"]
    assert problem["detail"]


def check(case: Case, dtype: str, values: "np.ndarray[tuple[int, ...], np.dtype[np.generic]]") -> None:
    """Within what exact arithmetic allows; and the worked answer itself, where only one is allowed."""
    assert case.expected is not None
    allowed = answer(case.operator, case.version, case.dtype, case.values, case.parameters)
    allowed.assert_matches(*case.expected)
    allowed.assert_matches(dtype, values)
