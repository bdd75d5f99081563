"""Results as Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from benchmarks.columns import Column
from benchmarks.kernels import PATTERNS, Row
from benchmarks.peers import FLOOR

TITLES: dict[str, str] = {"servers": "Servers", "operators": "Operators", "growth": "Growth", "memory": "Shared memory"}
WORDS: dict[str, str] = {
    "servers": "ReduceMin over axis 1 of float32. Small is 2 × 3 elements; requests per second are taken over "
    "16 connections, milliseconds over one. In brackets, the ratio to the floor: of rates the part that is left, of "
    "times how many times as long. Base64 has entries where a server reads it.",
    "operators": "keepdims alone: version 13 of each operator, over axis 1 of float32.",
    "growth": "ReduceMin-13 over axis 1 of float32 as .npy. The last column is a stream of unknown length into a "
    "server that has just started: how far the peak of its resident memory rises above where it was.",
    "memory": "ReduceMin over axis 1 of float32 by the Open Inference Protocol: behind the JSON, and in shared memory "
    "that the server was told of and reads where it is.",
}


def pairs(titles: tuple[str, str], values: Mapping[str, str]) -> str:
    """A table of two columns."""
    return table(titles, values.items())


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join(f"| {' | '.join(row)} |" for row in (titles, ["---"] * len(titles), *rows)) + "\n"


def section(name: str, columns: Sequence[Column]) -> str:
    """One of TITLES, with its heading."""
    rows = list(dict.fromkeys(row for column in columns for row in column.values))
    rows.sort(key=lambda row: row != FLOOR)
    titles = ["", *(f"{column.title}, {column.unit}" for column in columns)]
    lines = [[row, *(_cell(column, row) for column in columns)] for row in rows]
    return f"### {TITLES[name]}\n\n{WORDS[name]}\n\n{table(titles, lines)}"


def _cell(column: Column, row: str) -> str:
    value = column.values.get(row, "")
    if isinstance(value, str):
        return "failed" if value else ""
    floor = column.values.get(FLOOR)
    if column.unit == "MB" or row == FLOOR or not isinstance(floor, float):
        return number(value)
    return f"{number(value)} ({number(value / floor)})"


def number(value: float) -> str:
    """Three digits are more than a shared machine can promise."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def failures(columns: Iterable[Column]) -> dict[str, str]:
    """What failed, by the reason."""
    found: dict[str, list[str]] = {}
    for column in columns:
        for row, value in column.values.items():
            if isinstance(value, str):
                found.setdefault(value, []).append(f"{row}: {column.title}")
    return {"; ".join(cells): reason for reason, cells in found.items()}


KERNEL_WORDS = (
    "GB/s of whole tensors of 64 MiB, and in brackets how many times as fast that is as plain NumPy (which uses one "
    "thread) and as onnxruntime on as many threads (– where it has no such kernel): medians over rounds in which each "
    "has its turn. A star marks the one whose answer is not bit for bit ours. Of two threads keepdims takes one for "
    "sums, products and exponentials of floats, which are slower on two; from three on it takes all."
)


def kernels(rows: Sequence[Row]) -> str:
    """One table for each dtype and number of threads."""
    text = f"### Kernels\n\n{KERNEL_WORDS}\n"
    for (threads, dtype), group in groupby(rows, key=lambda row: (row.threads, row.dtype)):
        cells = {(row.operator, row.pattern): _throughput(row) for row in group}
        patterns = [pattern for pattern in PATTERNS if any(cell[1] == pattern for cell in cells)]
        operators = dict.fromkeys(operator for operator, _ in cells)
        lines = [[name, *(cells.get((name, pattern), "") for pattern in patterns)] for name in operators]
        title = f"{dtype}, {threads} thread{'s' if threads > 1 else ''}"
        text += f"\n{table([title, *patterns], lines)}"
    return text


def _throughput(row: Row) -> str:
    numpy = number(row.times_numpy) + ("" if row.numpy_agrees else "*")
    engine = "–" if row.times_engine is None else number(row.times_engine) + ("" if row.engine_agrees else "*")
    return f"{number(row.whole)} ({numpy}, {engine})"


LIVE_TITLES = ("GB/s", "threads", "whole", "blocks of 1 MiB", "plain NumPy", "onnxruntime", "whole / NumPy")


def live(row: Row) -> list[str]:
    """A row as it is measured, under LIVE_TITLES."""
    engine = "" if row.engine is None else number(row.engine)
    rates = [number(row.whole), number(row.blocks), number(row.numpy), engine, number(row.times_numpy)]
    return [f"{row.operator} {row.dtype} {row.pattern}", str(row.threads), *rates]
