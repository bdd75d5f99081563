"""What the paths beside infer are asked: the name of a region, and small JSON bodies.

A member that nobody knows is refused. The protocol lets servers pass over parameters that they do not have, and of
these there are none here; a member with a slip in its name would be another request.
"""

from typing import Any
from urllib.parse import unquote_to_bytes

from app.errors import InvalidParameter, UnknownField
from app.http.open_inference.regions import Registered
from app.names import shown
from app.tensors.grammar import take_inputs_apart
from app.tensors.open_inference.members import integral


def check_index(content: bytes) -> None:
    """A Refusal if the body that asks for the index is not empty and not an object that may say ready."""
    if content:
        ready = _members(content, ("ready",)).get("ready")
        if ready is not None and not isinstance(ready, bool):
            raise InvalidParameter(f"ready must be true or false, not {shown(ready)}", "/ready")


def name_of(encoded: bytes) -> str:
    """The name of a region in a path; InvalidParameter if it is no text, which others could not be told from."""
    try:
        return unquote_to_bytes(encoded).decode()
    except UnicodeDecodeError as error:
        said = f"byte {error.start} of the region's name, {error.object[error.start]:#x}, is not UTF-8"
        raise InvalidParameter(said) from None


def _members(content: bytes, known: tuple[str, ...]) -> dict[str, Any]:
    """The members of a JSON object; a Refusal if it is none or has others than are known."""
    members, _ = take_inputs_apart(content)
    if not isinstance(members, dict):
        raise InvalidParameter(f"the body must be an object of {', '.join(known)}, not {shown(members)}")
    for member in members:
        if member not in known:
            raise UnknownField(f"the body has no field {shown(member)}; it can have {', '.join(known)}")
    return members


def registered(name: str, content: bytes) -> Registered:
    """What a body asks to be registered."""
    given = _members(content, ("key", "offset", "byte_size"))
    key = given.get("key")
    if not isinstance(key, str):
        raise InvalidParameter(f"the key of a region must be text, not {shown(key)}")
    offset = given.get("offset")
    return Registered(
        name, key, 0 if offset is None else _count("offset", offset), _count("byte_size", given.get("byte_size"))
    )


def _count(name: str, value: object) -> int:
    count = integral(value)
    if type(count) is not int or not 0 <= count < 2**62:
        raise InvalidParameter(f"{name} of a region must be a number of bytes below 2**62, not {shown(value)}")
    return count
