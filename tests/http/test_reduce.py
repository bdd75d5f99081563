"""POST on operator paths: formats, headers, paths, limits."""

import asyncio
import io
import json
from typing import Any

import numpy as np
import pytest
from starlette.types import Message

from app.http.reductions import reduce
from app.spec.operators import LAST_OPSET, SERVING
from tests.http.service import BODY, CHUNKED, Client, Service, problem

REDUCED = {"reduced": {"dtype": "float32", "shape": [2], "values": [1.0, 7.0]}}


def test_a_tensor_and_its_parameters_give_the_reduced_tensor(service: Service) -> None:
    response = service.post("/v12/reduce_min", BODY)
    assert response.status_code == 200
    assert response.json() == REDUCED
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "server" not in response.headers
    assert "content-location" not in response.headers


def test_an_answer_comes_in_the_encoding_of_the_request_or_the_one_asked_for(service: Service) -> None:
    tensor = {"dtype": "int64", "shape": [2], "base64": "AQAAAAAAAAD//////////w=="}
    answer = service.post("/v13/reduce_min", {"data": tensor}).json()["reduced"]
    assert answer == {"dtype": "int64", "shape": [1], "base64": "//////////8="}
    wishes = {"encoding": "values", "integers": "string"}
    answer = service.post("/v13/reduce_min", {"data": tensor, "answer": wishes}).json()["reduced"]
    assert answer == {"dtype": "int64", "shape": [1], "values": ["-1"]}


@pytest.mark.parametrize("name", SERVING)
def test_every_opset_answers_as_its_row_does(service: Service, name: str) -> None:
    for opset in range(1, LAST_OPSET + 1):
        row = SERVING[name][opset]
        parameters: dict[str, Any] = {"axis": 1} if "axis" in row.parameters.model_fields else {"axes": [1]}
        response = service.post(f"/v{opset}/{name}", {"data": BODY["data"], **parameters})
        assert response.status_code == 200
        assert response.headers.get("content-location") == (None if opset == row.version else row.path)


def test_content_location_has_the_prefix_a_proxy_strips() -> None:
    service = Service(root_path="/tensors")
    assert service.post("/v17/reduce_min", BODY).headers["content-location"] == "/tensors/v13/reduce_min"
    assert service.get("/v17/reduce_min").headers["content-location"] == "/tensors/v13/reduce_min"
    assert service.get("/openapi.json").json()["servers"] == [{"url": "/tensors"}]


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/v0/reduce_min", "unknown-version"),
        ("/v29/reduce_min", "unknown-version"),
        ("/v99999/reduce_min", "unknown-version"),
        ("/v12/reduce_median", "unknown-operator"),
        ("/v12/ReduceMin", "unknown-operator"),
        ("/v012/reduce_min", "not-found"),
        ("/v12.0/reduce_min", "not-found"),
        ("/v-1/reduce_min", "not-found"),
        ("/v12/reduce_min/", "not-found"),
        ("/v12", "not-found"),
        ("/reduce_min", "not-found"),
        ("/docs/", "not-found"),
        ("/%ff%00", "not-found"),
    ],
)
@pytest.mark.parametrize("method", ["POST", "GET", "PUT"])
def test_any_other_path_is_a_404_that_says_what_exists(service: Service, method: str, path: str, slug: str) -> None:
    found = problem(service.request(method, path, BODY), 404, slug)
    said = found["detail"]
    assert ("versions 1, 11, 12" if slug == "unknown-version" else "reduce_log_sum_exp") in said


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/reduce_min", "/v28/reduce_min"),
        ("/ReduceMin", "/v28/reduce_min"),
        ("/12/reduce_min", "/v12/reduce_min"),
        ("/v12/reduce_min/", "/v12/reduce_min"),
        ("/V12/reduce_min", "/v12/reduce_min"),
        ("/v012/ReduceMin", "/v12/reduce_min"),
        ("/29/reduce_min", "/v28/reduce_min"),
        ("/latest/reduce_min", "/v28/reduce_min"),
        ("/api/v12/sum", "/v12/reduce_sum"),
        ("/reduce_min/12", "/v12/reduce_min"),
        ("/v12//min", "/v12/reduce_min"),
        ("/V7/argmax", "/v7/arg_max"),
        ("/latest/softmax", ""),
        ("/v12", ""),
        ("/docs/", ""),
        ("/" + "x/" * 1000 + "reduce_min", ""),
    ],
)
def test_a_path_that_is_not_there_leads_to_the_one_that_was_meant(service: Service, path: str, meant: str) -> None:
    said = problem(service.post(path, BODY), 404, "not-found")["detail"]
    assert said.startswith(f"did you mean {meant}? operators are at " if meant else "operators are at ")
    assert not meant or service.post(meant, {"data": BODY["data"]}).status_code == 200


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("min", "min"),
        ("sum", "sum"),
        ("mean", "mean"),
        ("logsumexp", "log_sum_exp"),
        ("ReduceMin", "min"),
        ("L2", "l2"),
    ],
)
def test_an_operator_that_is_not_there_leads_to_the_one_that_was_meant(service: Service, name: str, meant: str) -> None:
    said = problem(service.post(f"/v12/{name}", BODY), 404, "unknown-operator")["detail"]
    assert said.startswith(f'there is no operator "{name}" (did you mean reduce_{meant}?); there are ')


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/v12/reduce_min", "GET, HEAD, POST"), ("/v17/reduce_min", "GET, HEAD, POST"), ("/operators", "GET, HEAD")],
)
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "NONSENSE"])
def test_other_methods_are_told_what_is_allowed(service: Service, method: str, path: str, allowed: str) -> None:
    response = service.request(method, path)
    problem(response, 405, "method-not-allowed")
    assert response.headers["allow"] == allowed


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "Application/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        'application/json;charset="utf\\-8"',
        'application/json; a="; charset=latin-1"',
        "",
    ],
)
def test_json_by_name_or_without(service: Service, content_type: str) -> None:
    assert service.post("/v12/reduce_min", BODY, {"content-type": content_type}).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonx",
        "application/json; charset=latin-1",
        "multipart/form-data; boundary=x",
        'application/json; a="; charset=utf-8"; charset=latin-1',
        "json",
        ";",
        "x" * 5000,
    ],
)
def test_other_media_types_are_refused(service: Service, content_type: str) -> None:
    problem(service.post("/v12/reduce_min", BODY, {"content-type": content_type}), 415, "unsupported-media-type")


@pytest.mark.parametrize(
    ("content_type", "said"),
    [
        (
            "text/csv",
            '"text/csv" is not supported; use application/json, application/x-npy or application/octet-stream',
        ),
        (
            "application/x-www-form-urlencoded",
            "; curl sends JSON with -H 'Content-Type: application/json', and an .npy file with",
        ),
        ("x" * 5000, f'Content-Type "{"x" * 40}…" is not supported'),
        ("a\x9b", 'Content-Type "a\\u009b" is not supported'),
    ],
)
def test_what_may_be_sent_instead_is_said(service: Service, content_type: str, said: str) -> None:
    headers = {"content-type": content_type.encode("latin-1")}
    refused = problem(service.post("/v12/reduce_min", BODY, headers), 415, "unsupported-media-type")  # type: ignore[arg-type]
    assert said in refused["detail"]
    assert ("curl" in refused["detail"]) == content_type.endswith("urlencoded")


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "identity, gzip", "nonsense"])
def test_other_content_encodings_are_refused(service: Service, encoding: str) -> None:
    response = service.post("/v12/reduce_min", BODY, {"content-encoding": encoding})
    problem(response, 415, "unsupported-encoding")
    assert response.headers["accept-encoding"] == "gzip, zstd"
    assert service.post("/v12/reduce_min", BODY, {"content-encoding": "Identity"}).status_code == 200


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("*/*", 200),
        ("", 200),
        ("application/*", 200),
        ("application/json", 200),
        ("Application/JSON;q=0.001", 200),
        ("text/html, */*;q=0.1", 200),
        ("text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", 200),
        ("*/*;q=.", 406),
        ("*/*;q=.000", 406),
        ("*/*;q=1.5", 406),
        ("text/html;q=1,application/json ; q=0.5", 200),
        ("application/json;charset=utf-8", 200),
        ("*/*;q=0, application/json", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
        ("application/json;q=0.000", 406),
        ("*/*;q=0", 406),
        ("application/json;q=0, application/x-npy;q=0, application/octet-stream;q=0, */*", 406),
        ("application/*;q=0, */*", 406),
        ("application/json;q=2", 406),
        ("json", 406),
        (",", 406),
        ('text/html;a=", application/json"', 406),
        ('text/html;a="\\", application/json"', 406),
        ('text/html;a="unclosed, application/json', 406),
        ('application/json;a=";q=0";q=1', 200),
        ('application/json;a="x";q=0', 406),
    ],
)
def test_accept_decides_about_the_answer(service: Service, accept: str, status: int) -> None:
    response = service.post("/v12/reduce_min", BODY, {"accept": accept})
    if status == 200:
        assert response.json() == REDUCED
    else:
        problem(response, 406, "not-acceptable")


def test_a_header_on_several_lines_is_one_list(service: Service) -> None:
    content = json.dumps(BODY).encode()
    for accepts, status in (
        ([b"text/html", b"application/json"], 200),
        ([b"application/json", b"text/html"], 200),
        ([b"text/html", b"text/csv"], 406),
    ):
        start, *_ = Client(content, headers=[*CHUNKED, *((b"accept", accept) for accept in accepts)]).call(service)
        assert start["status"] == status


@pytest.mark.parametrize("query", ["axes=1", "keepdims=0", "x", "data=1", "%00", "axes"])
def test_a_json_request_has_no_query(service: Service, query: str) -> None:
    problem(service.post(f"/v12/reduce_min?{query}", BODY), 422, "unknown-parameter")


def test_a_body_has_a_largest_size() -> None:
    content = json.dumps(BODY).encode()
    assert Service(max_body_bytes=len(content)).post("/v12/reduce_min", content).status_code == 200
    limit = len(content) - 1
    refused = f"the body has {len(content)} bytes; the limit is {limit} (KEEPDIMS_MAX_BODY_BYTES)"
    larger = f"; a binary body may have {limit + 1} (KEEPDIMS_MAX_STREAM_BYTES)"
    for most, instead in ((limit, ""), (limit + 1, larger)):
        service = Service(max_body_bytes=limit, max_stream_bytes=most)
        assert problem(service.post("/v12/reduce_min", content), 413, "body-too-large")["detail"] == refused + instead
        (start, end) = Client(content, headers=CHUNKED).call(service)
        assert start["status"] == 413
        said = f"the body has more than {limit} bytes, which is the limit (KEEPDIMS_MAX_BODY_BYTES){instead}"
        assert json.loads(end["body"])["detail"] == said


@pytest.mark.parametrize("axes", [[0], [], [0, 1]])
def test_an_empty_tensor_may_not_ask_for_an_answer_of_any_size(service: Service, axes: list[int]) -> None:
    data = {"dtype": "float32", "shape": [0, 10**12], "values": []}
    response = service.post("/v13/reduce_sum", {"data": data, "axes": axes, "keepdims": 0})
    if axes == [0]:
        problem(response, 422, "invalid-shape")
    else:
        assert response.json()["reduced"] == {"dtype": "float32", "shape": [], "values": 0.0}
    data = {"dtype": "float32", "shape": [0, 2**62, 2**62], "values": []}
    problem(service.post("/v13/reduce_sum", {"data": data, "noop_with_empty_axes": 1}), 422, "invalid-shape")


def test_an_answer_without_elements_is_as_large_as_what_is_written() -> None:
    service = Service(max_body_bytes=10**6)
    shape = [1, 10**8, 0]
    raw = {"content-type": "application/octet-stream"}
    url = "/v13/reduce_sum?dtype=float32&shape=1,100000000,0&axes=0"
    octets = service.post(url, b"", {**raw, "accept": "application/octet-stream"})
    assert (octets.status_code, octets.content, octets.headers["x-shape"]) == (200, b"", "1,100000000,0")
    npy = service.post(url, b"", {**raw, "accept": "application/x-npy"})
    assert np.load(io.BytesIO(npy.content)).shape == tuple(shape)
    asked = {"data": {"dtype": "float32", "shape": shape, "base64": ""}, "axes": [0]}
    found = service.post("/v13/reduce_sum", asked)
    assert found.json() == {"reduced": {"dtype": "float32", "shape": shape, "base64": ""}}
    said = f"the answer, of shape {shape}, would have about {2 * (2 + 10**8)} bytes; the limit is 1000000"
    nested = service.post("/v13/reduce_sum", asked | {"answer": {"encoding": "values"}})
    for refused in (service.post(url, b"", raw), nested):
        assert problem(refused, 422, "invalid-shape")["detail"].startswith(said)
    inputs = [{"name": "data", "datatype": "FP32", "shape": shape, "data": []}]
    inferred = service.post("/v2/models/reduce_sum/infer", {"inputs": inputs, "parameters": {"axes": [0]}})
    assert inferred.json()["outputs"] == [{"name": "reduced", "datatype": "FP32", "shape": shape, "data": []}]


def test_no_array_has_dimensions_beyond_64_bits_even_without_elements(service: Service) -> None:
    wide = {"content-type": "application/octet-stream", "accept": "application/octet-stream"}
    url = "/v13/reduce_sum?dtype=float32&axes=0&shape=1,0,"
    assert service.post(url + str(2**60 - 1), b"", wide).headers["x-shape"] == f"1,0,{2**60 - 1}"
    found = problem(service.post(url + str(2**60), b"", wide), 422, "invalid-shape")
    assert found["detail"].endswith(f"the product of the dimensions beside 0 may be {2**60 - 1} at most")


def test_large_tensors_take_the_same_way_through_a_thread(service: Service) -> None:
    values = [[3, 1, 2], [9, 7, 8]] * 2000
    response = service.post("/v12/reduce_min", {**BODY, "data": {"dtype": "float32", "values": values}})
    assert len(json.dumps(values)) > reduce.INLINE_BYTES
    assert response.json()["reduced"]["values"] == [1.0, 7.0] * 2000
    values[-1] = [1]
    response = service.post("/v12/reduce_min", {**BODY, "data": {"dtype": "float32", "values": values}})
    assert problem(response, 422, "ragged-nesting")["place"] == "/data/values/3999"


def test_a_body_may_come_in_pieces(service: Service) -> None:
    content = json.dumps(BODY).encode()
    start, end = Client(content[:10], b"", content[10:50], content[50:], headers=CHUNKED).call(service)
    assert start["status"] == 200
    assert json.loads(end["body"]) == REDUCED


def test_an_early_refusal_is_sent_at_once_and_the_rest_discarded() -> None:
    service = Service(max_body_bytes=100)
    for headers, unread in (([(b"content-length", b"160")], 4), (CHUNKED, 1)):
        start, body, end = Client(*[b" " * 40] * 4, headers=headers).call(service)
        assert start["status"] == 413
        assert body["unread"] == unread
        assert body["more_body"]
        assert end["unread"] == 0


def test_nobody_is_answered_who_went_away(service: Service) -> None:
    assert Client(headers=CHUNKED).call(service) == []


def test_a_body_that_does_not_come_is_given_up() -> None:
    start, end = Client(b"{", None, headers=CHUNKED).call(Service(body_timeout=0.05))
    assert start["status"] == 408
    assert (b"connection", b"close") in start["headers"]
    assert json.loads(end["body"])["type"] == "/problems/body-too-slow"


class Dripping(Client):
    """Sends a piece now and then."""

    async def receive(self) -> Message:
        await asyncio.sleep(0.02)
        return await super().receive()


@pytest.mark.parametrize("path", ["/v12/reduce_min", "/v2/models/reduce_min/infer", "/v2/repository/index"])
def test_a_body_that_drips_in_is_given_up(path: str) -> None:
    client = Dripping(*[b" "] * 1000, headers=CHUNKED, url=path)
    start, _ = client.call(Service(body_timeout=0.2))
    assert start["status"] == 408
    assert client.pieces


def test_a_body_may_take_longer_than_one_piece_of_it() -> None:
    text = json.dumps(BODY).encode() + b" " * 20_000
    pieces = [text[start : start + 1000] for start in range(0, len(text), 1000)]
    start, _ = Dripping(*pieces, headers=CHUNKED).call(Service(body_timeout=0.2))
    assert start["status"] == 200


def test_the_rest_of_a_body_is_awaited_for_a_bounded_time() -> None:
    service = Service(max_body_bytes=9, body_timeout=0.05)
    start, _, _ = Client(None, headers=[(b"content-length", b"1000")]).call(service)
    assert start["status"] == 413
