"""One lookup in front of the framework."""

from collections.abc import Mapping
from time import perf_counter_ns
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.http.fields import Fields, by_name
from app.http.observer import Observer
from app.http.readiness import Readiness
from app.http.reply import NOSNIFF, REASON, RawHeaders, Reply


class Post(Protocol):
    """What answers POST on one path and has a short way for what is small, beside that of an application."""

    def at_once(self, fields: Fields, query: bytes, content: bytes) -> tuple[Reply, RawHeaders] | None:
        """The reply to a body that is there as a whole, neither encoded in transfer nor longer than INLINE_BYTES, and
        what it says of itself; None if the application is to be asked."""


class Dispatch:
    """The whole service as one ASGI application.

    The framework tries its routes one after another, and wraps each request in layers that a reduction does not
    need. Here a POST finds its path at once, the same for the first operator and the last; all else goes on to the
    framework.
    """

    def __init__(
        self,
        app: ASGIApp,
        posts: Mapping[str, ASGIApp],
        at_once: Mapping[str, Post],
        patience: float,
        observer: Observer,
        readiness: Readiness,
    ) -> None:
        """`patience`: seconds that whoever serves this is to wait for the head of a request."""
        self.app = app
        self.patience = patience
        self.readiness = readiness
        self.observer = observer
        self.at_once = {path.encode(): post for path, post in at_once.items()}
        self._posts = posts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        sent: bytes = scope.get("raw_path") or b""
        if b"%" in sent and b"%2f" in sent.lower():
            # A slash that is encoded is part of a name and parts none, as whoever stands in front of this took it.
            scope = {**scope, "path": sent.decode("latin-1")}
        if scope["method"] == "POST" and (post := self._posts.get(scope["path"])):
            return await post(scope, receive, send)

        began = perf_counter_ns()

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                spent = perf_counter_ns() - began
                status, reason, fields = message["status"], scope.get(REASON, ""), by_name(scope["headers"])
                said = self.observer.saw(scope["method"], scope["path"], status, spent, reason, fields)
                if NOSNIFF not in message["headers"]:
                    message["headers"].append(NOSNIFF)
                message["headers"] += said
            await send(message)

        return await self.app(scope, receive, send_on)
