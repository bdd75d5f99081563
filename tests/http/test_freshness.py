"""Whatever is read can be kept, and asked for again at the price of a header."""

import pytest

from app.http.pages.assets import FILES
from tests.http.service import Service

PAGES = ["/", "/operators", "/problems", "/problems/internal", "/v12/reduce_min", "/v17/reduce_min"]
DOCUMENTS = ["/openapi.json", "/openapi/binary.json", "/openapi/inference.json", "/v17/openapi.json", "/version"]
READ = [(path, accept) for path in PAGES for accept in ("application/json", "text/html")]
READ += [(path, "*/*") for path in (*DOCUMENTS, "/docs", *(f"/assets/{name}" for name in FILES))]

everything = pytest.mark.parametrize(("path", "accept"), READ)


@everything
def test_what_has_not_changed_is_not_sent_again(service: Service, path: str, accept: str) -> None:
    first = service.get(path, {"accept": accept})
    tag = first.headers["etag"]
    assert tag.startswith('"')
    assert first.headers["cache-control"] == "no-cache"
    assert first.headers["x-content-type-options"] == "nosniff"
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = service.get(path, {"accept": accept, "if-none-match": known})
        assert (again.status_code, again.content) == (304, b"")
        for name in ("etag", "cache-control", "vary", "content-location", "x-content-type-options"):
            assert again.headers.get(name) == first.headers.get(name)
    for unknown in ('"other"', tag.strip('"'), ""):
        assert service.get(path, {"accept": accept, "if-none-match": unknown}).content == first.content


@everything
def test_head_says_what_get_does(service: Service, path: str, accept: str) -> None:
    got, told = (service.request(method, path, headers={"accept": accept}) for method in ("GET", "HEAD"))
    assert told.status_code == 200
    each_time = {"x-request-id": "", "server-timing": ""}
    assert {**told.headers, **each_time} == {**got.headers, **each_time}


@pytest.mark.parametrize("path", ["/openapi.json", "/openapi/binary.json", "/v17/openapi.json", "/assets/operator.js"])
def test_who_takes_gzip_gets_fewer_bytes_under_another_tag(service: Service, path: str) -> None:
    plain = service.get(path, {"accept-encoding": "identity"})
    zipped = service.get(path, {"accept-encoding": "gzip, deflate, br"})
    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert zipped.content == plain.content  # which the client has decompressed
    assert int(zipped.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert zipped.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert zipped.headers["etag"] != plain.headers["etag"]
    for found, accept in ((plain, "identity"), (zipped, "gzip")):
        again = service.get(path, {"accept-encoding": accept, "if-none-match": found.headers["etag"]})
        assert (again.status_code, again.content, again.headers["vary"]) == (304, b"", "Accept-Encoding")
        assert "content-encoding" not in again.headers
    other = service.get(path, {"accept-encoding": "gzip", "if-none-match": plain.headers["etag"]})
    assert other.status_code == 200


@pytest.mark.parametrize(
    ("accept", "encoding"),
    [
        ("gzip", "gzip"),
        ("x-gzip;q=0.5", "gzip"),
        ("*", "gzip"),
        ("br, gzip;q=0.1", "gzip"),
        ("identity, gzip", "gzip"),
        ("", None),
        ("br", None),
        ("gzip;q=0", None),
        ("gzip;q=0, *", None),
        ("identity;q=1, gzip;q=0.5", None),
        ("gzip;q=nonsense", None),
    ],
)
def test_gzip_is_sent_to_who_allows_it(service: Service, accept: str, encoding: str | None) -> None:
    found = service.get("/v17/openapi.json", {"accept-encoding": accept})
    assert found.headers.get("content-encoding") == encoding


@pytest.mark.parametrize("path", PAGES)
def test_two_forms_of_a_page_are_told_apart(service: Service, path: str) -> None:
    json, html = (service.get(path, {"accept": accept}) for accept in ("application/json", "text/html"))
    assert json.headers["etag"] != html.headers["etag"]
    assert json.headers["vary"] == html.headers["vary"] == "Accept"
    other = service.get(path, {"accept": "text/html", "if-none-match": json.headers["etag"]})
    assert other.status_code == 200


def test_a_page_that_differs_has_another_tag(service: Service) -> None:
    tags = {service.get("/", {"accept": "text/html", "host": host}).headers["etag"] for host in ("a", "b")}
    assert len(tags) == 2


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
def test_what_holds_at_the_moment_is_not_kept(service: Service, path: str) -> None:
    found = service.get(path)
    assert found.headers["cache-control"] == "no-store"
    assert "etag" not in found.headers
