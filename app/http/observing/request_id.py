"""A name for every request, to find it again by."""

import re
from itertools import count
from secrets import token_hex

HEADER = b"x-request-id"

_TAKEN = re.compile(rb"[!-~]{1,128}")
_PROCESS = token_hex(6)
_NUMBERS = count()


def request_id(given: bytes | None) -> bytes:
    """The caller's own, if it is short and plain; a new one if not."""
    if given is not None and _TAKEN.fullmatch(given):
        return given
    return f"{_PROCESS}-{next(_NUMBERS):x}".encode()
