"""Every type that a problem document may have is a page."""

import pytest

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


def test_a_refusal_means_what_its_class_says() -> None:
    assert {error: problem.meaning for error, problem in PROBLEMS.items()} == {
        error: error.__doc__ for error in PROBLEMS
    }


def test_there_is_no_page_of_another_type(service: Service) -> None:
    problem(service.get("/problems/other"), 404, "not-found")
