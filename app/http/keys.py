"""Who may ask: API keys, where the service has some."""

import logging
import os
import re
from collections.abc import Iterable
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from stat import S_ISREG
from time import monotonic
from typing import Self

from app.http.fields import Fields
from app.settings import Settings

RECHECK = 1.0
"""Seconds in which a file of keys is not looked at again."""

MOST = 1 << 20
"""Bytes that a file of keys may have."""

log = logging.getLogger("keepdims")


class Keys:
    """The known keys, as SHA-256 hashes: neither a log nor the time of a comparison gives one away."""

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
            log.warning("KEEPDIMS_API_KEYS_FILE cannot be read; the keys stay as they were: %s", error)

    def _read(self, file: Path) -> None:
        """Read the file if it has changed."""
        self._next = monotonic() + RECHECK
        state = file.stat()
        seen = state.st_mtime_ns, state.st_size, state.st_ino
        if seen == self._seen:
            return
        lines = _text(file).splitlines()
        filed = [_digest(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
        if self._filed and not filed:
            log.warning("KEEPDIMS_API_KEYS_FILE has no keys any more")
        self._filed, self._seen = filed, seen


def has_key(fields: Fields) -> bool:
    """Whether a request names a key, known or not."""
    scheme, _, key = fields.get(b"authorization", b"").partition(b" ")
    return scheme.lower() == b"bearer" and bool(key.strip())


def _text(file: Path) -> str:
    """All of a file; ValueError if it is none, or too large: all requests wait for it."""
    with os.fdopen(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as opened:  # a pipe would wait for its other end
        if not S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise ValueError("it is not a regular file")
        content = opened.read(MOST + 1)
    if len(content) > MOST:
        raise ValueError(f"it has more than {MOST} bytes")
    return content.decode()


def _digest(number: int, line: str) -> bytes:
    if not re.fullmatch("[0-9A-Fa-f]{64}", line):
        raise ValueError(f"line {number} is not a SHA-256 hash of 64 hexadecimal digits")
    return bytes.fromhex(line)
