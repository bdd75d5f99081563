"""Pages of other origins that may call the service, where a setting names some (CORS)."""

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from app.http.dispatch import Dispatch

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

READ = (
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


def shared(service: Dispatch, origins: str) -> ASGIApp:
    """The service for pages of these origins too, with commas between them; with "" as it is."""
    if not origins:
        return service
    service.narrow(lambda fields: b"origin" not in fields)
    return CORSMiddleware(
        service,
        allow_origins=origins.split(","),
        allow_methods=("GET", "HEAD", "POST"),
        allow_headers=SENT,
        expose_headers=READ,
    )
