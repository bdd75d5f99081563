"""Pages of other origins that may call the service, where a setting names some (CORS)."""

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.dispatch import Dispatch
from app.http.fields import by_name

SENT = (
    "Accept",
    "Authorization",
    "Content-Encoding",
    "Content-Type",
    "If-None-Match",
    "Inference-Header-Content-Length",
    "Request-Timeout",
    "Traceparent",
    "X-Request-ID",
)
"""Header fields that such a page may send."""

EXPOSED = (
    "Content-Location",
    "ETag",
    "Inference-Header-Content-Length",
    "Retry-After",
    "Server-Timing",
    "WWW-Authenticate",
    "X-Dtype",
    "X-Request-ID",
    "X-Shape",
)
"""Header fields that it may read, beside those that any page may."""


class Cors(CORSMiddleware):
    """The service for pages of other origins."""

    def __init__(self, service: Dispatch, origins: Sequence[str]) -> None:
        super().__init__(
            service, origins, allow_methods=("GET", "HEAD", "POST"), allow_headers=SENT, expose_headers=EXPOSED
        )
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "OPTIONS":
            fields = by_name(scope["headers"])
            if b"origin" in fields and b"access-control-request-method" in fields:  # answered here
                send = self._service.seen(scope, send)
        await super().__call__(scope, receive, send)

    def preflight_response(self, request_headers: Headers) -> Response:
        """What may be sent, without a word more: a browser that finds its origin, method or field missing tells so."""
        found = super().preflight_response(request_headers)
        answer = Response(status_code=204)
        answer.raw_headers = [field for field in found.raw_headers if not field[0].startswith(b"content-")]
        return answer


def with_cors(service: Dispatch, origins: str) -> ASGIApp:
    """The service for pages of these origins too, with commas between them; with "" as it is."""
    if not origins:
        return service
    service.narrow(lambda fields: b"origin" not in fields)
    return Cors(service, origins.split(","))
