"""Refusals become problem documents with the value, the rule and the place, and a bug becomes a plain 500."""

import inspect
from typing import Any

import pytest

from app import errors
from app.errors import Refusal
from app.http.problems import PROBLEMS
from app.http.reductions import reducer
from tests.http.service import BODY, Service, problem

FLOAT = BODY["data"]


def test_every_error_that_is_raised_has_a_problem() -> None:
    families = {errors.Refusal, errors.Unprocessable}
    named = {error for _, error in inspect.getmembers(errors, inspect.isclass) if issubclass(error, Refusal)}
    assert set(PROBLEMS) == named - families
    assert len({entry.type for entry in PROBLEMS.values()}) == len(PROBLEMS)
    for error, entry in PROBLEMS.items():
        slug = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in error.__name__)[1:]
        assert entry.type.removeprefix("/problems/") == slug
        assert (entry.status == 422) == issubclass(error, errors.Unprocessable)


@pytest.mark.parametrize(
    ("path", "content", "status", "slug", "place", "said"),
    [
        (
            "/v12/reduce_min",
            {"data": FLOAT, "axes": [2]},
            422,
            "axis-out-of-range",
            "/axes/0",
            ["2", "[-2, 1]", "rank 2"],
        ),
        (
            "/v10/reduce_sum",
            {"data": FLOAT, "axes": [-1]},
            422,
            "axis-out-of-range",
            "/axes/0",
            ["axis -1", "[0, 1]", "version 1 takes no negative axes, which are accepted since version 11"],
        ),
        ("/v1/arg_min", {"data": FLOAT, "axis": -1}, 422, "axis-out-of-range", "/axis", ["since version 11"]),
        (
            "/v12/reduce_min",
            {"dtype": "int8", "values": [1]},
            422,
            "missing-field",
            "/data",
            ["put dtype and values in"],
        ),
        ("/v12/reduce_min", {"data": FLOAT, "answer": 5}, 422, "invalid-parameter", "/answer", ["not 5", "encoding"]),
        (
            "/v12/reduce_log_sum",
            {"data": {"dtype": "int32", "values": [1, -1]}},
            422,
            "undefined",
            None,
            ["the sum 0", "a float dtype gives -inf for 0 and NaN below"],
        ),
        ("/v12/reduce_min", {"data": FLOAT, "axes": [1, -1]}, 422, "duplicate-axis", "/axes/1", ["-1"]),
        ("/v12/reduce_min", {"data": FLOAT, "axes": [1.0]}, 422, "invalid-parameter", "/axes/0", ["1.0", "integer"]),
        ("/v12/reduce_min", {"data": FLOAT, "axes": [10**5]}, 422, "axis-out-of-range", "/axes/0", ["100000"]),
        ("/v12/reduce_min", {"data": FLOAT, "axes": 1}, 422, "invalid-parameter", "/axes", ["list"]),
        ("/v12/reduce_min", {"data": FLOAT, "keepdims": 2}, 422, "invalid-parameter", "/keepdims", ["2", "0 or 1"]),
        ("/v12/reduce_min", {"data": FLOAT, "axis": 1}, 422, "unknown-parameter", "/axis", ["axes, keepdims"]),
        (
            "/v11/arg_min",
            {"data": FLOAT, "select_last_index": 1},
            422,
            "unknown-parameter",
            "/select_last_index",
            ["12"],
        ),
        ("/v12/reduce_min", {"data": FLOAT, "a/b~c": 1}, 422, "unknown-parameter", "/a~1b~0c", []),
        (
            "/v11/reduce_min",
            {"data": {"dtype": "int8", "values": [1]}},
            422,
            "dtype-not-accepted",
            "/data/dtype",
            ["12"],
        ),
        (
            "/v12/reduce_min",
            {"data": {"dtype": "float", "values": [1]}},
            422,
            "unknown-dtype",
            "/data/dtype",
            ["float32"],
        ),
        (
            "/v12/reduce_min",
            {"data": {"dtype": "int8", "values": [[1, 128]]}},
            422,
            "invalid-element",
            "/data/values/0/1",
            ["128", "127"],
        ),
        (
            "/v12/reduce_min",
            {"data": {"dtype": "int8", "values": [[1], []]}},
            422,
            "ragged-nesting",
            "/data/values/1",
            [],
        ),
        (
            "/v12/reduce_min",
            {"data": {"dtype": "int8", "shape": [3], "values": [1]}},
            422,
            "shape-mismatch",
            "/data/shape",
            ["1", "3"],
        ),
        ("/v12/arg_min", {"data": {"dtype": "float32", "values": []}}, 422, "undefined", None, []),
        ("/v12/arg_min", {"data": {"dtype": "float32", "values": 1}}, 422, "axis-out-of-range", None, ["rank 0"]),
        ("/v12/reduce_min", {"data": [1, 2]}, 422, "invalid-parameter", "/data", ["not a list", '{"dtype": …']),
        ("/v12/reduce_min", b'{"a": 1]', 400, "malformed-body", None, ['"," or "}" is expected']),
        ("/v12/reduce_min", b'{"data": {"values": [1}}', 400, "malformed-body", None, ['"," or "]" is expected']),
        ("/v12/ReduceMin", {}, 404, "unknown-operator", None, ['"ReduceMin" (did you mean reduce_min?)']),
        ("/v29/reduce_min", {}, 404, "unknown-version", None, ["no opset 29", "1 to 28"]),
        ("/v12/" + "x" * 2000, {}, 404, "unknown-operator", None, [f'"{"x" * 40}…"; there are']),
        ("/v12/reduce_min", b"{", 400, "malformed-body", None, ["line 1"]),
        ("/v12/reduce_min", b"\xff", 400, "malformed-body", None, ["UTF-8"]),
        ("/v12/reduce_min", b"", 400, "malformed-body", None, []),
        ("/v12/reduce_min", b'{"axes": [0], "axes": [1]}', 400, "duplicate-key", None, ["axes"]),
    ],
)
def test_a_refusal_says_what_where_and_why(
    service: Service, path: str, content: Any, status: int, slug: str, place: str | None, said: list[str]
) -> None:
    found = problem(service.post(path, content), status, slug)
    if place is not None:
        assert found.get("place") == place
    assert all(word in found["detail"] for word in said)


@pytest.mark.parametrize("name", ["q" * 41, "\u00e4" * 41, "q" * 100_000])
def test_a_key_given_twice_is_quoted_to_its_end(service: Service, name: str) -> None:
    body = f'{{"data": {{"dtype": "float32", "values": [1]}}, "{name}": 1, "{name}": 1}}'
    said = problem(service.post("/v12/reduce_max", body.encode()), 400, "duplicate-key")["detail"]
    assert said == f'the key "{name[:40]}\u2026" is given more than once in one object'


def test_half_a_surrogate_pair_is_no_reason_to_fail(service: Service) -> None:
    problem(service.post("/v12/reduce_min", b'{"data": {"dtype": "\\ud800", "values": [1]}}'), 400, "malformed-body")


@pytest.mark.parametrize("size", [1, 5000])
def test_a_bug_is_a_500_that_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, service: Service, caplog: pytest.LogCaptureFixture, size: int
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(reducer.Reducer, "_plan", fail)
    response = service.post("/v12/reduce_min", {"data": {"dtype": "float32", "values": [1.5] * size}})
    problem(response, 500, "internal")
    assert b"secret" not in response.content
    assert "secret" in caplog.text
    assert "/v12/reduce_min failed" in caplog.text
    assert "1.5" not in caplog.text


def test_no_memory_is_no_bug(monkeypatch: pytest.MonkeyPatch, service: Service) -> None:
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(reducer.Reducer, "_plan", fail)
    response = service.post("/v12/reduce_min", BODY)
    problem(response, 503, "overloaded")
    assert response.headers["retry-after"] == "1"
