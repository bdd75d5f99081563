"""The application in this process, as HTTP sees it."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings


@pytest.fixture(scope="package")
def client() -> Iterator[TestClient]:
    """A client of an application with default settings."""
    with TestClient(create_app(Settings())) as client:
        yield client
