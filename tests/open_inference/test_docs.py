"""The example of a client in docs/open-inference.md, as it stands there but for the address."""

from tests.snippets import ADDRESS, BLOCKS


def test_the_example_runs(address: str) -> None:
    (example,) = (block.text for block in BLOCKS if block.language == "python" and "tritonclient" in block.text)
    assert ADDRESS in example
    exec(example.replace(ADDRESS, address), {})
