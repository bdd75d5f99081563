"""What a wire format is, and which there are."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from app.blocks import Header, Tensor
from app.tensors import json_body, npy, octet_stream
from app.tensors.request import AnswerOptions, Preamble, Request


class Format(Protocol):
    """One media type as an answer."""

    def encode(self, tensor: Tensor, answer: AnswerOptions) -> bytes:
        """The body of an answer."""


class Arrival(Protocol):
    """A body on its way, of which may be read ahead what can be."""

    def feed(self, pieces: Sequence[bytes]) -> None:
        """The next bytes, cut anywhere. Nothing is refused yet."""

    def finish(self, query: str = "") -> Request:
        """What `decode` says of the whole body, now that it has ended. Only once."""


class Buffered(Format, Protocol):
    """A format whose body is read as a whole."""

    def arrival(self) -> Arrival:
        """What takes in one body, piece by piece."""

    def decode(self, body: bytes, query: str = "") -> Request:
        """What a body and the query string beside it ask for; a Refusal if they break a rule of the format."""


class Streamed(Format, Protocol):
    """A format in which raw elements follow a preamble: reduced as they come, never held together."""

    def preamble(self, start: bytes, query: str) -> Preamble | None:
        """What the first bytes of a body and the query string say; None if more of them are needed, a Refusal if they
        break a rule of the format. A preamble is short: soon there is an answer."""

    def fields(self, header: Header) -> Mapping[str, str]:
        """What an answer says of itself beside its body, as header fields."""


BUFFERED: dict[str, Buffered] = {
    "application/json": json_body,
}
STREAMED: dict[str, Streamed] = {
    "application/x-npy": npy,
    "application/octet-stream": octet_stream,
}
FORMATS: dict[str, Format] = {**BUFFERED, **STREAMED}
"""By media type; the first is meant where none is named."""
