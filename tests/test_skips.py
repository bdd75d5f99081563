"""A run of which too much is skipped does not pass as one that went well."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FORESEEN, NOT_FORESEEN = "curl is not installed", "a tool is not here: make clients"


@pytest.mark.parametrize("processes", [[], ["--numprocesses=1"]], ids=["alone", "by another process"])
@pytest.mark.parametrize(
    ("reason", "allowed", "code"),
    [(FORESEEN, "0", 0), (NOT_FORESEEN, "0", 1), (NOT_FORESEEN, "1", 0), (NOT_FORESEEN, None, 0)],
)
def test_a_reason_is_told_of_and_fails_the_run_unless_it_is_foreseen(
    tmp_path: Path, processes: list[str], reason: str, allowed: str | None, code: int
) -> None:
    (tmp_path / "test_some.py").write_text(
        f"import pytest\n@pytest.mark.parametrize('n', range(3))\ndef test_it(n):\n    n and pytest.skip({reason!r})\n"
    )
    environment = {name: value for name, value in os.environ.items() if name not in ("ALLOW_SKIPS", "PYTEST_ADDOPTS")}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.skips", "--rootdir", tmp_path, *processes, tmp_path],
        cwd=ROOT,
        env=environment | ({} if allowed is None else {"ALLOW_SKIPS": allowed}),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == code, run.stdout + run.stderr
    assert "2 tests were not run" in run.stdout
    assert f"2: {reason}" in run.stdout
    assert run.stdout.splitlines()[-1].strip(" =").startswith("1 passed, 2 skipped in ")
