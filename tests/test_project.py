"""What the files around the code promise one another."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from app.settings import Settings
from tests.shares import TURNS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


LOCKS = re.findall(r" -o (\S+\.lock)$", _read("Makefile"), flags=re.MULTILINE)
"""What `make lock` writes."""

HANDED_ON_BY_HAND = {"KEEPDIMS_API_KEYS_FILE", "KEEPDIMS_SHARED_MEMORY"}
"""Settings that a container needs more for than their value: a file, and the memory of its host."""


def _pins(lock: str) -> dict[str, str]:
    """{name: version} of a lock file."""
    return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", _read(lock), flags=re.MULTILINE))


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


def test_every_lock_file_is_one_that_is_made() -> None:
    folders = (".", "deploy", "openapi", "tests", "benchmarks")
    found = {path for folder in folders for path in (ROOT / folder).glob("*.lock" if folder == "." else "**/*.lock")}
    assert {str(path.relative_to(ROOT)) for path in found if "node_modules" not in path.parts} == set(LOCKS)


def test_what_is_tested_is_what_is_served() -> None:
    served, traced, tested = map(_pins, ("requirements.lock", "requirements-otel.lock", "requirements-dev.lock"))
    assert served.items() < traced.items() < tested.items()


@pytest.mark.parametrize(
    ("wanted", "lock"),
    [
        (PROJECT["project"]["dependencies"], "requirements.lock"),
        (PROJECT["project"]["optional-dependencies"]["otel"], "requirements-otel.lock"),
        (PROJECT["dependency-groups"]["dev"], "requirements-dev.lock"),
    ],
    ids=["served", "traced", "tested"],
)
def test_a_lock_file_holds_every_dependency_in_a_version_that_is_asked_for(wanted: list[str], lock: str) -> None:
    pins = _pins(lock)
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(pins[requirement.name]), requirement


def test_the_tests_that_take_turns_are_there() -> None:
    assert [turn for turn in TURNS if not (ROOT / turn).exists()] == []


def test_the_docker_context_holds_what_the_image_copies() -> None:
    copied = re.findall(r"^COPY (\w\S+) ", _read("Dockerfile"), flags=re.MULTILINE)
    assert sorted(copied) == sorted(re.findall(r"^!(\S+)", _read(".dockerignore"), flags=re.MULTILINE))


def test_compose_hands_on_every_setting_but_the_address_in_the_image() -> None:
    environment = yaml.safe_load(_read("docker-compose.yml"))["services"]["keepdims"]["environment"]
    assert set(environment.values()) == {None}
    settings = {f"KEEPDIMS_{name.upper()}" for name in Settings.model_fields}
    assert environment.keys() == settings - {"KEEPDIMS_HOST", "KEEPDIMS_PORT"} - HANDED_ON_BY_HAND


def test_compose_shows_what_the_others_need() -> None:
    text = re.sub(r"^( *)#: ", r"\1", _read("docker-compose.yml"), flags=re.MULTILINE)
    service = yaml.safe_load(text)["services"]["keepdims"]
    assert {name for name, value in service["environment"].items() if value is not None} == HANDED_ON_BY_HAND
    (volume,) = service["volumes"]
    assert volume.split(":")[1:] == [service["environment"]["KEEPDIMS_API_KEYS_FILE"], "ro"]
    assert (service["environment"]["KEEPDIMS_SHARED_MEMORY"], service["ipc"]) == (1, "host")
