"""Everything the README tells a reader to type is typed here, and answers as the README says."""

import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from app.settings import Settings

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ADDRESS = "http://127.0.0.1:8000"
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
COMMANDS = [text for language, text in BLOCKS if language == "sh"]
BINARY = [command for command in COMMANDS if " -o " in command]
ANSWERED = [(command, answer) for (sh, command), (js, answer) in pairwise(BLOCKS) if (sh, js) == ("sh", "json")]

NOT_RUN = {
    "make serve": "serves until it is stopped",
    "make test": "would run this test again",
    "make test-inference": "installs half a gigabyte of clients",
    "make fuzz": "takes minutes",
    "make lint": "belongs to the continuous integration",
    "make openapi": "writes into the tree",
    "make clients": "installs generators",
    "make bench": "takes minutes",
    "make lock": "asks the package index",
    "docker compose up --build": "needs a container engine",
}


def _lines(block: str) -> list[str]:
    """The commands of a block of one-line commands, without their comments."""
    return [shlex.join(shlex.split(line, comments=True)) for line in block.splitlines() if line.strip()]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(
    ("command", "answer"), ANSWERED, ids=[command.split()[1].removeprefix(ADDRESS) for command, _ in ANSWERED]
)
def test_a_command_answers_as_shown(server: str, command: str, answer: str) -> None:
    assert ADDRESS in command
    arguments = shlex.split(command.replace(ADDRESS, server))
    assert arguments[0] == "curl"
    run = subprocess.run(
        [*arguments, "--silent", "--show-error", "--max-time", "20", "--noproxy", "*"],
        capture_output=True,
        check=False,
        timeout=30,
    )
    assert run.returncode == 0, run.stderr.decode()
    assert json.loads(run.stdout) == json.loads(answer)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_binary_command_answers_as_shown(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before, after = (text for language, text in BLOCKS if language == "python" and "tritonclient" not in text)
    (command,) = BINARY
    exec(before, {"numpy": np})
    arguments = shlex.split(command.replace("localhost:8000", server))
    run = subprocess.run([*arguments, "--silent", "--fail", "--noproxy", "*"], check=False, timeout=30)
    assert run.returncode == 0
    exec(after, {"numpy": np})


def test_each_seed_operator_has_a_command_with_its_answer() -> None:
    commands = " ".join(command for command, _ in ANSWERED)
    assert all(path in commands for path in ("/v12/reduce_min", "/v11/reduce_sum", "/v12/arg_min"))


def test_every_block_is_run_or_listed_with_its_reason() -> None:
    answered = {*BINARY, *(command for command, _ in ANSWERED)}
    others = [line for command in COMMANDS if command not in answered for line in _lines(command)]
    assert set(others) == NOT_RUN.keys()
    assert {language for language, _ in BLOCKS} == {"sh", "json", "python"}


@pytest.mark.parametrize("command", [command for command in NOT_RUN if command.startswith("make ")])
def test_a_make_target_that_is_not_run_exists(command: str) -> None:
    run = subprocess.run(
        [*command.split(), "--dry-run"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=30
    )
    assert run.returncode == 0, run.stderr


def test_the_settings_table_lists_every_setting_and_no_other() -> None:
    listed = re.findall(r"^\| `(KEEPDIMS_\w+)`", README, flags=re.MULTILINE)
    assert sorted(listed) == sorted(f"KEEPDIMS_{name.upper()}" for name in Settings.model_fields)


def test_every_path_that_is_named_exists() -> None:
    table = README.partition("## Development")[2]
    named = re.findall(r"^\| `([\w./-]+)`", table, flags=re.MULTILINE)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []
