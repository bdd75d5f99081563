"""What SECURITY.md names is there."""

import re
from pathlib import Path

from app.settings import Settings

ROOT = Path(__file__).parent.parent
POLICY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_each_setting_that_is_named_exists() -> None:
    named = set(re.findall(r"KEEPDIMS_(\w+)", POLICY))
    assert named
    assert named <= {name.upper() for name in Settings.model_fields}


def test_each_file_that_is_named_exists() -> None:
    rows = re.findall(r"\| `(app/[^|]+) \|$", POLICY, flags=re.MULTILINE)
    assert len(rows) > 5
    for row in rows:
        named = [name.strip("` ") for name in row.split(",")]
        assert [name for name in named if not (ROOT / name).is_file()] == []
