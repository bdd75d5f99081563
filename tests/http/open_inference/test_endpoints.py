"""Every path of the protocol beside infer: what is served, and what is not there."""

from typing import Any

import pytest

from app.http.open_inference import endpoints
from app.http.open_inference.counters import Counters
from app.http.open_inference.regions import Regions
from app.spec.operators import OPERATORS, SERVING, Operator
from tests.http.service import CHUNKED, Client, Service
from tests.inference import DATATYPES

every_row = pytest.mark.parametrize("operator", OPERATORS, ids=lambda row: row.path)


def read(service: Service, path: str) -> Any:
    """What a path answers, and answers as well with a slash at its end."""
    response, slash = service.get(path), service.get(f"{path}/")
    assert response.status_code == slash.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.content == slash.content
    assert service.request("HEAD", path).headers["content-length"] == str(len(response.content))
    return response.json()


def test_health(service: Service) -> None:
    assert read(service, "/v2/health/live") == {"live": True}
    assert read(service, "/v2/health/ready") == {"ready": True}


def test_the_server_says_what_it_can(service: Service) -> None:
    found = read(service, "/v2")
    assert found["name"] == "keepdims"
    assert "binary_tensor_data" in found["extensions"]
    assert "system_shared_memory" not in found["extensions"]
    assert "system_shared_memory" in read(Service(shared_memory=True), "/v2")["extensions"]


def model_paths(operator: Operator) -> list[str]:
    newest = SERVING[operator.path_name][28] == operator
    path = f"/v2/models/{operator.path_name}"
    return [f"{path}/versions/{operator.version}", *([path] if newest else [])]


@every_row
def test_a_model_is_described(service: Service, operator: Operator) -> None:
    for path in model_paths(operator):
        found = read(service, path)
        assert found["name"] == operator.path_name
        assert found["versions"] == [str(row.version) for row in OPERATORS if row.name == operator.name]
        data, *others = found["inputs"]
        assert (data["name"], data["datatype"], data["shape"]) == ("data", "FP32", [-1])
        assert data["parameters"]["datatypes"] == [DATATYPES[dtype] for dtype in operator.dtypes]
        assert [item["name"] for item in others] == ([] if operator.name.startswith("Arg") else ["axes"])
        assert all(item["datatype"] in item["parameters"]["datatypes"] == ["INT64", "INT32"] for item in others)
        (reduced,) = found["outputs"]
        assert (reduced["name"], reduced["shape"]) == ("reduced", [-1])
        assert reduced["datatype"] == ("INT64" if operator.name.startswith("Arg") else "FP32")
        assert read(service, f"{path}/ready") == {"name": operator.path_name, "ready": True}


@every_row
def test_a_model_has_a_configuration(service: Service, operator: Operator) -> None:
    for path in model_paths(operator):
        found = read(service, f"{path}/config")
        assert (found["name"], found["max_batch_size"]) == (operator.path_name, 0)
        assert [item["name"] for item in found["output"]] == ["reduced"]
        assert all(item["data_type"].startswith("TYPE_") and item["dims"] == [-1] for item in found["input"])
        assert [item["optional"] for item in found["input"]] == [False, True][: len(found["input"])]


def test_the_index_lists_every_version(service: Service) -> None:
    for path in ("/v2/repository/index", "/v2/repository/index/"):
        found = service.post(path).json()
        assert [(item["name"], item["version"]) for item in found] == [
            (row.path_name, str(row.version)) for row in OPERATORS
        ]
        assert {item["state"] for item in found} == {"READY"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[]", "a list"),
        (b"null", "null"),
        (b'{"ready": 1}', "1"),
        (b'{"redy": true}', '"redy"'),
        (b'{"ready": true, "ready": false}', "more than once"),
        (b"[" * 60_000, "not JSON"),
    ],
)
def test_a_body_that_asks_for_the_index_is_read(service: Service, content: bytes, said: str) -> None:
    response = service.post("/v2/repository/index", content)
    assert response.status_code == 400
    assert said in response.json()["error"]
    whole = service.post("/v2/repository/index").json()
    assert service.post("/v2/repository/index", {"ready": True}).json() == whole
    assert service.post("/v2/repository/index", {"ready": None}).json() == whole


@pytest.mark.parametrize("path", ["/v2/repository/index", "/v2/systemsharedmemory/region/x/register"])
@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_a_small_body_comes_in_no_encoding(path: str, encoding: str) -> None:
    service = Service(shared_memory=True)
    response = service.post(path, b"{}", headers={"content-encoding": encoding})
    assert response.status_code == 415
    assert encoding in response.json()["error"]
    assert service.post(path, b"{}", headers={"content-encoding": "identity"}).status_code != 415


def test_opset_2_is_still_there(service: Service) -> None:
    assert service.get("/v2/reduce_min").json()["name"] == "ReduceMin"
    assert service.post("/v2/reduce_min", {"data": {"dtype": "float32", "values": [2, 1]}}).status_code == 200
    refused = service.post("/v2/reduce_min", {})
    assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json")


def test_an_encoded_slash_parts_no_path(service: Service) -> None:
    asked = {"inputs": [{"name": "data", "datatype": "FP32", "shape": [1], "data": [1]}]}
    assert service.post("/v2/models/reduce_min/infer", asked).status_code == 200
    assert service.post("/v2/models/reduce%5Fmin/infer", asked).status_code == 200
    assert service.post("/v2/models/reduce_min%2Finfer", asked).status_code == 404
    assert service.post("/v12%2Freduce_min", {"data": {"dtype": "float32", "values": [2, 1]}}).status_code == 404


@pytest.mark.parametrize("what", ["", "/ready", "/config", "/stats", "/infer"])
def test_an_unknown_model_or_version_is_404_and_says_which_there_are(service: Service, what: str) -> None:
    ask = service.post if what == "/infer" else service.get
    for path, said in (
        ("/v2/models/reduce_nothing", "reduce_sum_square"),
        ("/v2/models/reduce_min/versions/14", "1, 11, 12, 13, 18, 20"),
        ("/v2/models/reduce_min/versions/v12", "1, 11, 12, 13, 18, 20"),
        ("/v2/models/reduce_min/versions/012", "1, 11, 12, 13, 18, 20"),
    ):
        response = ask(path + what)
        assert response.status_code == 404
        assert response.headers["content-type"] == "application/json"
        assert said in response.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        "/v2/models/reduce_min/x",
        "/v2/models/",
        "/v2/models/reduce_min/trace/setting",
        "/v2/health/x",
        "/v2/cudasharedmemory/status",
        "/v2/trace/setting",
        "/v2/logging",
        "/v2/reduce_nothing",
        "/v2/reduce_min/infer",
        "/v2//",
        "/v2/models%2Freduce_min",
        "/v2/models/reduce_min%2Fready",
        "/v2/models/reduce_min/versions%2f12",
        "/v2/reduce_min%2F",
        "/v2/%FF",
    ],
)
def test_what_is_not_there_is_told_in_the_words_of_the_protocol(service: Service, path: str) -> None:
    for method in ("GET", "POST"):
        response = service.request(method, path)
        assert response.status_code == 404
        assert response.json().keys() == {"error"}
        assert len(response.content) < 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v2/models/reduce_nothing/infer", 404),
        ("POST", "/v2/models/reduce_min/versions/14/infer", 404),
        ("PUT", "/v2/models/reduce_min/infer", 405),
        ("POST", "/v2/models/reduce_min", 405),
        ("GET", "/v2/health/live", 200),
        ("POST", "/v2/repository/index", 413),
        ("POST", "/v2/systemsharedmemory/region/a/register", 413),
        ("POST", "/v2/systemsharedmemory/region/a/unregister", 200),
    ],
)
def test_a_large_body_hides_nothing(method: str, path: str, status: int) -> None:
    shared = Service(shared_memory=True)
    size = b"%d" % (1 << 20)
    client = Client(*[bytes(1 << 16)] * 16, headers=[(b"content-length", size)], url=path)
    client.scope["method"] = method
    sent = client.call(shared)
    assert sent[0]["status"] == status
    assert sent[0]["unread"] == 16  # it is told at once
    assert not client.pieces  # and what comes is passed over
    assert not sent[-1].get("more_body")


def test_who_is_too_slow_is_waited_for_no_longer() -> None:
    client = Client(b"{", None, b"}", headers=CHUNKED, url="/v2/repository/index")
    start, *others = client.call(Service(body_timeout=0.1))
    assert start["status"] == 408
    assert client.pieces == [b"}"]
    assert b"error" in b"".join(message.get("body", b"") for message in others)
    assert not others[0].get("more_body")


def test_a_message_names_what_is_not_there(service: Service) -> None:
    for path, said in (
        ("/v2/models/reduce_nothing", '"reduce_nothing"'),
        ("/v2/models/reduce_min/versions/v14", '"v14"'),
        ("/v2/models/" + "x" * 1000, "(1000 characters)"),
        ("/v2/logging", '"/v2/logging"; the models are'),
        ("/v2/reduce_mn", '"/v2/reduce_mn" (did you mean /v2/reduce_min?)'),
    ):
        response = service.get(path)
        assert response.status_code == 404
        assert said in response.json()["error"]
        assert len(response.content) < 400


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/v2", "GET, HEAD"),
        ("PUT", "/v2/health/live", "GET, HEAD"),
        ("GET", "/v2/models/reduce_min/infer", "POST"),
        ("GET", "/v2/repository/index", "POST"),
        ("GET", "/v2/systemsharedmemory/region/a/register", "POST"),
    ],
)
def test_another_method_is_405(service: Service, method: str, path: str, allowed: str) -> None:
    response = service.request(method, path)
    assert (response.status_code, response.headers["allow"]) == (405, allowed)
    assert response.json().keys() == {"error"}


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v2/models/stats"),
        ("GET", "/v2/systemsharedmemory/status"),
        ("POST", "/v2/systemsharedmemory/region/a/register"),
        ("POST", "/v2/repository/index"),
    ],
)
def test_a_bug_is_told_in_the_words_of_the_protocol_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, method: str, path: str
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("secret")

    service = Service(shared_memory=True)
    for where, name in ((Counters, "read"), (Regions, "all"), (endpoints, "registered"), (endpoints, "check_index")):
        monkeypatch.setattr(where, name, broken)
    response = service.request(method, path)
    assert response.status_code == 500
    assert response.headers["content-type"] == "application/json"
    assert "bug in the service" in response.json()["error"]
    assert "secret" not in response.text
    assert "secret" in caplog.text
    assert f'"{path[:20]}' in caplog.text


def test_shared_memory_is_off_unless_asked_for(service: Service) -> None:
    for method, path in (
        ("GET", "/v2/systemsharedmemory/status"),
        ("GET", "/v2/systemsharedmemory/region/a/status"),
        ("POST", "/v2/systemsharedmemory/unregister"),
        ("POST", "/v2/systemsharedmemory/region/a/register"),
    ):
        response = service.request(method, path, {"key": "/a", "offset": 0, "byte_size": 4})
        assert response.status_code == 400
        assert "KEEPDIMS_SHARED_MEMORY" in response.json()["error"]
