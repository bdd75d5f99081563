"""Where pages are read, as the calls that they show need to know."""

import re
from typing import NamedTuple, Self

from fastapi import Request

from app.settings import Settings

_HOST = re.compile(r"([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


class Site(NamedTuple):
    """The address that a reader has the service at, and whether the service has keys."""

    url: str = "http://127.0.0.1:8000"
    keys: bool = False

    @classmethod
    def of(cls, request: Request, settings: Settings) -> Self:
        """That of a request, if its Host is one."""
        keys = bool(settings.api_keys.get_secret_value() or settings.api_keys_file)
        host = request.headers.get("host", "")
        if not _HOST.fullmatch(host):
            return cls(keys=keys)
        return cls(f"{request.scope['scheme']}://{host}{settings.root_path}", keys)
