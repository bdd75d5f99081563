"""What a caller may keep of what it has read, and how it asks whether that still holds (RFC 9110, 9111)."""

import gzip
import re
from collections.abc import Mapping
from hashlib import sha256

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool

from app.http.encodings import allows

REVALIDATED = "no-cache"
"""Cache-Control: keep it, and ask before using it again, so that a newer service at the same address is noticed."""

_TAGS = re.compile(r'(?:W/)?("[^"]*")')


def fresh(
    request: Request, content: bytes | str, media_type: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The content, or 304 without it for a caller that has the same bytes already."""
    raw = content.encode() if isinstance(content, str) else content
    return _fresh(request, raw, _tag(raw), media_type, headers or {})


class Lasting:
    """Content that is the same as long as the process lives: tagged once, and compressed once for who takes gzip."""

    def __init__(self, content: bytes, media_type: str) -> None:
        self._content = content
        self._media_type = media_type
        self._tag = _tag(content)
        self._gzip: bytes | None = None

    async def fresh(self, request: Request) -> Response:
        """The content in the encoding that the caller allows, or 304 without it."""
        accept = ",".join(request.headers.getlist("accept-encoding"))
        headers = {"vary": "Accept-Encoding"}
        if not allows(accept, "gzip"):
            return _fresh(request, self._content, self._tag, self._media_type, headers)
        if self._gzip is None:
            self._gzip = await run_in_threadpool(gzip.compress, self._content, mtime=0)
        tag = f'{self._tag[:-1]}-gzip"'  # other bytes, so another tag
        return _fresh(request, self._gzip, tag, self._media_type, headers | {"content-encoding": "gzip"})


def _tag(content: bytes) -> str:
    return f'"{sha256(content).hexdigest()[:32]}"'


def _fresh(request: Request, content: bytes, tag: str, media_type: str, headers: Mapping[str, str]) -> Response:
    known = ",".join(request.headers.getlist("if-none-match"))
    fields = {"etag": tag, "cache-control": REVALIDATED, **headers}
    if known.strip() == "*" or tag in _TAGS.findall(known):
        fields.pop("content-encoding", None)  # of nothing
        return Response(status_code=304, headers=fields)
    return Response(content, media_type=media_type, headers=fields)
