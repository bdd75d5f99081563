"""Bodies that are in another format than the one they are read in, as far as their beginning tells."""

from app.errors import MalformedBody
from app.http.fields import Fields
from app.tensors import npy

_NPY = "it begins like an .npy file: send it with Content-Type: application/x-npy"
_UNNAMED = (
    "without Content-Type a body is read as JSON: send Content-Type: application/json with JSON, or "
    "Content-Type: application/x-npy with an .npy file"
)


def explained(error: Exception, fields: Fields, start: bytes) -> Exception:
    """An error in reading a body that begins with `start`; a MalformedBody with a word of what it may be instead."""
    if type(error) is not MalformedBody:
        return error
    if npy.is_npy(start) and b"x-npy" not in fields.get(b"content-type", b""):
        hint = _NPY
    elif not fields.get(b"content-type"):
        hint = _UNNAMED
    else:
        return error
    return MalformedBody(f"{error}; {hint}", error.place)
