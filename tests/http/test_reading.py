"""What can be read: pages, health, version, the OpenAPI document."""

import re
from typing import Any

import pytest

from app import __version__
from app.http.health import table_digest
from app.http.paths import SERVICE_PATHS
from tests.http.service import Service, problem

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


def test_health(service: Service) -> None:
    assert service.get("/health/live").json() == {"status": "live"}
    assert service.get("/health/ready").json() == {"status": "ready"}


def test_version_says_what_runs(service: Service) -> None:
    found = service.get("/version").json()
    assert found["version"] == __version__
    assert found["operators"] == 53
    assert found["packages"]["numpy"]
    assert found["table"] == table_digest()
    assert re.fullmatch("[0-9a-f]{64}", found["table"])


@pytest.mark.parametrize("path", ["/v12/reduce_min", "/v17/reduce_min", "/operators"])
def test_a_page_is_json_or_html_for_a_browser(service: Service, path: str) -> None:
    for accept in ("*/*", "application/json", "", "application/json, text/html"):
        response = service.get(path, {"accept": accept})
        assert response.headers["content-type"] == "application/json"
        assert response.headers["vary"] == "Accept"
        assert response.json()
    response = service.get(path, {"accept": BROWSER})
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.headers["vary"] == "Accept"
    assert "default-src 'none'" in response.headers["content-security-policy"]
    assert response.text.startswith("<!doctype html>")
    refused = service.get(path, {"accept": "text/csv"})
    problem(refused, 406, "not-acceptable")
    assert refused.headers["vary"] == "Accept"


def test_a_page_of_any_opset_is_that_of_its_row(service: Service) -> None:
    canonical, other = service.get("/v13/reduce_min"), service.get("/v17/reduce_min")
    assert canonical.json() == other.json()
    assert canonical.json()["since_version"] == 13
    assert "content-location" not in canonical.headers
    assert other.headers["content-location"] == "/v13/reduce_min"


@pytest.mark.filterwarnings("ignore:Duplicate Operation ID")
def test_every_path_without_a_name_in_it_is_listed(service: Service) -> None:
    dispatch: Any = service.app
    routed = dispatch.app._app.openapi()["paths"]  # behind the Open Inference Protocol there is the framework
    assert sorted(path for path in routed if "{" not in path) == sorted(SERVICE_PATHS)


@pytest.mark.parametrize("path", [*SERVICE_PATHS, "/v12/reduce_min", "/v17/arg_max"])
def test_head_where_get_is(service: Service, path: str) -> None:
    named = {"x-request-id": "the-same"}
    got, head = service.get(path, named), service.request("HEAD", path, headers=named)
    assert got.status_code == head.status_code == 200
    assert all(each.headers.pop("server-timing").startswith("total;dur=") for each in (got, head))
    assert got.headers == head.headers
    assert got.headers["x-content-type-options"] == "nosniff"
    assert "server" not in got.headers
