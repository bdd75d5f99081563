"""The clients that `make clients` has made, and the programs that call the service through them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.clients import COMMANDS, FOLDER, ROOT, digest, lacking

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def made() -> Callable[[str], dict[str, Any]]:
    """What a generator said when it made a client; a skip where it has not been made of the present document."""

    def look(name: str) -> dict[str, Any]:
        if why := lacking(COMMANDS[name][0]):
            pytest.skip(why)
        record = FOLDER / f"{name}.json"
        if not record.exists():
            pytest.skip("no client has been made: make clients")
        found: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
        if found["of"] != digest():
            pytest.skip("the clients are of another document: make clients")
        return found

    return look


@pytest.fixture(scope="session")
def programs() -> Path:
    """A copy of the programs beside the clients they import."""
    folder = FOLDER / "programs"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PROGRAMS, folder)
    (FOLDER / "package.json").write_text('{"type": "module"}\n', encoding="utf-8")
    packages = FOLDER / "node_modules"
    packages.unlink(missing_ok=True)
    packages.symlink_to(ROOT / "openapi" / "node_modules", target_is_directory=True)
    return folder
