"""Which operator version takes which dtype, in one view.

`python -m app.http.pages.matrix FILE` writes it as Markdown.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from app.http.pages.operator import operators_index
from app.spec.dtypes import ONNX_NAMES

INTRODUCTION = """\
# Operators, versions, dtypes

Made from the table in `app/spec/operators.py` by `make openapi`. A running service shows the same at `/operators`, with
a link to the page of each version. Attributes are named as in requests, axes also where ONNX has made an input of them.
"""


class Line(NamedTuple):
    """An operator version: `marks` are "✓" or "", one for each dtype of ONNX_NAMES."""

    operator: str
    summary: str
    version: int
    path: str
    opsets: str
    attributes: str
    marks: tuple[str, ...]


def matrix() -> list[Line]:
    """All rows of the table, in its order."""
    return [
        Line(
            page.name,
            page.summary,
            page.since_version,
            page.path,
            " to ".join(map(str, dict.fromkeys((page.opsets.first, page.opsets.last)))),
            ", ".join([each.name for each in page.inputs[1:]] + [each.name for each in page.attributes]),
            tuple("✓" if dtype in page.type_constraints[0].dtypes else "" for dtype in ONNX_NAMES),
        )
        for page in operators_index().operators
    ]


def markdown() -> str:
    """The whole page of docs/."""
    head = ["operator", "version", "opsets", "attributes", *ONNX_NAMES]
    rows = [[line.operator, str(line.version), line.opsets, line.attributes, *line.marks] for line in matrix()]
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, ["---"] * 4 + [":-:"] * len(ONNX_NAMES), *rows]]
    return f"{INTRODUCTION}\n" + "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(markdown(), encoding="utf-8")
