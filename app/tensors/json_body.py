"""application/json: the members around the tensor, and the tensor, read to the letter.

    {"data": {"dtype": "float32", "shape": [2, 3], "values": [[3, 1, 2], [9, 7, 8]]}, "axes": [1], "keepdims": 0}
    {"data": {"dtype": "float32", "shape": [3], "base64": "AABAQAAAgD8AAABA"}, "answer": {"encoding": "values"}}

A member that is null counts as absent.
"""

from collections.abc import Callable
from json import dumps
from math import prod
from typing import Any, get_args

import numpy as np
import pybase64
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES, Block, Header
from app.errors import (
    ConflictingFields,
    InvalidBase64,
    InvalidElement,
    InvalidParameter,
    InvalidShape,
    MissingField,
    Refusal,
    UnknownDtype,
    UnknownField,
    UnknownParameter,
)
from app.tensors import literal, plain, skeleton
from app.tensors.json_answer import encode
from app.tensors.nesting import MAX_RANK, settle
from app.tensors.request import Answer, Encoding, Integers, Request

__all__ = ["decode", "encode"]

Members = dict[str, Any]


def decode(body: bytes, query: str = "") -> Request:
    """What a JSON body asks for; a Refusal if it is malformed or breaks a rule."""
    if query:
        raise UnknownParameter("a JSON body takes its parameters as members beside data, none in the query string")
    try:
        return _request(skeleton.quick(body), plain.read)
    except (skeleton.Unusual, Refusal):
        return _request(skeleton.careful(body), literal.read)


def _request(parts: skeleton.Skeleton, read: Callable[[Any, str], NDArray[Any]]) -> Request:
    fields = parts.fields
    if not isinstance(fields, dict):
        raise MissingField("the body must be an object with a member data")
    data = _object(fields.pop("data", None), "data", ("dtype", "shape", "values", "base64"))
    wishes = fields.pop("answer", None)
    dtype = _dtype(data.get("dtype"))
    shape = _shape(data.get("shape"))
    text, values = data.get("base64"), data.get("values")
    if text is not None and values is not None:
        raise ConflictingFields("data has both values and base64, and takes one of them", "/data")

    encoding: Encoding = "values"
    if values is not None:
        if values is not skeleton.CUT:
            raise UnknownField("a member named values belongs in data alone")
        array = read(parts.values, dtype)
        shape = settle(shape, array.shape)
    elif text is not None:
        if shape is None:
            raise MissingField("base64 needs a shape beside it", "/data/shape")
        encoding = "base64"
        array = _decoded(parts.base64 if text is skeleton.CUT else text, dtype, shape)
    else:
        raise MissingField("data has neither values nor base64, and needs one of them", "/data")
    answer = Answer(encoding) if wishes is None else _answer(wishes, encoding)
    return Request(Header(dtype, shape), (Block(0, array.reshape(-1)),), fields, answer)


def _object(value: object, name: str, members: tuple[str, ...]) -> Members:
    """A member of the body that is an object with known members."""
    if value is None:
        raise MissingField(f"{name} is missing, and is needed", f"/{name}")
    if not isinstance(value, dict):
        raise InvalidParameter(f"{name} must be an object; it can have {', '.join(members)}", f"/{name}")
    for member in value:
        if member not in members:
            known = ", ".join(members)
            raise UnknownField(f"{name} has no member {dumps(member)[:40]}; it can have {known}", f"/{name}")
    return value


def _dtype(value: object) -> str:
    if value is None:
        raise MissingField("data needs a dtype", "/data/dtype")
    if not isinstance(value, str) or value not in NUMPY_DTYPES:
        shown = dumps(value)[:40] if isinstance(value, str) else "what is given"
        raise UnknownDtype(f"{shown} is no dtype; there are {', '.join(NUMPY_DTYPES)}", "/data/dtype")
    return value


def _shape(value: object) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise InvalidShape("shape must be a list of dimensions", "/data/shape")
    if len(value) > MAX_RANK:
        raise InvalidShape(f"shape has {len(value)} dimensions, and the highest rank is {MAX_RANK}", "/data/shape")
    for axis, size in enumerate(value):
        if type(size) is not int or not 0 <= size < 2**63:
            raise InvalidShape("a dimension must be an integer from 0 to 2**63 - 1", f"/data/shape/{axis}")
    return tuple(value)


def _decoded(text: object, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
    """The elements that a base64 text holds, row-major and little-endian."""
    raw = _bytes(text)
    kind = NUMPY_DTYPES[dtype]
    wanted = prod(shape) * kind.itemsize
    if len(raw) != wanted:
        said = f"{dtype} of shape {list(shape)} takes {wanted} bytes, and the text holds {len(raw)}"
        raise InvalidBase64(said, "/data/base64")
    if dtype == "bool" and (wrong := np.flatnonzero(np.frombuffer(raw, np.uint8) > 1)).size:
        said = f"element {wrong[0]} is the byte {raw[wrong[0]]}, and a bool is 0 or 1"
        raise InvalidElement(said, "/data/base64")
    return np.frombuffer(raw, kind)


def _bytes(text: object) -> bytes:
    """What a base64 text says, if it is the one way to say it."""
    if isinstance(text, str):
        text = memoryview(text.encode())
    if not isinstance(text, memoryview):
        raise InvalidBase64("base64 must be a text", "/data/base64")
    try:
        raw = pybase64.b64decode(text, validate=True)
    except ValueError:
        raise InvalidBase64("the text is not base64, standard alphabet and padding", "/data/base64") from None
    over = len(raw) % 3
    if over and pybase64.b64encode(raw[-over:]) != text[-4:]:
        raise InvalidBase64("the last character before the padding has bits that mean nothing", "/data/base64")
    return raw


def _answer(value: object, encoding: Encoding) -> Answer:
    wishes = _object(value, "answer", ("encoding", "integers"))
    return Answer(
        _choice(wishes, "encoding", get_args(Encoding), encoding),
        _choice(wishes, "integers", get_args(Integers), "number"),
    )


def _choice(wishes: Members, name: str, choices: tuple[str, ...], default: str) -> Any:
    value = wishes.get(name)
    if value is None:
        return default
    if value not in choices:
        raise InvalidParameter(f"{name} must be {' or '.join(choices)}", f"/answer/{name}")
    return value
