"""The service in this process, without a network."""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import anyio
import httpx
import pytest
from starlette.types import Message, Scope

from app import main
from app.http.budget.room import Room
from app.settings import Settings

BODY: dict[str, Any] = {"data": {"dtype": "float32", "values": [[3, 1, 2], [9, 7, 8]]}, "axes": [1], "keepdims": 0}


class Service:
    """An application, without its log of requests, and a client that calls it."""

    def __init__(self, **settings: Any) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(main, "Room", self._made)
            self.app = main.create_app(Settings(**{"access_log": False, **settings}))

    def _made(self, size: int, holds: Callable[[int, int], None]) -> Room:
        self.room = Room(size, holds)
        """What its requests hold together."""
        return self.room

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


class Client:
    """An ASGI client that sends a body in pieces and sees the messages that come back."""

    def __init__(
        self,
        *pieces: bytes | None,
        headers: list[tuple[bytes, bytes]],
        url: str = "/v12/reduce_min",
        stays: bool = True,
    ) -> None:
        """None in the place of a piece: nothing comes for a while. `stays`: waits for the answer."""
        path, _, query = url.partition("?")
        self.pieces = list(pieces)
        self.stays = stays
        self.ended = False
        self.answered = asyncio.Event()
        self.sent: list[dict[str, Any]] = []
        self.scope: Scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": query.encode(),
            "headers": headers,
        }

    async def receive(self) -> Message:
        if not self.pieces:
            if self.ended and self.stays:
                await self.answered.wait()
            return {"type": "http.disconnect"}
        piece = self.pieces.pop(0)
        if piece is None:
            await asyncio.sleep(60)
        self.ended = not self.pieces
        return {"type": "http.request", "body": piece, "more_body": not self.ended}

    async def send(self, message: Message) -> None:
        self.sent.append({**message, "unread": len(self.pieces)})
        if message["type"] == "http.response.body" and not message.get("more_body"):
            self.answered.set()

    async def ask(self, service: Service) -> None:
        await service.app(self.scope, self.receive, self.send)

    def call(self, service: Service) -> list[dict[str, Any]]:
        asyncio.run(self.ask(service))
        return self.sent


CHUNKED = [(b"transfer-encoding", b"chunked")]


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
