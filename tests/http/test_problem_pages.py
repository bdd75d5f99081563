"""Every type that a problem document may have is a page."""

import pytest

from app.errors import DuplicateKey, Undefined
from app.http import problems
from app.http.pages.problem_pages import ProblemPage, problems_index
from app.http.problems import PROBLEMS, Problem
from tests.http.service import BODY, Service, problem

EVERY = {*PROBLEMS.values(), *(value for value in vars(problems).values() if isinstance(value, Problem))}


def test_every_type_has_a_meaning_and_a_remedy_of_its_own() -> None:
    assert len({each.meaning for each in EVERY}) == len(EVERY)
    assert len({each.remedy for each in EVERY}) == len(EVERY)
    for each in EVERY:
        assert each.meaning.endswith(".")
        assert each.remedy.endswith(".")


@pytest.mark.parametrize("listed", problems_index().problems, ids=lambda listed: listed.type)
def test_a_type_leads_to_its_page(service: Service, listed: ProblemPage) -> None:
    path = listed.type
    found = service.get(path)
    assert found.json() == listed.model_dump()
    page = service.get(path, {"accept": "text/html"}).text
    assert f"<code>{path}</code>" in page
    problem(service.post(path), 405, "method-not-allowed")


def test_all_are_listed_in_both_forms(service: Service) -> None:
    listed = service.get("/problems").json()["problems"]
    assert {entry["type"] for entry in listed} == {each.type for each in EVERY}
    assert [entry["status"] for entry in listed] == sorted(each.status for each in EVERY)
    text = service.get("/problems", {"accept": "text/html"}).text
    assert all(f'href=".{each.type}"' in text for each in EVERY)


def test_a_refusal_leads_to_its_page(service: Service) -> None:
    refusal = service.post("/v12/reduce_min", BODY | {"axes": [7]}).json()
    page = service.get(refusal["type"]).json()
    assert (page["title"], page["status"]) == (refusal["title"], refusal["status"])


def test_titles_and_remedies_hold_for_every_refusal_of_their_type() -> None:
    titles = {each.type.rpartition("/")[2]: each.title for each in problems_index().problems}
    assert titles["unknown-version"] == "There is no such version"
    assert (titles["missing-field"], titles["unknown-field"]) == ("A field is missing", "There is no such field")
    assert "place" not in PROBLEMS[DuplicateKey].remedy  # such a refusal has none
    for words in ("no elements", "logarithm of 0", "ArgMin"):
        assert words in PROBLEMS[Undefined].remedy


def test_there_is_no_page_of_another_type(service: Service) -> None:
    problem(service.get("/problems/other"), 404, "not-found")
