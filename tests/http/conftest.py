"""The service with default settings."""

import pytest

from tests.http.service import Service


@pytest.fixture(scope="session")
def service() -> Service:
    return Service()
