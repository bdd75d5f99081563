"""The pages that the `type` of a problem document names."""

from functools import cache

from app.http.pages.operator import Part
from app.http.problems import FAULTS, OTHERS, PROBLEMS


class ProblemPage(Part):
    """A type of problem: `meaning` says when it comes, `remedy` what to do."""

    type: str
    title: str
    status: int
    meaning: str
    remedy: str


class ProblemsIndex(Part):
    """All of them, by status."""

    problems: tuple[ProblemPage, ...]


@cache
def problem_pages() -> dict[str, ProblemPage]:
    """Each page by its path."""
    return {
        problem.type: ProblemPage(
            type=problem.type,
            title=problem.title,
            status=problem.status,
            meaning=problem.meaning,
            remedy=problem.remedy,
        )
        for problem in sorted((*PROBLEMS.values(), *OTHERS, *FAULTS), key=lambda problem: problem.status)
    }


@cache
def problems_index() -> ProblemsIndex:
    """The same at every call."""
    return ProblemsIndex(problems=tuple(problem_pages().values()))
