"""Pages of other origins may call the service if it is told so, and not otherwise."""

import json
from pathlib import Path

import httpx
import pytest

from app.http.origins import EXPOSED
from tests.conftest import serving
from tests.http.service import BODY, Service

PAGE, OTHER = "https://sums.example", "https://other.example"
METHOD = "access-control-request-method"
WITH_KEY = {METHOD: "POST", "access-control-request-headers": "authorization,content-type"}


def allowed(response: httpx.Response) -> str | None:
    return response.headers.get("access-control-allow-origin")


@pytest.fixture(scope="module")
def some() -> Service:
    return Service(cors_origins=f"{PAGE}, http://localhost:3000")


@pytest.mark.parametrize("path", ["/v12/reduce_min", "/v17/reduce_min", "/v2/models/reduce_min/infer"])
def test_nobody_is_allowed_unasked(service: Service, path: str) -> None:
    for response in (service.post(path, BODY, {"origin": PAGE}), service.get(path, {"origin": PAGE})):
        assert not [name for name in response.headers if name.startswith("access-control-")]
    asked = service.request("OPTIONS", path, headers={"origin": PAGE, **WITH_KEY})
    assert asked.status_code == 405
    assert allowed(asked) is None


def test_those_named_are_allowed(some: Service) -> None:
    for origin in (PAGE, "http://localhost:3000"):
        answer = some.post("/v17/reduce_min", BODY, {"origin": origin})
        assert answer.status_code == 200
        assert allowed(answer) == origin
        assert "Origin" in answer.headers["vary"]
        assert answer.headers["access-control-expose-headers"] == ", ".join(EXPOSED)
        assert "access-control-allow-credentials" not in answer.headers
    for origin in (OTHER, "null", f"{PAGE}.evil.example"):
        assert allowed(some.post("/v17/reduce_min", BODY, {"origin": origin})) is None
    assert allowed(some.post("/v17/reduce_min", BODY)) is None


def test_refusals_and_pages_can_be_read_too(some: Service) -> None:
    origin = {"origin": PAGE}
    answers = [
        some.post("/v12/reduce_min", b"{", origin),
        some.post("/nothing", b"", origin),
        some.get("/v12/reduce_min", origin),
        some.get("/openapi.json", origin),
        some.post("/v2/models/reduce_min/infer", b"{", origin),
    ]
    assert [answer.status_code for answer in answers] == [400, 404, 200, 200, 400]
    assert [allowed(answer) for answer in answers] == [PAGE] * 5
    page = some.get("/v12/reduce_min", {**origin, "accept": "text/html"})
    assert page.headers["vary"] == "Accept, Origin"


def test_all_are_allowed_by_a_star() -> None:
    service = Service(cors_origins="*")
    assert allowed(service.post("/v12/reduce_min", BODY, {"origin": OTHER})) == "*"


def test_a_page_may_ask_before_it_sends_a_key() -> None:
    service = Service(cors_origins=PAGE, api_keys="key")
    asked = service.request("OPTIONS", "/v12/reduce_min", headers={"origin": PAGE, **WITH_KEY})
    assert (asked.status_code, allowed(asked), asked.content) == (204, PAGE, b"")
    assert asked.headers["x-request-id"]
    assert "POST" in asked.headers["access-control-allow-methods"]
    assert {"Authorization", "Content-Type"} <= set(asked.headers["access-control-allow-headers"].split(", "))
    refused = service.post("/v12/reduce_min", BODY, {"origin": PAGE})
    assert (refused.status_code, allowed(refused)) == (401, PAGE)
    answer = service.post("/v12/reduce_min", BODY, {"origin": PAGE, "authorization": "Bearer key"})
    assert (answer.status_code, allowed(answer)) == (200, PAGE)
    stranger = service.request("OPTIONS", "/v12/reduce_min", headers={"origin": OTHER, **WITH_KEY})
    assert (stranger.status_code, allowed(stranger), stranger.content) == (204, None, b"")
    other = service.request("OPTIONS", "/v12/reduce_min", headers={"origin": PAGE, **WITH_KEY, METHOD: "DELETE"})
    assert (other.status_code, other.headers["access-control-allow-methods"]) == (204, "GET, HEAD, POST")


def test_over_a_connection_with_and_without_an_origin(tmp_path: Path) -> None:
    """Small requests of programs are still answered at once, and those of pages are not left without the header."""
    with (
        serving(tmp_path, KEEPDIMS_CORS_ORIGINS=PAGE) as (url, _),
        httpx.Client(base_url=url, timeout=20, trust_env=False) as client,
    ):
        for origin, expected in ((PAGE, PAGE), (OTHER, None), ("", None), (PAGE, PAGE)):
            headers = {"origin": origin} if origin else {}
            answer = client.post("/v12/reduce_min", content=json.dumps(BODY), headers=headers)
            assert answer.json()["reduced"]["values"] == [1, 7]
            assert allowed(answer) == expected
