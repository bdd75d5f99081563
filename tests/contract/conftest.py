"""A connection to the real server, and the cases that are costly to read."""

from collections.abc import Iterator

import httpx
import pytest

from tests.contract.nodes import Node, read


@pytest.fixture(scope="session")
def client(server: str) -> Iterator[httpx.Client]:
    """A client of a server with default settings, over a connection that stays open."""
    with httpx.Client(base_url=server, trust_env=False, timeout=60) as client:
        yield client


@pytest.fixture(scope="session")
def nodes() -> list[Node]:
    """ONNX's node cases."""
    return read()
