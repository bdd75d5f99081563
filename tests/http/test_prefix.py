"""Behind a proxy that strips a prefix, everything that the service says of its own paths holds."""

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urljoin, urlsplit

import httpx
import pytest

from tests.conftest import serving
from tests.http.service import BODY
from tests.proxy import proxied

PREFIX = "/math/exact"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the service under the prefix."""
    with (
        serving(tmp_path_factory.mktemp("prefix"), KEEPDIMS_ROOT_PATH=PREFIX) as (url, _),
        proxied(url, PREFIX) as root,
    ):
        yield root


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=20, trust_env=False) as client:
        yield client


@pytest.mark.parametrize(
    "path", ["/", "/operators", "/docs", "/v12/reduce_min", "/v17/reduce_min", "/problems", "/problems/internal"]
)
def test_every_link_of_a_page_leads_somewhere(root: str, client: httpx.Client, path: str) -> None:
    page = client.get(root + path, headers={"accept": "text/html"})
    assert page.status_code == 200
    links = {urljoin(str(page.url), link) for link in re.findall(r'(?:href|src)="(?!data:)([^"]+)"', page.text)}
    assert links
    for link in sorted(links):
        assert client.get(link).status_code == 200, link


def test_links_have_names_that_programs_can_use(root: str, client: httpx.Client) -> None:
    assert all(name.isidentifier() for name in client.get(f"{root}/").json()["links"])


def test_links_of_the_first_page_as_json_lead_somewhere(root: str, client: httpx.Client) -> None:
    named = {"version": 12, "operator": "reduce_min", "opset": 17}
    links = client.get(f"{root}/").json()["links"]
    assert "operator" in links
    for link in links.values():
        assert client.get(urljoin(f"{root}/", link.format(**named))).status_code == 200, link


def test_the_canonical_path_that_is_named_answers(root: str, client: httpx.Client) -> None:
    for answer in (client.post(f"{root}/v17/reduce_min", json=BODY), client.get(f"{root}/v17/reduce_min")):
        location = answer.headers["content-location"]
        assert location == f"{PREFIX}/v13/reduce_min"
        again = client.post(urljoin(str(answer.url), location), json=BODY)
        assert again.json() == {"reduced": {"dtype": "float32", "shape": [2], "values": [1, 7]}}


@pytest.mark.parametrize(
    "path", ["/openapi.json", "/openapi/binary.json", "/openapi/inference.json", "/v17/openapi.json"]
)
def test_a_document_names_the_server_under_the_prefix(root: str, client: httpx.Client, path: str) -> None:
    found = client.get(root + path)
    (server,) = found.json()["servers"]
    assert urlsplit(urljoin(str(found.url), server["url"])).path == PREFIX
    for path, operations in found.json()["paths"].items():
        if "get" in operations and "{" not in path:
            assert client.get(urljoin(root, server["url"]) + path).status_code == 200


def test_calls_that_pages_show_work(root: str, client: httpx.Client) -> None:
    for path in ("/", "/v12/reduce_min"):
        page = unescape(client.get(root + path, headers={"accept": "text/html"}).text)
        (url, body), *_ = re.findall(r"curl (http\S+) --json '(.*?)'", page)
        assert url == f"{root}/v12/reduce_min"
        assert client.post(url, content=body).json()["reduced"]["dtype"] == "float32"


def test_models_are_under_the_prefix_too(root: str, client: httpx.Client) -> None:
    assert client.get(f"{root}/v2/models/reduce_min").json()["name"] == "reduce_min"


def test_outside_the_prefix_there_is_nothing(root: str, client: httpx.Client) -> None:
    assert client.get(urljoin(root, "/v12/reduce_min")).status_code == 404
