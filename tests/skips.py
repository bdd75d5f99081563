"""Tests that are not run, and why: counted at the end, and foreseen or not.

With ALLOW_SKIPS=0 in the environment, as `.ci/run` sets it, a run fails if a test was skipped for any other reason than
what a machine may lack.
"""

import os
import re
from collections import Counter
from typing import Any

import pytest

FORESEEN = (
    r"(Chromium|Node|curl|java|javac|kubectl|npm|unshare) is not installed",
    r"kubectl has a kustomize older than version 4",
    r"no name space of its own may be had here: .*",
    r".* are Linux's",
    r"96 bodies on their way take \d+ GiB of memory",
    r"BLAS starts no more threads than there are cores",
)


def reasons(config: pytest.Config) -> Counter[str]:
    """How many tests were skipped, by their reasons; nothing in a process that reports to another."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    return Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped)


def unforeseen(reason: str) -> bool:
    return not any(re.fullmatch(each, reason, re.DOTALL) for each in FORESEEN)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A run that has passed has not, if something was skipped that must not be."""
    if exitstatus == 0 and os.environ.get("ALLOW_SKIPS") == "0" and any(map(unforeseen, reasons(session.config))):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """What was not run, above the closing line."""
    found = reasons(config)
    terminalreporter.section(f"{found.total()} tests were not run")
    for reason, count in found.most_common():
        fails = os.environ.get("ALLOW_SKIPS") == "0" and unforeseen(reason)
        terminalreporter.line(f"{count:5}: {reason}{' (this fails the run, unless ALLOW_SKIPS=1)' if fails else ''}")
