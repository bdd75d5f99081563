"""The service in this process, without a network."""

import json
from collections.abc import Mapping
from typing import Any

import anyio
import httpx

from app.main import create_app
from app.settings import Settings

BODY: dict[str, Any] = {"data": {"dtype": "float32", "values": [[3, 1, 2], [9, 7, 8]]}, "axes": [1], "keepdims": 0}


class Service:
    """An application and a client that calls it."""

    def __init__(self, **settings: Any) -> None:
        self.app = create_app(Settings(**settings))

    def request(
        self, method: str, path: str, content: Any = b"", headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """What the service answers; content that is not bytes is sent as JSON, without a Content-Type."""
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()

        async def call() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
                return await client.request(method, path, content=raw, headers=headers)

        return anyio.run(call)

    def post(self, path: str, content: Any = b"", headers: Mapping[str, str] | None = None) -> httpx.Response:
        return self.request("POST", path, content, headers)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
        return self.request("GET", path, b"", headers)


def problem(response: httpx.Response, status: int, slug: str) -> dict[str, Any]:
    """The problem document of a refusal, checked for form."""
    found: dict[str, Any] = response.json()
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert (response.status_code, found["status"]) == (status, status)
    assert found["type"] == f"/problems/{slug}"
    assert set(found) - {"place"} == {"type", "title", "status", "detail"}
    assert len(response.content) < 1000
    return found
