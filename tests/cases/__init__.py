"""Worked cases of our own, one JSON object a line, and how they become arrays."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES

WORDS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


@dataclass(frozen=True, slots=True)
class Case:
    """A tensor, the JSON fields beside it, and the answer (dtype and array), or None where it is refused."""

    id: str
    operator: str
    version: int
    path: str
    dtype: str
    values: NDArray[Any]
    parameters: dict[str, Any]
    expected: tuple[str, NDArray[Any]] | None


def array(dtype: str, shape: list[int], data: list[Any]) -> NDArray[Any]:
    """Flat row-major data, NaN and infinities spelled as words, as an array."""
    flat = [WORDS[value] if isinstance(value, str) else value for value in data]
    return np.array(flat, dtype=NUMPY_DTYPES[dtype]).reshape(shape)


def read(name: str = "reductions.jsonl") -> list[Case]:
    """Every case of a file."""
    lines = (Path(__file__).parent / name).read_text().splitlines()
    return [_case(json.loads(line)) for line in lines]


def _case(line: dict[str, Any]) -> Case:
    data = line["data"] if "data" in line else [line["fill"]] * int(np.prod(line["shape"]))
    expected = line["expected"]
    return Case(
        id=line["id"],
        operator=line["op"],
        version=line["version"],
        path=line["path"],
        dtype=line["dtype"],
        values=array(line["dtype"], line["shape"], data),
        parameters=line["parameters"],
        expected=None if expected == "refused" else (expected["dtype"], array(**expected)),
    )
