"""What a request asks for, whatever its format."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from app.blocks import Block, Header

Encoding = Literal["values", "base64"]
Integers = Literal["number", "string"]


class AnswerOptions(NamedTuple):
    """How the caller would like a JSON answer: elements as `values` or `base64`, 64-bit integers as numbers or text."""

    encoding: Encoding = "values"
    integers: Integers = "number"


class Request(NamedTuple):
    """A tensor, the parameters beside it (names as in ONNX, not yet checked), and the wishes for the answer."""

    header: Header
    blocks: Sequence[Block]
    parameters: Mapping[str, object]
    answer: AnswerOptions = AnswerOptions()


class Preamble(NamedTuple):
    """The same as far as it is known before the elements, which follow raw from byte `offset` of the body to its end.

    `big_endian` says how the bytes of an element are ordered, `header_place` where dtype and shape stand, beside the
    parameters or in data.
    """

    header: Header
    parameters: Mapping[str, object]
    offset: int = 0
    big_endian: bool = False
    answer: AnswerOptions = AnswerOptions()
    header_place: str = "/data"
