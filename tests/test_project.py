"""What the files around the code promise one another."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from app.settings import Settings
from tests.shares import TURNS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCKS = (
    "requirements.lock",
    "requirements-dev.lock",
    "openapi/requirements.lock",
    "tests/open_inference/requirements.lock",
    "deploy/requirements.lock",
    "tests/faults/fuzz/requirements.lock",
)


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _pins(lock: str) -> dict[str, str]:
    """{name: version} of a lock file."""
    return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", _read(lock), flags=re.MULTILINE))


def _name(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    assert match, requirement
    return match[0].lower().replace("_", "-")


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_names_no_host_and_no_folder(lock: str) -> None:
    assert re.findall(r"\S*://\S*|(?<=\s)[/~]\S*|@ \S+|^--?[a-z]\S*.*", _read(lock), flags=re.MULTILINE) == []


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_pins_one_version_of_each_package_by_hash(lock: str) -> None:
    entries = re.split(r"^(?=\S)", _read(lock), flags=re.MULTILINE)[1:]
    assert len(entries) == len(_pins(lock)) > 0
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []


def test_the_lock_file_of_npm_names_no_registry() -> None:
    packages = json.loads(_read("openapi/package-lock.json"))["packages"]
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in packages.items() if name)


def test_what_is_tested_is_what_is_served() -> None:
    assert _pins("requirements.lock").items() <= _pins("requirements-dev.lock").items()


def test_the_lock_files_hold_every_dependency_of_the_project() -> None:
    dependencies = PROJECT["project"]["dependencies"]
    assert {_name(each) for each in dependencies} <= _pins("requirements.lock").keys()
    assert {_name(each) for each in PROJECT["dependency-groups"]["dev"]} <= _pins("requirements-dev.lock").keys()


def test_the_tests_that_take_turns_are_there() -> None:
    assert [turn for turn in TURNS if not (ROOT / turn).exists()] == []


def test_the_docker_context_holds_what_the_image_copies() -> None:
    copied = re.findall(r"^COPY (\w\S+) ", _read("Dockerfile"), flags=re.MULTILINE)
    assert sorted(copied) == sorted(re.findall(r"^!(\S+)", _read(".dockerignore"), flags=re.MULTILINE))


def test_compose_hands_on_every_setting_but_the_address_in_the_image() -> None:
    handed_on = re.findall(r"^ +(KEEPDIMS_\w+):$", _read("docker-compose.yml"), flags=re.MULTILINE)
    settings = {f"KEEPDIMS_{name.upper()}" for name in Settings.model_fields}
    assert set(handed_on) == settings - {"KEEPDIMS_HOST", "KEEPDIMS_PORT"}
