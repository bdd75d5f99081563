"""Under which licences the packages are that are installed beside this interpreter: a table, as Markdown.

`build/runtime/bin/python deploy/licences.py`, as `make sbom` runs it, needs nothing installed.
"""

import re
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution, distributions

CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""What packages say in their classifiers that have no SPDX expression, and what is meant by it."""

READ = {"pysimdjson": "MIT"}
"""Packages that only have the text of their licence, and what it is."""

CARRIED = {
    "fastapi-swagger": {"Swagger UI": "Apache-2.0"},
    "numpy": {
        "libscipy_openblas": "BSD-3-Clause",
        "libgfortran": "GPL-3.0-or-later WITH GCC-exception-3.1",
        "libquadmath": "LGPL-2.1-or-later",
    },
    "pysimdjson": {"simdjson": "Apache-2.0"},
}
"""What else is in the wheels of packages, as they come from PyPI for Linux, and does not stand in their metadata."""


def licence(package: Distribution) -> str:
    """An SPDX expression; empty if the package has none that is known. Classifiers do not say whether one may choose:
    all are taken to hold."""
    for expression in _said(package, "License-Expression"):
        return expression
    said = [line.rpartition(" :: ")[2] for line in _said(package, "Classifier") if "License ::" in line]
    if said:
        return " AND ".join(sorted(CLASSIFIERS.get(each, f"({each})") for each in said))
    identifier = "".join(text for text in _said(package, "License") if re.fullmatch(r"[\w.-]+", text))
    return identifier or READ.get(name(package), "")


def identifiers(expression: str) -> set[str]:
    """The licences that an expression names; one with an exception is one."""
    parts = re.split(r"[()]|\b(?:AND|OR)\b", expression)
    return {part.strip() for part in parts if part.strip()}


def name(package: Distribution) -> str:
    return re.sub(r"[-_.]+", "-", package.metadata["Name"]).lower()


def _said(package: Distribution, field: str) -> list[str]:
    return package.metadata.get_all(field) or []


def table(packages: Iterable[Distribution]) -> str:
    """A row for each package, and for what its wheel carries besides."""
    rows = []
    for package in sorted(packages, key=name):
        rows.append(f"| {name(package)} | {package.version} | {licence(package)} |")
        rows += [f"| in it, {carried} | | {its} |" for carried, its in CARRIED.get(name(package), {}).items()]
    return "\n".join(["| package | version | licence |", "|---|---|---|", *rows, ""])


if __name__ == "__main__":
    sys.stdout.write(table(distributions()))
