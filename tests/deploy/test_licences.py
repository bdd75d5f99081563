"""Every package that the image holds is under a licence that allows what this project does with it."""

import re
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.licenses import canonicalize_license_expression
from packaging.requirements import Requirement

from deploy.licences import CARRIED, READ, identifiers, licence, name, table

ROOT = Path(__file__).parent.parent.parent

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MPL-2.0",  # of files: those of orjson are used as they are
    "PSF-2.0",
    "Zlib",
}

ALLOWED_CARRIED = ALLOWED | {
    "GPL-3.0-or-later WITH GCC-exception-3.1",  # the exception is for programs that are compiled with it
    "LGPL-2.1-or-later",  # a library of its own, loaded at run time, that may be replaced
}


def _locked() -> list[Requirement]:
    """What the image holds, and would on this Python."""
    lines = re.findall(r"^([\w.-]+==.*?) \\$", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE)
    requirements = map(Requirement, lines)
    return [each for each in requirements if each.marker is None or each.marker.evaluate()]


PACKAGES = [distribution(each.name) for each in _locked()]


@pytest.mark.parametrize("package", PACKAGES, ids=name)
def test_the_licence_of_a_package_is_allowed(package: Distribution) -> None:
    expression = licence(package)
    assert canonicalize_license_expression(expression) == expression
    assert identifiers(expression) <= ALLOWED


def test_what_a_wheel_carries_is_allowed_too() -> None:
    licences = [expression for carried in CARRIED.values() for expression in carried.values()]
    assert set(licences) <= ALLOWED_CARRIED
    assert {name(package) for package in PACKAGES} >= CARRIED.keys() - {"pysimdjson"}  # has no wheel for every Python


def test_every_library_that_a_wheel_carries_is_listed() -> None:
    libraries = [
        (name(package), file.name.partition("-")[0].partition(".")[0].rstrip("0123456789_"))
        for package in PACKAGES
        for file in package.files or []
        if file.parts[0].endswith(".libs")
    ]
    assert [each for each in libraries if each[1] not in CARRIED.get(each[0], {})] == []


def test_a_text_that_was_read_says_what_was_read() -> None:
    for package in PACKAGES:
        if name(package) in READ:
            (file,) = (file for file in package.files or [] if file.name == "LICENSE")
            assert "Permission is hereby granted, free of charge" in file.read_text(encoding="utf-8")
    assert set(READ.values()) == {"MIT"}


@pytest.mark.parametrize(
    ("expression", "named"),
    [
        ("MIT", {"MIT"}),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", {"MPL-2.0", "Apache-2.0", "MIT"}),
        ("GPL-3.0-only WITH GCC-exception-3.1 AND MIT", {"GPL-3.0-only WITH GCC-exception-3.1", "MIT"}),
    ],
)
def test_an_expression_names_its_licences(expression: str, named: set[str]) -> None:
    assert identifiers(expression) == named


def test_a_licence_that_is_not_known_is_not_allowed(tmp_path: Path) -> None:
    folder = tmp_path / "odd-1.dist-info"
    folder.mkdir()
    for said in (
        "License: Do what I say",
        "Classifier: License :: Free For Home Use",
        "License-Expression: GPL-3.0-only",
    ):
        (folder / "METADATA").write_text(f"Metadata-Version: 2.4\nName: odd\nVersion: 1\n{said}\n", encoding="utf-8")
        found = licence(Distribution.at(folder))
        assert not found or not identifiers(found) <= ALLOWED


def test_the_table_has_every_package() -> None:
    rows = table(PACKAGES).splitlines()
    assert {row.split(" | ")[0].removeprefix("| ") for row in rows} >= {name(package) for package in PACKAGES}
    assert len(rows) == 2 + len(PACKAGES) + sum(len(CARRIED.get(name(package), {})) for package in PACKAGES)
