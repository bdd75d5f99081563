"""Who may ask: API keys, where the service has some."""

import logging
import re
from collections.abc import Iterable
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from time import monotonic
from typing import Self

from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.dispatch import Post
from app.http.fields import Fields, by_name
from app.http.observer import Observer
from app.http.open_inference.endpoints import is_ours
from app.http.open_inference.errors import problem
from app.http.problems import UNAUTHORIZED, document
from app.http.reply import REASON, RawHeaders, Reply
from app.settings import Settings

RECHECK = 1.0
"""Seconds in which a file of keys is not looked at again."""

CLOSED = ("/v2/repository", "/v2/systemsharedmemory")
"""What paths begin with that take a key to be read too."""

log = logging.getLogger("keepdims")


class Keys:
    """The keys that are known, as their SHA-256 hashes: neither a log nor a time tells one."""

    def __init__(self, keys: Iterable[str], file: Path | None) -> None:
        """`file`: more of them, as hashes. OSError or ValueError if it cannot be read."""
        self._given = [sha256(key.encode()).digest() for key in keys]
        self._file = file
        self._filed: list[bytes] = []
        self._seen: tuple[int, int, int] | None = None
        self._next = 0.0
        if file is not None:
            self._read(file)

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """Those of the settings; None if there are none, and everybody may ask."""
        given, file = settings.api_keys.get_secret_value(), settings.api_keys_file
        if not given and file is None:
            return None
        return cls([key.strip() for key in given.split(",") if key.strip()], file)

    def know(self, fields: Fields) -> bool:
        """Whether a request names one of them."""
        if self._file is not None and monotonic() >= self._next:
            self._look_again(self._file)
        scheme, _, key = fields.get(b"authorization", b"").partition(b" ")
        digest = sha256(key.strip()).digest()
        matches = sum(compare_digest(digest, known) for known in (*self._given, *self._filed))
        return scheme.lower() == b"bearer" and matches > 0

    def _look_again(self, file: Path) -> None:
        try:
            self._read(file)
        except (OSError, ValueError) as error:
            log.warning("KEEPDIMS_API_KEYS_FILE cannot be read, and the keys stay as they were: %s", error)

    def _read(self, file: Path) -> None:
        """Read the file if it has changed."""
        self._next = monotonic() + RECHECK
        state = file.stat()
        seen = state.st_mtime_ns, state.st_size, state.st_ino
        if seen != self._seen:
            lines = file.read_text(encoding="utf-8").splitlines()
            self._filed = [_digest(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
            self._seen = seen


class Guarded:
    """A path that answers only who has a key."""

    def __init__(self, post: ASGIApp, at_once: Post, keys: Keys, observer: Observer) -> None:
        self._post = post
        self._at_once = at_once
        self._keys = keys
        self._observer = observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fields = by_name(scope["headers"])
        if self._keys.know(fields):
            await self._post(scope, receive, send)
        else:
            path, reply = scope["path"], _refused(scope["path"])
            said = self._observer.saw("POST", path, reply.status, 0, reply.reason, fields)
            await _send(reply, send, *said)

    def at_once(self, fields: Fields, query: bytes, content: bytes) -> tuple[Reply, RawHeaders] | None:
        """None, as for what takes more than a moment, if there is no key: the refusal is made in one place."""
        return self._at_once.at_once(fields, query, content) if self._keys.know(fields) else None


class Guard:
    """An application of which only what may be read is open. Whatever counts or tells of callers takes a key, and so
    does every method that may do more than read."""

    def __init__(self, app: ASGIApp, keys: Keys, open_metrics: bool) -> None:
        self.app = app
        self._keys = keys
        self._open_metrics = open_metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._is_open(scope) or self._keys.know(by_name(scope["headers"])):
            await self.app(scope, receive, send)
        else:
            reply = _refused(scope["path"])
            scope[REASON] = reply.reason
            await _send(reply, send)

    def _is_open(self, scope: Scope) -> bool:
        path = scope["path"].rstrip("/")
        if scope["method"] not in ("GET", "HEAD"):
            return False
        if path == "/metrics":
            return self._open_metrics
        return not (path.startswith("/v2/") and path.endswith("/stats")) and not path.startswith(CLOSED)


def _digest(number: int, line: str) -> bytes:
    if not re.fullmatch("[0-9A-Fa-f]{64}", line):
        raise ValueError(f"line {number} is not a SHA-256 hash of 64 hexadecimal digits")
    return bytes.fromhex(line)


def _refused(path: str) -> Reply:
    said = "this takes a key that the service knows: Authorization: Bearer, and the key"
    return problem(UNAUTHORIZED, said) if is_ours(path.removesuffix("/")) else document(UNAUTHORIZED, said)


async def _send(reply: Reply, send: Send, *fields: tuple[bytes, bytes]) -> None:
    """The rest of a body is passed over by who serves this, for as long as it waits for a head."""
    await send({"type": "http.response.start", "status": reply.status, "headers": reply.raw_headers(*fields)})
    await send({"type": "http.response.body", "body": reply.body})
