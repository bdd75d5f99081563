"""Operator pages: what the published pages carry, from the table."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import pytest

from app.http.pages.html import html_of
from app.http.pages.matrix import matrix
from app.http.pages.operator import OperatorPage, operator_page, operators_index
from app.http.pages.site import Site
from app.spec.dtypes import ONNX_NAMES
from app.spec.operators import OPERATORS, Operator, resolve
from tests.http.service import Service, problem

every_row = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.path)


def page(path_name: str, version: int) -> OperatorPage:
    return operator_page(resolve(path_name, version))


def test_reduce_min_12() -> None:
    found = page("reduce_min", 12)
    assert (found.domain, found.name, found.since_version, found.latest_version) == ("ai.onnx", "ReduceMin", 12, 20)
    assert [(given.name, given.type, given.optional) for given in found.inputs] == [("data", "T", False)]
    assert [(output.name, output.type) for output in found.outputs] == [("reduced", "T")]
    assert [(a.name, a.type, a.default, a.range) for a in found.attributes] == [
        ("axes", "int[]", None, "[-r, r-1]"),
        ("keepdims", "int", 1, "0 or 1"),
    ]
    (constraint,) = found.type_constraints
    spelled = ["double", "float", "float16", "int32", "int64", "int8", "uint32", "uint64", "uint8"]
    assert constraint.types == tuple(f"tensor({name})" for name in spelled)
    assert found.differences is not None
    assert (found.differences.old_version, found.differences.new_version) == (11, 12)
    assert found.differences.types_added == ("tensor(int8)", "tensor(uint8)")
    assert not found.differences.breaking


def test_reduce_sum_11_owns_up_to_its_extra_parameter() -> None:
    found = page("reduce_sum", 11)
    assert "noop_with_empty_axes" in [attribute.name for attribute in found.attributes]
    assert "addition to this version" in found.description
    assert "addition to this version" not in page("reduce_sum", 13).description


def test_arg_min_12() -> None:
    found = page("arg_min", 12)
    assert [(output.name, output.type) for output in found.outputs] == [("reduced", "tensor(int64)")]
    assert [a.name for a in found.attributes] == ["axis", "keepdims", "select_last_index"]
    assert found.differences is not None
    assert found.differences.parameters_added == ("select_last_index",)


def test_axes_that_became_an_input_are_one_and_break() -> None:
    found = page("reduce_min", 18)
    assert [(given.name, given.type, given.optional) for given in found.inputs] == [
        ("data", "T", False),
        ("axes", "tensor(int64)", True),
    ]
    assert found.differences is not None
    assert found.differences.breaking
    assert ("axes", "role", "attribute", "input") in [
        (change.parameter, change.fact, change.old, change.new) for change in found.differences.parameters_changed
    ]


def test_what_an_empty_set_answers_is_told_for_the_dtypes_a_version_takes() -> None:
    assert "true for booleans" in page("reduce_min", 20).description
    assert "booleans" not in page("reduce_min", 18).description
    assert "for integers it is refused" in page("reduce_log_sum", 18).description
    assert "integers" not in page("reduce_log_sum", 28).description


def test_a_version_tells_which_opsets_it_serves() -> None:
    assert page("reduce_min", 13).opsets.model_dump() == {"first": 13, "last": 17}
    assert page("reduce_sum", 13).opsets.model_dump() == {"first": 13, "last": 28}


def test_the_index_is_the_table() -> None:
    assert [found.path for found in operators_index().operators] == [operator.path for operator in OPERATORS]


class Outline(HTMLParser):
    """What a page is made of: its tags in order, its links, and that every tag is closed."""

    VOID = frozenset({"meta", "link", "br", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        assert not [name for name, _ in attrs if name == "style" or name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@every_row
def test_a_page_as_html_is_well_formed_and_needs_nothing_from_elsewhere(operator: Operator) -> None:
    found = Outline(html_of(operator_page(operator), Site()))
    assert found.open == []
    assert found.tags.count("script") == 1
    assert found.tags.count("style") == 0
    assert found.tags.count("h1") == 1
    assert all(link == "data:," or link.startswith("../") for link in found.links)


@every_row
def test_a_page_as_html_names_every_parameter_and_type(operator: Operator) -> None:
    text = html_of(operator_page(operator), Site())
    for name in (*operator.parameters.model_fields, *(ONNX_NAMES[dtype] for dtype in operator.dtypes)):
        assert f"<code>{name}</code>" in text


def test_links_between_pages_lead_to_rows() -> None:
    paths = {operator.path for operator in OPERATORS}
    for operator in OPERATORS:
        links = Outline(html_of(operator_page(operator), Site())).links
        assert {link.removeprefix("..") for link in links if link.startswith("../v")} <= paths
    index = Outline(html_of(operators_index(), Site())).links
    assert {link.removeprefix(".") for link in index if link.startswith("./v")} == paths


def test_a_version_tells_what_each_version_of_the_operator_brought() -> None:
    text = html_of(page("reduce_min", 12), Site())
    for words in ("the first", "+ int8, uint8", "+ noop_with_empty_axes", "axes: role attribute → input"):
        assert f">{words}</span>" in text


def test_a_rule_that_is_stricter_and_one_that_is_lifted_are_told_apart() -> None:
    text = html_of(page("arg_min", 13), Site())
    stricter, lifted = (text.partition(f">version {version}</a>")[2].partition("</li>")[0] for version in (11, 12))
    assert "<span>− empty tensors</span>" in stricter
    assert '<span class="breaking">breaking for models and requests</span>' in stricter
    assert "<span>+ empty tensors</span>" in lifted
    assert "breaking" not in lifted


def test_why_a_version_breaks_is_told() -> None:
    text = html_of(page("reduce_min", 18), Site())
    assert "<dd>for models only: axes became an input: models must change, requests here do not</dd>" in text
    assert page("arg_max", 11).model_dump()["differences"]["breaking"] is True


def test_axes_that_became_an_input_alarm_nobody_who_sends_requests() -> None:
    text = html_of(page("reduce_log_sum", 28), Site())
    models, requests = (text.partition(f">version {version}</a>")[2].partition("</li>")[0] for version in (18, 28))
    assert "<span>breaking for models; requests here stay the same</span>" in models
    assert 'class="breaking"' not in models
    assert '<span class="breaking">breaking for models and requests</span>' in requests
    assert '<span class="breaking">for models and requests</span>: int32, int64' in text
    assert 'class="breaking"' not in html_of(page("reduce_min", 18), Site())


def test_an_input_tells_what_it_is_in_a_request() -> None:
    data, axes = page("reduce_min", 18).inputs
    assert (axes.type, axes.in_request) == ("tensor(int64)", "a list of integers")
    text = html_of(page("reduce_min", 18), Site())
    assert "<code>tensor(int64)</code>, optional; in a request: a list of integers</td>" in text
    assert f"<code>T</code>; in a request: {data.in_request}</td>" in text


@pytest.mark.parametrize("path", ["/v17/reduce_min", "/v13/reduce_min"])
def test_who_asks_for_another_opset_is_told_which_version_serves_it(service: Service, path: str) -> None:
    said = "You asked for opset 17; version 13 serves it."
    html, json = (service.get(path, {"accept": accept}) for accept in ("text/html", "application/json"))
    assert (said in html.text) == (path == "/v17/reduce_min")
    for answer in (html, json):
        assert answer.headers.get("content-location") == ("/v13/reduce_min" if path == "/v17/reduce_min" else None)
    assert json.json() == service.get("/v13/reduce_min").json()


@every_row
def test_code_in_sentences_is_shown_as_code(operator: Operator) -> None:
    text = html_of(operator_page(operator), Site()).partition('id="try"')[0]
    assert "<code>keepdims=1</code> keeps reduced dimensions" in text
    assert "`" not in text


def test_what_omitted_axes_mean_is_true_of_the_version() -> None:
    assert "If `axes` is omitted or empty, every axis is reduced. Negative" in page("reduce_sum", 1).description
    said = "every axis is reduced, unless `noop_with_empty_axes=1`: then none is, and the answer is the absolute value"
    assert said in page("reduce_l1", 18).description


def test_the_first_page_lists_every_version(service: Service) -> None:
    found = service.get("/", {"accept": "text/html"})
    links = Outline(found.text).links
    assert {operator.path for operator in OPERATORS} <= {link.removeprefix(".") for link in links}
    assert service.get("/").json()["operators"]["reduce_min"] == [1, 11, 12, 13, 18, 20]


@pytest.mark.parametrize("path", ["/", "/operators"])
def test_operators_are_listed_in_the_order_of_the_table(service: Service, path: str) -> None:
    links = Outline(service.get(path, {"accept": "text/html"}).text).links
    assert [link[1:] for link in links if link.startswith("./v")] == [operator.path for operator in OPERATORS]


def test_the_first_page_shows_what_its_call_is_answered(service: Service) -> None:
    text = unescape(service.get("/", {"accept": "text/html"}).text)
    call, answer = re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)[:2]
    assert "/v12/reduce_min --json" in call
    assert service.post("/v12/reduce_min", call.split("'")[1].encode()).json() == json.loads(answer)


@pytest.mark.parametrize("path", ["/", "/operators", "/docs", "/v12/reduce_min", "/problems", "/problems/internal"])
def test_a_page_may_load_nothing_that_does_not_come_from_here(service: Service, path: str) -> None:
    found = service.get(path, {"accept": "text/html"})
    policy = dict(rule.split(" ", 1) for rule in found.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == "'self'"
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", found.text, re.DOTALL)
    assert not any(scripts)


@pytest.mark.parametrize("path", ["/", "/openapi.json", "/v17/openapi.json", "/assets/style.css", "/assets/docs.js"])
def test_what_is_only_read_takes_no_other_method(service: Service, path: str) -> None:
    refused = service.post(path, b"{}")
    problem(refused, 405, "method-not-allowed")
    assert refused.headers["allow"] == "GET, HEAD"


def test_a_page_of_nothing_is_no_longer_for_a_longer_address(service: Service) -> None:
    page = service.get("/" + "x/" * 8000, {"accept": "text/html"})
    assert page.status_code == 404
    assert len(page.content) < 5000


@pytest.mark.parametrize("path", ["/", "/operators", "/docs", "/v12/reduce_min", "/problems", "/problems/internal"])
def test_what_a_page_loads_is_there(service: Service, path: str) -> None:
    found = service.get(path, {"accept": "text/html"})
    loaded = re.findall(r'(?:src|href)="([^"]*assets/[^"]*)"', found.text)
    assert loaded
    for link in loaded:
        asset = service.get(urljoin(path, link))
        assert asset.status_code == 200
        assert asset.headers["content-type"].startswith(("text/css", "text/javascript"))


def test_the_first_page_leads_to_everything_that_is_read(service: Service) -> None:
    links = Outline(service.get("/", {"accept": "text/html"}).text).links
    assert {"operators", "problems", "docs", "openapi.json", "openapi/binary.json", "version"} <= set(links)


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize(
    ("path", "title", "said"),
    [
        ("/operatrs", "There is nothing at this path", "operators are at /v{opset}/{operator}"),
        ("/a/b/c", "There is nothing at this path", "/openapi.json"),
        ("/v12/ReduceMin", "There is no such operator", 'no operator "ReduceMin" (did you mean reduce_min?)'),
        ("/v12/%3Cb%3E", "There is no such operator", 'no operator "<b>"'),
        ("/v29/reduce_min", "There is no such version", "there is no opset 29"),
        ("/problems/other", "There is nothing at this path", "/problems"),
        ("/assets/other.js", "There is nothing at this path", "/docs"),
    ],
)
def test_who_mistypes_an_address_in_a_browser_can_read_what_there_is(
    service: Service, path: str, title: str, said: str
) -> None:
    found = service.get(path, {"accept": BROWSER})
    assert found.status_code == 404
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    assert found.headers["vary"] == "Accept"
    assert "default-src 'none'" in found.headers["content-security-policy"]
    outline = Outline(found.text)
    assert outline.open == []
    assert f"<h1>{title} <span>404</span></h1>" in found.text
    assert said in unescape(found.text)
    assert "<b>" not in found.text
    for link in outline.links:
        assert link == "data:," or service.get(urljoin(path, link)).status_code == 200


@pytest.mark.parametrize("accept", ["*/*", "application/json", "application/problem+json", "text/csv", ""])
def test_programs_get_a_problem_document_all_the_same(service: Service, accept: str) -> None:
    found = service.get("/v12/ReduceMin", {"accept": accept})
    problem(found, 404, "unknown-operator")
    assert found.headers["vary"] == "Accept"
    problem(service.post("/v12/ReduceMin", b"", {"accept": BROWSER}), 404, "unknown-operator")


def test_the_dtypes_of_every_version_stand_in_one_view() -> None:
    text = html_of(operators_index(), Site())
    for operator in OPERATORS:
        row = text.partition(f'<a href=".{operator.path}">{operator.name}-{operator.version}</a>')[2].partition(
            "</tr>"
        )[0]
        assert row.count("<td>") == 1 + len(ONNX_NAMES)
        assert row.count("✓") == len(operator.dtypes)
    assert matrix()[OPERATORS.index(resolve("reduce_min", 20))].marks[0] == "✓"
    assert matrix()[OPERATORS.index(resolve("reduce_min", 18))].marks[0] == ""


@pytest.mark.parametrize("path", ["/", "/v12/reduce_min"])
def test_a_call_has_the_address_of_the_reader(path: str) -> None:
    service = Service(root_path="/math")
    said = service.get(path, {"accept": "text/html", "host": "sums.example:81"}).text
    assert "curl http://sums.example:81/math/v12/reduce_min" in said
    for host in ("<b>", "a/b", "a b", "", "x" * 300 + "<"):
        assert "curl http://127.0.0.1:8000/v12" in service.get(path, {"accept": "text/html", "host": host}).text


@pytest.mark.parametrize("path", ["/", "/v12/reduce_min"])
def test_a_call_takes_a_key_where_the_service_does(service: Service, tmp_path: Path, path: str) -> None:
    file = tmp_path / "keys"
    file.write_text("")
    for closed in (Service(api_keys="secret"), Service(api_keys_file=file)):
        said = closed.get(path, {"accept": "text/html"}).text
        assert "Authorization: Bearer $KEY" in unescape(said)
        assert "secret" not in said
        assert 'name="key"' in said or path == "/"
    assert "Bearer" not in service.get(path, {"accept": "text/html"}).text


def test_an_asset_that_is_not_there_is_a_404(service: Service) -> None:
    problem(service.get("/assets/other.js"), 404, "not-found")
