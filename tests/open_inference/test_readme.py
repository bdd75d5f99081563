"""The README's example of a client, as it stands there but for the address."""

import re
from pathlib import Path

README = (Path(__file__).parent.parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_example_runs(address: str) -> None:
    (example,) = re.findall(
        r"^```python\n(import numpy\nimport tritonclient.*?)^```$", README, re.MULTILINE | re.DOTALL
    )
    assert "127.0.0.1:8000" in example
    exec(example.replace("127.0.0.1:8000", address), {})
