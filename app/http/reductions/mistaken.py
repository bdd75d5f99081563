"""Bodies that are in another format than the one they are read in, as far as their beginning tells."""

from app.errors import MalformedBody
from app.http.fields import Fields
from app.tensors import npy

_NPY = "it begins like an .npy file: send it with Content-Type: application/x-npy"
_JSON = "it begins like JSON: send it with Content-Type: application/json"
_STRIPPED = "curl -d leaves out line breaks and zero bytes, --data-binary sends all"
_UNNAMED = (
    "without Content-Type a body is read as JSON: send Content-Type: application/json with JSON, or "
    "Content-Type: application/x-npy with an .npy file"
)

_NO_JSON = ("the body is not JSON", "the body is not UTF-8")
"""What is said of a body that is read as JSON, and not of one whose encoding is broken."""


def explained(error: Exception, fields: Fields, start: bytes) -> Exception:
    """An error in reading a body that begins with `start`; a MalformedBody with a word of what it may be instead."""
    if type(error) is not MalformedBody:
        return error
    as_npy = b"x-npy" in fields.get(b"content-type", b"").lower()
    if npy.is_npy(start) and not as_npy:
        hint = _NPY
    elif as_npy and npy.is_stripped(start):
        hint = _STRIPPED
    elif as_npy and start.lstrip()[:1] in (b"{", b"["):
        hint = _JSON
    elif not fields.get(b"content-type") and str(error).startswith(_NO_JSON):
        hint = _UNNAMED
    else:
        return error
    return MalformedBody(f"{error}; {hint}", error.place)
