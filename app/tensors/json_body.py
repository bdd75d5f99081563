"""application/json: the members around the tensor, and the tensor, read to the letter.

    {"data": {"dtype": "float32", "shape": [2, 3], "values": [[3, 1, 2], [9, 7, 8]]}, "axes": [1], "keepdims": 0}
    {"data": {"dtype": "float32", "shape": [3], "base64": "AABAQAAAgD8AAABA"}, "answer": {"encoding": "values"}}

A member that is null counts as absent.
"""

from collections.abc import Callable, Sequence
from typing import Any, get_args

from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES, Block, Header
from app.errors import (
    ConflictingFields,
    InvalidParameter,
    InvalidShape,
    MissingField,
    Refusal,
    UnknownField,
    UnknownParameter,
)
from app.names import pointer, quoted, shown
from app.tensors import base64_text, grammar, literal, plain, short, skeleton
from app.tensors.ahead import Ahead
from app.tensors.aliases import unknown_dtype
from app.tensors.json_answer import encode
from app.tensors.nesting import agreed_shape, checked_shape
from app.tensors.query import pairs
from app.tensors.request import AnswerOptions, Encoding, Integers, Request
from app.tensors.skeleton import CUT, Members, NotFinite, Skeleton, Unusual

__all__ = ["arrival", "decode", "encode"]

_DATA = ("dtype", "shape", "values", "base64")
_TENSOR = '{"dtype": …, "values": …}'


def decode(body: bytes, query: str = "") -> Request:
    """What a JSON body asks for; a Refusal if it is malformed or breaks a rule.

    Three readings, each slower than the one before and each leaving to the next what it does not take; the last takes
    everything, and what it refuses is refused.
    """
    if given := next(pairs(query), None):
        said = f"with a JSON body, put {quoted(given[0])} beside data, not in the query"
        raise UnknownParameter(said, pointer(given[0]))
    if len(body) <= short.SHORT:
        try:
            members = short.members(body)
            return short.request(members) or _request(members, short.read)
        except (Unusual, Refusal):
            pass
    try:
        return _cut_request(body, skeleton.take_apart(body), plain.read)
    except (Unusual, Refusal):
        return _cut_request(body, grammar.take_apart(body), literal.read)


def arrival() -> "Arrival":
    """A body that is on its way."""
    return Arrival()


class Arrival:
    """A body in pieces, whose elements are read as they come. What is said of it is what `decode` says of the whole."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._small: list[bytes] = []  # too few bytes to be looked at by themselves
        self._size = 0  # of the small ones
        self._ahead: Ahead | None = Ahead()

    def feed(self, pieces: Sequence[bytes]) -> None:
        """The next bytes."""
        self._small += pieces
        self._size += sum(map(len, pieces))
        if self._size >= plain.PIECE // 2:
            self._look()

    def _look(self) -> None:
        piece = b"".join(self._small)
        self._small.clear()
        self._size = 0
        self._pieces.append(piece)
        if self._ahead is not None:
            try:
                self._ahead.feed([piece])
            except Unusual:
                self._ahead = None

    def finish(self, query: str = "") -> Request:
        """What the body asks for, now that it has ended; a Refusal if it is malformed or breaks a rule."""
        self._look()
        try:
            if not query:
                return self._quickly()
        except (Unusual, Refusal):
            pass
        body = b"".join(self._pieces)
        self._pieces.clear()
        return decode(body, query)

    def _quickly(self) -> Request:
        ahead, self._ahead = self._ahead, None
        if ahead is None:
            raise Unusual
        left = ahead.left()
        return _cut_request(left, skeleton.take_apart(left), ahead.read)


def _cut_request(body: bytes, parts: Skeleton, read: Callable[[bytes, int, int, str], NDArray[Any]]) -> Request:
    """What a body asks for that was taken apart."""

    def values(found: object, dtype: str) -> NDArray[Any]:
        if found is not CUT or parts.values is None:
            raise Unusual
        return read(body, *parts.values, dtype)

    return _request(parts.members, values, base64_text.cut(body, *parts.base64) if parts.base64 else None)


def _request(members: object, read: Callable[[Any, str], NDArray[Any]], cut: memoryview | None = None) -> Request:
    """What the members ask for; `read` has the elements of values, and `cut` is the base64 text that was cut out."""
    if not isinstance(members, dict):
        raise InvalidParameter(f'the body must be an object such as {{"data": {_TENSOR}}}, not {shown(members)}')
    data = _data(members)
    wishes = members.pop("answer", None)
    dtype = _dtype(data.get("dtype"))
    shape = _shape(data.get("shape"))
    text, values = data.get("base64"), data.get("values")
    if text is not None and values is not None:
        raise ConflictingFields("data has both values and base64; give one of them", "/data")

    encoding: Encoding = "values"
    if values is not None:
        array = read(values, dtype)
        shape = agreed_shape(shape, array.shape)
    elif text is not None:
        if shape is None:
            raise MissingField("base64 needs a shape beside it", "/data/shape")
        encoding = "base64"
        array = base64_text.read(cut if text is CUT else text, dtype, shape)
    else:
        raise MissingField("data has neither values nor base64; give one of them", "/data")
    answer = AnswerOptions(encoding) if wishes is None else _answer_options(wishes, encoding)
    for name, value in members.items():
        _check_finite(name, value)
    return Request(Header(dtype, shape), (Block(0, array.reshape(-1)),), members, answer)


def _check_finite(name: str, value: object) -> None:
    """Refuse NaN and infinity as a parameter before any other check."""
    for step, item in enumerate(value) if isinstance(value, list) else ((None, value),):
        if isinstance(item, NotFinite):
            place = pointer(name) if step is None else pointer(name, step)
            raise InvalidParameter(f"{shown(item)} is not a finite number; parameters take no others", place)


def _data(members: Members) -> Members:
    """The member that is the tensor."""
    value = members.pop("data", None)
    if value is None:
        bare = [name for name in _DATA if members.get(name) is not None]
        put = f"put {' and '.join(bare)} inside data" if bare else "give the tensor as"
        raise MissingField(f'data is missing; {put}: {{"data": {_TENSOR}}}', "/data")
    return _object(value, "data", _DATA, _TENSOR)


def _object(value: object, name: str, known: tuple[str, ...], example: str) -> Members:
    """A member of the body that is an object with known members."""
    if not isinstance(value, dict):
        raise InvalidParameter(f"{name} must be an object such as {example}, not {shown(value)}", f"/{name}")
    for member in value:
        if member not in known:
            raise UnknownField(
                f"{name} has no field {shown(member)}; it can have {', '.join(known)}", pointer(name, member)
            )
    return value


def _dtype(value: object) -> str:
    if value is None:
        raise MissingField("data needs a dtype", "/data/dtype")
    if not isinstance(value, str) or value not in NUMPY_DTYPES:
        raise unknown_dtype(value, shown(value), "/data/dtype")
    return value


def _shape(value: object) -> tuple[int, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise InvalidShape(f"shape must be a list of dimensions, not {shown(value)}", "/data/shape")
    return checked_shape(value, "/data/shape")


def _answer_options(value: object, encoding: Encoding) -> AnswerOptions:
    wishes = _object(value, "answer", ("encoding", "integers"), '{"encoding": "base64"}')
    return AnswerOptions(
        _choice(wishes, "encoding", get_args(Encoding), encoding),
        _choice(wishes, "integers", get_args(Integers), "number"),
    )


def _choice(wishes: Members, name: str, choices: tuple[str, ...], default: str) -> Any:
    value = wishes.get(name)
    if value is None:
        return default
    if value not in choices:
        said = f"{name} must be {' or '.join(choices)}, not {shown(value)}"
        raise InvalidParameter(said, f"/answer/{name}")
    return value
