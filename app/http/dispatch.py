"""One lookup in front of the framework."""

from collections.abc import Callable, Mapping
from time import perf_counter_ns
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.http.fields import Fields, by_name
from app.http.guard import Guard
from app.http.observing.observer import Observer
from app.http.readiness import Readiness
from app.http.reply import NOSNIFF, REASON, RawHeaders, Reply


class ShortWay(Protocol):
    """Answers small requests without the messages of an ASGI application."""

    @property
    def most_at_once(self) -> int:
        """Bytes that a body has at most which may be answered so."""

    def at_once(self, fields: Fields, query: bytes, content: bytes) -> tuple[Reply, RawHeaders] | None:
        """Answers a body of at most `most_at_once` bytes that has arrived whole and not in chunks: the reply and its
        tracing headers. None if the request must go through the application instead."""


class Post(ShortWay, Protocol):
    """Answers POST on one path: an application, with a short way for small requests."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers any request."""


class Narrowed:
    """A short way for requests that `takes` accepts; the others go through the application."""

    def __init__(self, way: ShortWay, takes: Callable[[Fields], bool]) -> None:
        """`takes`: whether a request with these header fields may go it."""
        self.most_at_once = way.most_at_once
        self._way = way
        self._takes = takes

    def at_once(self, fields: Fields, query: bytes, content: bytes) -> tuple[Reply, RawHeaders] | None:
        return self._way.at_once(fields, query, content) if self._takes(fields) else None


class Dispatch:
    """The whole service as one ASGI application.

    The framework tries its routes one after another, and wraps each request in layers that a reduction does not
    need. Here a POST finds its path at once, the same for the first operator and the last; all else goes on to the
    framework.
    """

    def __init__(
        self,
        app: ASGIApp,
        posts: Mapping[str, Post],
        idle_timeout: float,
        observer: Observer,
        readiness: Readiness,
        guard: Guard | None,
    ) -> None:
        """`idle_timeout`: seconds that the server should wait for a client; `guard`: None if nothing takes a key."""
        self.app = app
        self.idle_timeout = idle_timeout
        self.readiness = readiness
        self.observer = observer
        self.at_once: dict[bytes, ShortWay] = {path.encode(): post for path, post in posts.items()}
        self._posts = posts
        self._guard = guard
        if guard is not None:
            self.narrow(guard.keys.know)

    def narrow(self, takes: Callable[[Fields], bool]) -> None:
        """Keep the short way to requests whose header fields `takes` accepts."""
        self.at_once = {path: Narrowed(way, takes) for path, way in self.at_once.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        sent: bytes = scope.get("raw_path") or b""
        if b"%" in sent and b"%2f" in sent.lower():
            # A slash that is encoded is part of a name and parts none, as whoever stands in front of this took it.
            scope = {**scope, "path": sent.decode("latin-1")}
        method, path, app = scope["method"], scope["path"], self.app
        if self._guard is not None and not self._guard.admits(method, path, by_name(scope["headers"])):
            app = self._guard.refuse
        elif method == "POST" and (post := self._posts.get(path)):
            return await post(scope, receive, send)
        return await app(scope, receive, self.seen(scope, send))

    def seen(self, scope: Scope, send: Send) -> Send:
        """Sends an answer with its tracing headers, and has it logged and counted."""
        method, path, began = scope["method"], scope["path"], perf_counter_ns()

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                spent = perf_counter_ns() - began
                status, reason, fields = message["status"], scope.get(REASON, ""), by_name(scope["headers"])
                trace_headers = self.observer.saw(method, path, status, spent, reason, fields)
                if NOSNIFF not in message["headers"]:
                    message["headers"].append(NOSNIFF)
                message["headers"] += trace_headers
            await send(message)

        return send_on
