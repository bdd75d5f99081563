"""What a reader does: runs an operator, copies a call, follows links, on a screen of any width."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page

Visit = Callable[..., Page]


def cells(page: Page, title: str) -> list[str]:
    return page.locator("figure", has_text=f"{title}, shape").locator("td:not(.corner)").all_inner_texts()


def test_a_page_runs_its_operator_and_marks_what_is_reduced(visit: Visit) -> None:
    page = visit("/v12/reduce_min")
    assert cells(page, "reduced") == ["1.0", "7.0"]
    page.get_by_label("axes", exact=True).fill("0")
    page.get_by_label("keepdims").check()
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector("text=reduced, shape [1, 3]")
    assert cells(page, "data") == ["3", "1", "2", "9", "7", "8"]
    assert cells(page, "reduced") == ["3.0", "1.0", "2.0"]
    assert page.locator(".axis.reduced").first.inner_text() == "axis 0: 2, reduced"
    hues = [cell.evaluate("cell => cell.style.getPropertyValue('--hue')") for cell in page.locator("td[style]").all()]
    assert hues[:3] == hues[3:6] == hues[6:]
    assert len(set(hues)) == 3


def test_a_long_integer_is_shown_with_all_its_digits(visit: Visit) -> None:
    page = visit("/v20/reduce_max")
    page.get_by_label("dtype").select_option("int64")
    page.get_by_label("axes", exact=True).fill("")
    page.get_by_label("values").fill("[9007199254740993, 7]")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=reduced, shape []")
    assert cells(page, "data") == ["9007199254740993", "7"]
    assert cells(page, "reduced") == ["9007199254740993"]


def test_a_refusal_is_shown_in_its_words(visit: Visit) -> None:
    page = visit("/v12/arg_min", refusals=True)
    page.get_by_label("axis").fill("2")
    page.get_by_role("button", name="Run").click()
    words = "The tensor has no such axis: axis 2 is outside [-2, 1] for a rank 2 tensor (/axis)"
    assert page.locator(".problem").inner_text() == words


NOT_JSON = "Values must be a JSON list such as [1, 2, 3] or [[1, 2], [3, 4]]."


@pytest.mark.parametrize("values", ["", "[1, 2", "1, 2", "[1, True]", "[-NaN]", '[1], "axes": [0]', "[1 2]", "['a']"])
def test_values_that_are_not_json_are_not_sent(visit: Visit, values: str) -> None:
    page = visit("/v13/reduce_sum")
    before = page.locator("figure.call pre").all_inner_texts()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    field = page.get_by_label("values")
    field.fill(values)
    page.get_by_role("button", name="Run").click()
    assert page.locator(".problem").inner_text() == NOT_JSON
    assert field.evaluate("field => field === document.activeElement && field.ariaInvalid") == "true"
    assert (sent, page.locator("figure.call pre").all_inner_texts()) == ([], before)
    field.fill("[NaN, -Infinity, 1]")
    assert field.get_attribute("aria-invalid") == "false"


@pytest.mark.parametrize(
    ("path", "field", "wrong", "words"),
    [
        ("/v13/reduce_sum", "axes", "first", "Axes must be integers such as 0, 1."),
        ("/v13/reduce_sum", "axes", "[0], 01", "Axes must be integers such as 0, 1."),
        ("/v13/arg_min", "axis", "0 1", "Axis must be an integer such as 1."),
    ],
)
def test_axes_that_are_no_integers_are_not_sent(visit: Visit, path: str, field: str, wrong: str, words: str) -> None:
    page = visit(path)
    page.get_by_label(field, exact=True).fill(wrong)
    page.get_by_role("button", name="Run").click()
    assert page.locator(".problem").inner_text() == words


def test_elements_that_are_no_json_numbers_are_sent_as_typed(visit: Visit) -> None:
    page = visit("/v20/reduce_max")
    page.get_by_label("axes", exact=True).fill("-1")
    page.get_by_label("values").fill('[[-Infinity, "-Infinity"], [NaN, 1e3]]')
    page.get_by_role("button", name="Run").click()
    page.locator("figcaption", has_text="data, shape [2, 2]").wait_for()
    assert cells(page, "reduced") == ["-Infinity", "NaN"]


@pytest.mark.parametrize("path", ["/v1/reduce_log_sum", "/v18/reduce_log_sum_exp", "/v13/arg_max", "/v11/reduce_sum"])
def test_the_calls_can_be_copied_and_run(visit: Visit, server: str, tmp_path: Path, path: str) -> None:
    page = visit(path)
    calls = {}
    for language in ("curl", "Python", "TypeScript"):
        page.get_by_role("button", name=f"Copy the call in {language}").click()
        calls[language] = page.evaluate("navigator.clipboard.readText()")
    answer = json.loads(page.locator("#answer").inner_text())
    assert f"{server}{path}" in calls["curl"]
    assert_answered(calls, answer, tmp_path)


@pytest.mark.parametrize(("dtype", "values"), [("bool", "[[true,\n  false]]"), ("int64", "[[9007199254740993, 7]]")])
def test_the_calls_hold_elements_of_any_dtype(visit: Visit, tmp_path: Path, dtype: str, values: str) -> None:
    page = visit("/v20/reduce_max")
    page.get_by_label("dtype").select_option(dtype)
    page.get_by_label("values").fill(values)
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector("text=data, shape [1, 2]")
    calls = {
        language: page.locator("figure.call", has_text=language).locator("pre").inner_text()
        for language in ("curl", "Python", "TypeScript")
    }
    assert_answered(calls, json.loads(page.locator("#answer").inner_text()), tmp_path)


def assert_answered(calls: dict[str, str], answer: object, tmp_path: Path) -> None:
    """Each call is answered so when it is run."""
    printed: list[object] = []
    exec(calls["Python"], {"print": printed.append})
    assert printed == [answer]
    if shutil.which("curl"):
        command = calls["curl"].strip() + " --silent --noproxy '*'"
        assert json.loads(subprocess.run(command, shell=True, capture_output=True, check=True).stdout) == answer
    if shutil.which("node"):
        program = tmp_path / "call.mjs"
        program.write_text(calls["TypeScript"].replace("answer.json()", "answer.text()"))
        assert json.loads(subprocess.run(["node", program], capture_output=True, check=True).stdout) == answer


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/operators",
        "/docs",
        "/problems",
        "/problems/unsupported-media-type",
        "/v12/ReduceMin",
        "/v12/reduce_min",
        "/v18/reduce_log_sum_exp",
        "/v11/arg_max",
    ],
)
def test_a_page_fits_a_phone(visit: Visit, path: str) -> None:
    page = visit(path, width=320, refusals=path == "/v12/ReduceMin")
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_docs_try_an_operation_without_the_internet(visit: Visit) -> None:
    page = visit("/docs")
    page.locator("#operations-tag-ReduceMin").click()
    operation = page.locator("#operations-ReduceMin-reduce_min_v12")
    operation.click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    answer = operation.locator(".live-responses-table .response-col_description pre").first
    answer.wait_for()
    assert json.loads(answer.inner_text())["reduced"] == {"dtype": "float32", "shape": [2], "values": [1.0, 7.0]}


def test_the_first_page_leads_to_every_operator(visit: Visit, server: str) -> None:
    page = visit("/")
    links = page.locator("table a").evaluate_all("links => links.map(link => link.href)")
    assert len(links) == 53
    assert all(httpx.get(link, trust_env=False).status_code == 200 for link in links[::10])
    page.get_by_label("ReduceMin version 12").click()
    assert page.url == f"{server}/v12/reduce_min"
