"""What a wire format is, and which there are."""

from typing import Protocol

from app.blocks import Tensor
from app.tensors import json_body
from app.tensors.request import Answer, Request


class Format(Protocol):
    """One media type, in and out."""

    def decode(self, body: bytes, query: str = "") -> Request:
        """What a body and the query string beside it ask for; a Refusal if they break a rule of the format."""

    def encode(self, tensor: Tensor, answer: Answer) -> bytes:
        """The body of an answer."""


FORMATS: dict[str, Format] = {
    "application/json": json_body,
}
