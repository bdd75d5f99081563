"""Every command in README.md and docs/ is typed and answers as shown, and whatever they name exists."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from app import __version__
from app.http.pages.matrix import markdown
from app.http.problems import FAULTS, INTERNAL, OTHERS, PROBLEMS
from app.settings import Settings
from tests.comparison import CASES, Case, row
from tests.http.service import BODY, Service
from tests.snippets import ADDRESS, ANSWERED, BLOCKS, PAGES, ROOT, Block

BINARY = [block for block in BLOCKS if block.page == "docs/binary.md" and block not in sum(ANSWERED, ())]
PROGRAMS = [block for block in BLOCKS if block.language == "python" and block not in BINARY]
EXAMPLES = [block for block in BLOCKS if block.language == "http"]
"""Of the header of an answer."""

ELSEWHERE = {
    "git clone": "tests/test_readme.py",
    "import numpy\nimport tritonclient": "tests/open_inference/test_docs.py",
}
"""By how a block begins: where it is run."""

RUN_ELSEWHERE = [block for block in BLOCKS if block.text.startswith(tuple(ELSEWHERE))]

NOT_RUN = {
    "docker compose up --build": "needs a container engine",
    ".venv/bin/python -m pip install --require-hashes --requirement requirements-otel.lock": "needs a package index",
}

needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def _typed(command: str, server: str, folder: Path) -> bytes:
    """What curl answers there."""
    assert command.startswith("curl ")
    assert ADDRESS in command
    arguments = shlex.split(command.replace(f"http://{ADDRESS}", server))
    run = subprocess.run(
        [*arguments, "--silent", "--show-error", "--max-time", "20", "--noproxy", "*"],
        cwd=folder,
        capture_output=True,
        check=False,
        timeout=30,
    )
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout


@needs_curl
@pytest.mark.parametrize(
    ("command", "answer"), ANSWERED, ids=[f"{command.page} {place}" for place, (command, _) in enumerate(ANSWERED)]
)
def test_a_command_answers_as_shown(server: str, command: Block, answer: Block, tmp_path: Path) -> None:
    assert json.loads(_typed(command.text, server, tmp_path)) == json.loads(answer.text)


@needs_curl
def test_a_file_is_reduced_as_shown(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert [block.language for block in BINARY] == ["python", "sh", "python", "python"]
    for block in BINARY:
        if block.language == "sh":
            _typed(block.text, server, tmp_path)
        else:
            exec(block.text.replace(f"http://{ADDRESS}", server), {})


@pytest.mark.parametrize("page", sorted({block.page for block in PROGRAMS if block not in RUN_ELSEWHERE}))
def test_the_programs_of_a_page_run_one_after_another(server: str, page: str) -> None:
    programs = [block.text for block in PROGRAMS if block.page == page and block not in RUN_ELSEWHERE]
    assert ADDRESS in "".join(programs)
    names: dict[str, Any] = {}
    for program in programs:
        exec(program.replace(f"http://{ADDRESS}", server), names)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_answer_has_the_fields_that_are_shown(example: Block) -> None:
    headers = Service().post("/v12/reduce_min", BODY, {"X-Request-ID": "5f1c0d2a9b3e-7"}).headers
    for line in example.text.splitlines():
        name, _, value = line.partition(": ")
        assert re.sub(r"\d+\.\d+", "0", headers[name]) == re.sub(r"\d+\.\d+", "0", value)


def test_nothing_is_left_unrun() -> None:
    run = {*sum(ANSWERED, ()), *BINARY, *PROGRAMS, *EXAMPLES}
    others = [block for block in BLOCKS if block not in run and block not in RUN_ELSEWHERE]
    assert {block.text.strip() for block in others} == NOT_RUN.keys()
    for beginning, module in ELSEWHERE.items():
        assert (ROOT / module).exists()
        assert any(block.text.startswith(beginning) for block in BLOCKS)
    assert sum(text.count("```") for text in PAGES.values()) == 2 * len(BLOCKS)
    assert PROGRAMS
    assert EXAMPLES


def test_the_table_of_operators_is_current() -> None:
    assert PAGES["docs/operators.md"] == markdown(), "run `make openapi`"


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md"])
def test_what_contributors_read_names_what_there_is(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    paths = re.findall(r"`((?:[\w-]+/)+[\w.-]*|[\w.-]+\.\w+)`", text)
    paths += re.findall(r"^\| `([a-z/_.]+)`", text, re.MULTILINE)
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_every_make_target_that_contributors_read_of_exists() -> None:
    targets = set(re.findall(r"`make ([a-z-]+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
    assert {"test", "test-inference", "clients", "lint"} <= targets
    for target in targets:
        run = subprocess.run(
            ["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False, timeout=30
        )
        assert run.returncode == 0, run.stderr


def test_the_changelog_begins_with_this_version() -> None:
    found = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    assert found[1] == __version__


def test_the_statuses_are_those_of_refusals() -> None:
    cells = re.findall(r"^\| (\d{3}(?:, \d{3})*) \|", PAGES["docs/guide.md"], re.MULTILINE)
    listed = {int(status) for cell in cells for status in cell.split(", ")}
    assert listed == {problem.status for problem in (*PROBLEMS.values(), *OTHERS, *FAULTS)} - {INTERNAL.status}


def test_every_file_that_is_named_exists() -> None:
    named = {name for text in PAGES.values() for name in re.findall(r"`([\w./-]+\.(?:py|md|toml|yml))`", text)}
    assert named
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


LINKING = [*PAGES, "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "deploy/README.md", "openapi/README.md"]


@pytest.mark.parametrize("name", LINKING)
def test_every_link_leads_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}, link


def test_every_page_is_linked_from_the_readme() -> None:
    assert [name for name in PAGES if name != "README.md" and f"]({name})" not in PAGES["README.md"]] == []


def test_the_settings_table_lists_every_setting_and_no_other() -> None:
    listed = re.findall(r"^\| `(KEEPDIMS_\w+)`", PAGES["docs/operations.md"], re.MULTILINE)
    assert sorted(listed) == sorted(f"KEEPDIMS_{name.upper()}" for name in Settings.model_fields)


def test_every_setting_that_is_named_is_one() -> None:
    named = {name for text in PAGES.values() for name in re.findall(r"KEEPDIMS_(\w+)", text)}
    assert {name.lower() for name in named} <= set(Settings.model_fields)


@pytest.fixture(scope="module")
def service() -> Service:
    return Service()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.operator} {case.values}")
def test_a_row_of_the_comparison_is_what_is_measured(case: Case, service: Service) -> None:
    assert row(case, service) in PAGES["docs/exactness.md"].splitlines()


def test_the_comparison_has_no_other_row() -> None:
    assert len(re.findall(r"^\| Reduce", PAGES["docs/exactness.md"], re.MULTILINE)) == len(CASES)
