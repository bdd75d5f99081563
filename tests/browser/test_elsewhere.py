"""In a browser: a service with keys, one under a prefix, and one that pages of other origins call."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.conftest import serving
from tests.proxy import proxied, served

KEY = "a-key-of-the-tests"
REDUCED = {"dtype": "float32", "shape": [2], "values": [1.0, 7.0]}
ASK = """async url => {
  const body = JSON.stringify({data: {dtype: "float32", values: [[3, 1, 2], [9, 7, 8]]}, axes: [1], keepdims: 0});
  const headers = {"Content-Type": "application/json", "X-Request-ID": "of-the-page"};
  const answer = await fetch(url, {method: "POST", headers, body});
  return [(await answer.json()).reduced, answer.headers.get("content-location"), answer.headers.get("x-request-id")];
}"""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """Cookies and storage of its own."""
    context = browser.new_context()
    yield context
    context.close()


def try_it_out(page: Page) -> tuple[int, dict[str, Any]]:
    """Run ReduceMin-12 on the page of all operations; what came back."""
    operation = page.locator("#operations-ReduceMin-reduce_min_v12")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    status = operation.locator(".live-responses-table .response-col_status").nth(1)
    status.wait_for()
    answer = operation.locator(".live-responses-table .response-col_description pre").first.inner_text()
    return int(status.inner_text().split()[0]), json.loads(answer)


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[str]:
    with serving(tmp_path, KEEPDIMS_API_KEYS=KEY) as (url, _):
        yield url


def test_the_docs_ask_for_a_key(context: BrowserContext, closed: str) -> None:
    page = context.new_page()
    page.goto(f"{closed}/docs#/ReduceMin", wait_until="networkidle")
    page.get_by_role("button", name="Authorize", exact=True).first.click()
    dialog = page.locator(".modal-ux")
    dialog.locator("input").fill(KEY)
    dialog.get_by_role("button", name="Apply credentials").click()
    dialog.get_by_role("button", name="Close").last.click()
    assert try_it_out(page) == (200, {"reduced": REDUCED})


def test_without_it_the_docs_show_the_refusal(context: BrowserContext, closed: str) -> None:
    page = context.new_page()
    page.goto(f"{closed}/docs#/ReduceMin", wait_until="networkidle")
    status, problem = try_it_out(page)
    assert (status, problem["type"]) == (401, "/problems/unauthorized")


def test_a_page_asks_for_a_key_and_keeps_it_for_its_tab(context: BrowserContext, closed: str) -> None:
    page = context.new_page()
    refused: list[str] = []
    page.on("response", lambda response: refused.append(response.url) if response.status == 401 else None)
    page.goto(f"{closed}/v12/reduce_min", wait_until="networkidle")
    assert refused == []
    page.get_by_label("key", exact=True).fill("another")
    page.get_by_role("button", name="Run").click()
    assert "The API key is missing or unknown" in page.locator(".problem").inner_text()
    page.get_by_label("key", exact=True).fill(KEY)
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector("text=reduced, shape [2]")
    assert json.loads(page.locator("#answer").inner_text())["reduced"] == REDUCED
    assert KEY not in page.locator("figure.call").all_inner_texts()
    page.goto(f"{closed}/v13/arg_max", wait_until="networkidle")
    page.wait_for_selector("text=reduced, shape [2]")
    other = context.new_page()
    other.goto(f"{closed}/v13/arg_max", wait_until="networkidle")
    assert other.get_by_label("key", exact=True).input_value() == ""


def test_pages_run_under_a_prefix(context: BrowserContext, tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_ROOT_PATH="/math") as (url, _), proxied(url, "/math") as root:
        failed: list[str] = []
        page = context.new_page()
        page.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
        page.goto(f"{root}/", wait_until="networkidle")
        page.get_by_label("ReduceMin version 12").click()
        page.wait_for_selector("text=reduced, shape [2]")
        assert page.url == f"{root}/v12/reduce_min"
        assert f"curl {root}/v12/reduce_min" in page.locator("figure.call").first.inner_text()
        page.get_by_role("link", name="Try the API").click()
        page.locator("#operations-ReduceMin-reduce_min_v12").wait_for()
        page.goto(f"{root}/docs#/ReduceMin", wait_until="networkidle")
        page.reload(wait_until="networkidle")
        assert try_it_out(page) == (200, {"reduced": REDUCED})
        assert failed == []


class Elsewhere(BaseHTTPRequestHandler):
    """An empty page."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


def test_a_page_of_another_origin_calls_only_who_allows_it(
    context: BrowserContext, tmp_path: Path, server: str
) -> None:
    with served(Elsewhere) as origin, serving(tmp_path, KEEPDIMS_CORS_ORIGINS=origin) as (allowing, _):
        page = context.new_page()
        page.goto(origin)
        assert page.evaluate(ASK, f"{allowing}/v17/reduce_min") == [REDUCED, "/v13/reduce_min", "of-the-page"]
        blocked = f"fetch('{server}/v12/reduce_min').then(() => 'read', () => 'blocked')"
        assert page.evaluate(blocked) == "blocked"
        assert page.evaluate(f"({ASK})('{server}/v12/reduce_min').then(() => 'read', () => 'blocked')") == "blocked"
        page.goto(origin.replace("127.0.0.1", "localhost"))  # another origin than the one that is named
        assert page.evaluate(blocked.replace(server, allowing)) == "blocked"
