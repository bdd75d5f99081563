"""application/octet-stream: nothing but elements, row-major and little-endian.

A request says what they are in its query string, `?dtype=float32&shape=2,3`; an answer in X-Dtype and X-Shape. The
shape of a scalar is empty.
"""

import re

import numpy as np

from app.blocks import NUMPY_DTYPES, Header, Tensor
from app.errors import InvalidShape, MissingField
from app.names import quoted
from app.tensors.aliases import unknown_dtype
from app.tensors.nesting import checked_shape
from app.tensors.query import LISTS, members, parameters
from app.tensors.request import AnswerOptions, Preamble

_DIMENSION = re.compile("0|[1-9][0-9]{0,18}")


def preamble(start: bytes, query: str) -> Preamble:
    """What the query says; the body holds no word of it."""
    given = members(query)
    header = Header(_dtype(given.pop("dtype", None)), _shape(given.pop("shape", None)))
    return Preamble(header, parameters(given), header_place="")


def encode(tensor: Tensor, answer: AnswerOptions) -> bytes:
    """The elements."""
    return np.ascontiguousarray(tensor.values).tobytes()


def fields(header: Header) -> dict[str, str]:
    """What a reader of the elements must know."""
    return {"x-dtype": header.dtype, "x-shape": ",".join(map(str, header.shape))}


def _dtype(text: str | None) -> str:
    if text is None:
        raise MissingField("an octet-stream needs a dtype in the query: ?dtype=float32&shape=2,3", "/dtype")
    if text not in NUMPY_DTYPES:
        raise unknown_dtype(text, quoted(text), "/dtype")
    return text


def _shape(text: str | None) -> tuple[int, ...]:
    if text is None:
        raise MissingField("an octet-stream needs a shape in the query: ?dtype=float32&shape=2,3", "/shape")
    sizes = text.split(",") if text else []
    try:
        return checked_shape([int(size) if _DIMENSION.fullmatch(size) else size for size in sizes], "/shape")
    except InvalidShape as refusal:
        if text.startswith(("(", "[")):
            raise InvalidShape(f"{refusal}; write {LISTS['shape']}", refusal.place) from None
        raise
