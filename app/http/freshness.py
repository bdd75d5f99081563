"""What a caller may keep of what it has read, and how it asks whether that still holds (RFC 9110, 9111)."""

import re
from collections.abc import Mapping
from hashlib import sha256

from fastapi import Request, Response

REVALIDATED = "no-cache"
"""Cache-Control: keep it, and ask before using it again, so that a newer service at the same address is noticed."""

_TAGS = re.compile(r'(?:W/)?("[^"]*")')


def fresh(
    request: Request, content: bytes | str, media_type: str, headers: Mapping[str, str] | None = None
) -> Response:
    """The content, or 304 without it for a caller that has the same bytes already."""
    raw = content.encode() if isinstance(content, str) else content
    tag = f'"{sha256(raw).hexdigest()[:32]}"'
    known = ",".join(request.headers.getlist("if-none-match"))
    fields = {"etag": tag, "cache-control": REVALIDATED, **(headers or {})}
    if known.strip() == "*" or tag in _TAGS.findall(known):
        return Response(status_code=304, headers=fields)
    return Response(raw, media_type=media_type, headers=fields)
