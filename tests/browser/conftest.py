"""A browser that is on the machine, and pages that must not complain."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")  # while it is open this thread has an event loop that runs, and can have no other
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Callable[..., Page]]:
    """Open a path of the service; anything that fails, is blocked, or comes from elsewhere fails the test."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    complaints: list[str] = []

    def open_page(path: str, width: int = 1000, refusals: bool = False) -> Page:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        if not refusals:  # Chromium reports a 422 as an error
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.on("request", lambda request: complaints.append(request.url) if elsewhere(request.url) else None)
        page.goto(server + path, wait_until="networkidle")
        return page

    def elsewhere(url: str) -> bool:
        return not url.startswith((server, "data:"))

    yield open_page
    context.close()
    assert complaints == []
