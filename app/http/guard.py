"""What takes a key, where the service has some, and what those are told who have none."""

from typing import Self

from starlette.types import Receive, Scope, Send

from app.http.fields import Fields, by_name
from app.http.keys import Keys, has_key
from app.http.open_inference.endpoints import is_ours
from app.http.open_inference.errors import problem
from app.http.problem_document import document
from app.http.problems import UNAUTHORIZED
from app.http.reply import REASON
from app.settings import Settings

CLOSED = ("/v2/repository", "/v2/systemsharedmemory")
"""What paths begin with that take a key to be read too."""


def why(fields: Fields) -> str:
    """What those are told who are not admitted."""
    found = "this key is not known" if has_key(fields) else "no key was sent"
    return f"{found}; this path needs an API key: send Authorization: Bearer KEY"


class Guard:
    """Decides which requests need a key: all but GET and HEAD, and what tells of callers or counts them."""

    def __init__(self, keys: Keys, open_metrics: bool) -> None:
        self.keys = keys
        self._open_metrics = open_metrics

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """That of the settings; None if everything is open."""
        keys = Keys.of(settings)
        return None if keys is None else cls(keys, settings.open_metrics)

    def admits(self, method: str, path: str, fields: Fields) -> bool:
        """Whether a request is answered."""
        return self._is_open(method, path.rstrip("/")) or self.keys.know(fields)

    async def refuse(self, scope: Scope, _: Receive, send: Send) -> None:
        """Answers the others. The server discards the rest of a body, for as long as it waits for a head."""
        say = problem if is_ours(scope["path"].removesuffix("/")) else document
        reply = say(UNAUTHORIZED, why(by_name(scope["headers"])))
        scope[REASON] = reply.reason
        await send({"type": "http.response.start", "status": reply.status, "headers": reply.raw_headers()})
        await send({"type": "http.response.body", "body": reply.body})

    def _is_open(self, method: str, path: str) -> bool:
        if method not in ("GET", "HEAD"):
            return False
        if path == "/metrics":
            return self._open_metrics
        return not (path.startswith("/v2/") and path.endswith("/stats")) and not path.startswith(CLOSED)
