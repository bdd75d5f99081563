"""What docs/performance.md says is what benchmarks/README.md has measured, but for what runs differ by."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WORDS = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
TABLES = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
NOISE = 1.2
STATED = re.findall(r"^\| ([A-Z].*?) \| (.*) \|$", WORDS, re.MULTILINE)


def _rows(title: str) -> dict[str, list[str]]:
    """Of the first table behind a title, the cells of each row by its first."""
    found = re.search(r"^\|.*\|\n(?:\|.*\|\n)+", TABLES[TABLES.index(title) :], re.MULTILINE)
    assert found is not None
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in found[0].splitlines()]
    return {first: cells for first, *cells in lines}


def _ratio(cell: str) -> float:
    """The first number in brackets."""
    found = re.search(r"\(([\d.]+)", cell)
    assert found is not None, cell
    return float(found[1])


OPERATORS = _rows("### Operators")
KEPT = float(_rows("### Servers")["bare, memory kept"][3].split()[0])
"""Milliseconds for 64 MiB."""
FLOAT32, INT64 = _rows("| float32, 1 thread"), _rows("| int64, 1 thread")


def _measured(name: str) -> tuple[list[float], ...]:
    """What there is of an operator for each column."""
    onnx = name if name.startswith("Arg") else f"Reduce{name}"
    path = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", onnx).lower()
    time = OPERATORS[path][1]
    kernels = ([_ratio(cell) for cell in table[onnx] if cell] for table in (FLOAT32, INT64))
    return ([_ratio(time)], [float(time.split()[0].replace(",", "")) / KEPT], *kernels)


def _said(low: float, high: float, measured: list[float]) -> bool:
    """Whether a range holds what was measured, and not much more."""
    found = min(measured), max(measured)
    return low / NOISE <= found[0] <= low * NOISE and high / NOISE <= found[1] <= high * NOISE


@pytest.mark.parametrize(("operators", "cells"), STATED, ids=[operators for operators, _ in STATED])
def test_a_row_is_what_was_measured(operators: str, cells: str) -> None:
    measured = zip(*map(_measured, operators.split(", ")), strict=True)
    for cell, columns in zip(cells.split(" | "), measured, strict=True):
        low, _, high = cell.partition(" to ")
        assert _said(float(low), float(high or low), [ratio for column in columns for ratio in column]), cell


def test_every_operator_has_its_row() -> None:
    named = [name for operators, _ in STATED for name in operators.split(", ")]
    assert len(named) == len(set(named)) == 12


def test_the_rate_of_small_requests_is_what_was_measured() -> None:
    low, high = map(float, re.findall(r"at ([\d.]+) to ([\d.]+) of the rate", WORDS)[0])
    small = [_ratio(cells[0]) for name, cells in OPERATORS.items() if name.startswith(("reduce", "arg"))]
    assert _said(low, high, [*small, _ratio(_rows("### Servers")["keepdims"][0])])


def test_the_memory_of_a_large_body_is_what_was_measured() -> None:
    (said,) = re.findall(r"by about (\d+) MB", WORDS)
    peak = float(_rows("### Growth")["keepdims"][-1])
    assert _said(float(said), float(said), [peak])
