"""What README.md and docs/ show in code blocks. tests/open_inference reads this too, where there is pytest and little
else."""

import re
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
ADDRESS = "127.0.0.1:8000"
"""Where the pages have the service."""


class Block(NamedTuple):
    """`language` is "" where the block names none."""

    page: str
    language: str
    text: str


BLOCKS = [
    Block(page, language, text)
    for page, content in PAGES.items()
    for language, text in re.findall(r"^```(\w*)\n(.*?)^```$", content, re.MULTILINE | re.DOTALL)
]
ANSWERED = [
    (command, answer)
    for command, answer in pairwise(BLOCKS)
    if (command.page, command.language, answer.language) == (answer.page, "sh", "json")
]
"""Commands, each with the answer that stands behind it."""
