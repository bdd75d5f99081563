"""README.md brings a reader to the first answer: a clone, a start, a call of each seed operator."""

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.snippets import ANSWERED, BLOCKS, ROOT

NAME = "README.md"


def test_a_clone_can_be_started_as_shown(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this tree is not a clone itself")
    block = next(block.text for block in BLOCKS if (block.page, block.language) == (NAME, "sh"))
    clone, start = (shlex.split(line, comments=True) for line in block.splitlines())
    assert clone[:3] == ["git", "clone", "REPOSITORY"]
    for command in ([*clone[:2], str(ROOT), *clone[3:]], [*start, "--dry-run"]):
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        assert run.returncode == 0, run.stderr
    assert "python -m app" in run.stdout
    assert (tmp_path / "keepdims" / NAME).is_file()


def test_each_seed_operator_has_a_command_with_its_answer() -> None:
    commands = " ".join(command.text for command, _ in ANSWERED if command.page == NAME)
    assert all(path in commands for path in ("/v12/reduce_min", "/v11/reduce_sum", "/v12/arg_min"))
