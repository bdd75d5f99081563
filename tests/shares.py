"""Which tests run in one process, where `make test` has several: those of a file, whose servers are then started once.

Those that measure time, or fill the machine, are one share: they take turns, and disturb each other no more than in one
process. Shares are handed out as they are collected, and the long ones come early.
"""

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

TURNS = (
    "tests/faults/",
    "tests/http/test_heads.py",
    "tests/http/test_memory.py",
    "tests/http/open_inference/test_memory.py",
)
"""Of these each waits for the others."""


class Shares(LoadScopeScheduling):  # type: ignore[misc]
    """Hands whole files, and all of TURNS as one, to processes that have nothing to do."""

    def __init__(self, config: pytest.Config, log: Producer | None = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False  # it would begin with those of the most tests

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "taking turns" if file.startswith(TURNS) else file
