"""The elements of a tensor as base64, standard alphabet and padding (RFC 4648, section 4)."""

from math import prod
from typing import Any

import numpy as np
import orjson
import pybase64
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.errors import InvalidBase64
from app.names import shown
from app.tensors.elements import check_bools
from app.tensors.skeleton import Unusual

LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

STEP = 1 << 20
"""Characters that are looked at together where a text is not base64."""


def cut(body: bytes, start: int, end: int) -> memoryview:
    """The text between two quotes in a body, not copied unless it has escapes. Some clients write every / as \\/."""
    text = memoryview(body)[start:end]
    if body.find(b"\\", start, end) < 0:
        return text
    plain = bytes(text).replace(b"\\/", b"/")
    try:
        return memoryview(orjson.loads(b'"%b"' % plain).encode() if b"\\" in plain else plain)
    except ValueError:
        raise Unusual from None


def read(text: object, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """The elements that a base64 text holds, row-major and little-endian."""
    raw = _bytes(text)
    kind = NUMPY_DTYPES[dtype]
    wanted = prod(shape) * kind.itemsize
    if len(raw) != wanted:
        said = f"{dtype} of shape {list(shape)} takes {wanted} bytes, but the text holds {len(raw)}"
        raise InvalidBase64(said, "/data/base64")
    if dtype == "bool":
        check_bools(np.frombuffer(raw, np.uint8), "/data/base64")
    return np.frombuffer(raw, kind)


def _hint(text: memoryview) -> str:
    """What is wrong with a text that is not base64, as far as its characters tell."""
    others = {byte for at in range(0, len(text), STEP) for byte in bytes(text[at : at + STEP]).translate(None, LETTERS)}
    if not others and len(text) % 4 > 1:
        return "; its padding is missing"
    others -= set(b"=")
    if others and others <= set(b"-_"):
        return "; write + and / for the - and _ of the URL-safe alphabet"
    return "; leave out its line breaks and blanks" if others and others <= set(b" \t\r\n") else ""


def _bytes(text: object) -> bytes:
    """What a base64 text says, if it is the one way to say it."""
    if isinstance(text, str):
        text = memoryview(text.encode())
    if not isinstance(text, memoryview):
        raise InvalidBase64(f"base64 must be text, not {shown(text)}", "/data/base64")
    try:
        raw = pybase64.b64decode(text, validate=True)
    except ValueError:
        said = f"the text is not valid base64 (standard alphabet, with padding){_hint(text)}"
        raise InvalidBase64(said, "/data/base64") from None
    over = len(raw) % 3
    if over and pybase64.b64encode(raw[-over:]) != text[-4:]:
        raise InvalidBase64("the last character before the padding has bits that mean nothing", "/data/base64")
    return raw
