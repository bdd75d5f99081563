"""A server of its own, which takes shared memory: clients and service need not agree on what is installed."""

import os
import sys
from collections.abc import Iterator

import pytest

from tests.conftest import serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server run by the Python that SERVER_PYTHON names, or by this one."""
    python = os.environ.get("SERVER_PYTHON", sys.executable)
    with serving(tmp_path_factory.mktemp("server"), python, KEEPDIMS_SHARED_MEMORY="1") as (url, _):
        yield url


@pytest.fixture(scope="session")
def address(server: str) -> str:
    """Host and port."""
    return server.removeprefix("http://")
