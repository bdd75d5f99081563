"""Every command in docs/ is typed and answers as shown, every file named exists, every number is measured."""

import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from app import __version__
from app.http.pages.matrix import markdown
from app.http.problems import BODY_TOO_SLOW, METHOD_NOT_ALLOWED, PROBLEMS
from app.settings import Settings
from tests.comparison import CASES, Case, row
from tests.http.service import Service

ROOT = Path(__file__).parent.parent
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md"))}
ADDRESS = "http://127.0.0.1:8000"
BLOCKS: list[tuple[str, str]] = [
    block for text in PAGES.values() for block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
]
ANSWERED = [(command, answer) for (sh, command), (js, answer) in pairwise(BLOCKS) if (sh, js) == ("sh", "json")]
PROGRAMS = [text for language, text in BLOCKS if language == "python"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(("command", "answer"), ANSWERED, ids=[str(place) for place in range(len(ANSWERED))])
def test_a_command_answers_as_shown(server: str, command: str, answer: str) -> None:
    arguments = [*shlex.split(command.replace(ADDRESS, server)), "--silent", "--noproxy", "*"]
    run = subprocess.run(arguments, capture_output=True, check=True, timeout=30)
    assert json.loads(run.stdout) == json.loads(answer)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_runs(server: str, program: str) -> None:
    exec(program.replace(ADDRESS, server), {})


def test_nothing_is_left_unrun() -> None:
    assert len(BLOCKS) == 2 * len(ANSWERED) + len(PROGRAMS)
    assert PROGRAMS


def test_the_table_of_operators_is_current() -> None:
    assert PAGES["operators.md"] == markdown(), "run `make openapi`"


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md"])
def test_what_contributors_read_names_what_there_is(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert [
        path for path in re.findall(r"`((?:[\w-]+/)+[\w.-]*|[\w.-]+\.\w+)`", text) if not (ROOT / path).exists()
    ] == []
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)", text):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_changelog_begins_with_this_version() -> None:
    found = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == __version__


def test_the_statuses_are_those_of_refusals() -> None:
    listed = {int(status) for status in re.findall(r"^\| (\d{3}) \|", PAGES["guide.md"], re.MULTILINE)}
    problems = {problem.status for problem in (*PROBLEMS.values(), BODY_TOO_SLOW, METHOD_NOT_ALLOWED)}
    assert listed >= problems
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Errors")[2].partition("\n## ")[0]
    assert listed == {int(status) for status in re.findall(r"\b[45]\d\d\b", readme)}


def test_every_file_that_is_named_exists() -> None:
    named = {name for text in PAGES.values() for name in re.findall(r"`([\w./-]+\.(?:py|md|toml))`", text)}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_setting_that_is_named_is_one() -> None:
    named = {name for text in PAGES.values() for name in re.findall(r"KEEPDIMS_(\w+)", text)}
    assert {name.lower() for name in named} <= set(Settings.model_fields)


@pytest.fixture(scope="module")
def service() -> Service:
    return Service()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.operator} {case.values}")
def test_a_row_of_the_comparison_is_what_is_measured(case: Case, service: Service) -> None:
    assert row(case, service) in PAGES["exactness.md"].splitlines()


def test_the_comparison_has_no_other_row() -> None:
    assert len(re.findall(r"^\| Reduce", PAGES["exactness.md"], re.MULTILINE)) == len(CASES)
