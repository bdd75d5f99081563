"""One request: from what it asks for to its answer. Knows no network and no event loop."""

import numpy as np

from app.blocks import Block, Header, Tensor
from app.errors import InvalidParameter, MalformedBody, Refusal
from app.evaluate import Evaluation
from app.http.budget.account import Account
from app.http.budget.phases import DECODE, ENCODE
from app.http.encodings import compressed
from app.http.open_inference.errors import JSON_TYPE
from app.http.open_inference.places import place_in, place_of_data
from app.http.open_inference.regions import UNSHARED, Regions
from app.http.reductions.reducer import Reducer
from app.http.reply import RawHeaders, Reply
from app.tensors.elements import check_bools
from app.tensors.open_inference.answers import Sender
from app.tensors.open_inference.members import AXES, Asked, Input
from app.tensors.open_inference.patterns import decode
from app.tensors.request import Preamble, Request

INFER_HEADER = b"inference-header-content-length"
"""The field that says how long the JSON is, where raw tensors follow it."""

BINARY = (b"content-type", b"application/octet-stream")


_NOTHING = Asked("", Input(Header("float32", ())), None, False, {}, True, None)


class Inference:
    """What answers one request. `asked` is known once its JSON has been read."""

    def __init__(
        self, reducer: Reducer, sender: Sender, regions: Regions | None, encoding: str, account: Account
    ) -> None:
        """`encoding`: what the answer is to be compressed with, if it is."""
        self.account = account
        self._reducer = reducer
        self._sender = sender
        self._regions = regions
        self._encoding = encoding
        self._asked = _NOTHING
        self._has_json = True
        self.offset = 0
        """Where the elements of data begin in a body that is reduced as it comes."""
        self._axes = self._data = memoryview(b"")

    def read(self, text: bytes) -> Asked:
        """What the JSON asks for."""
        self._asked = asked = decode(text)
        if self._regions is None and (asked.data.region or asked.region or (asked.axes and asked.axes.region)):
            raise InvalidParameter(UNSHARED)
        return asked

    def read_raw(self, size: int) -> Asked:
        """What a body without JSON asks for: it is the elements of data and has `size` bytes."""
        if size % 4:
            raise MalformedBody(f"a body without JSON is FP32 elements of 4 bytes each, but this one has {size} bytes")
        data = Input(Header("float32", (size // 4,)), binary=size)
        self._asked = Asked("", data, None, False, {}, True, None)
        self._has_json = False
        return self._asked

    def take(self, body: bytes, length: int | None) -> None:
        """A body that is there as a whole; its JSON has `length` bytes, None for all of them."""
        if length is not None and length > len(body):
            raise MalformedBody(f"the JSON should have {length} bytes, but the body has only {len(body)}")
        asked = self.read_raw(len(body)) if length == 0 else self.read(body[:length])
        length = len(body) if length is None else length
        raw = memoryview(body)[length:]
        if len(raw) != asked.binary_size:
            said = f"{asked.binary_size} bytes of tensors should follow the JSON of {length} bytes"
            raise MalformedBody(f"{said}, but {len(raw)} do")
        first = (asked.axes.binary or 0) if asked.axes and asked.axes_first else (asked.data.binary or 0)
        parts = raw[:first], raw[first:]
        self._axes, self._data = parts if asked.axes_first else parts[::-1]

    def answer(self) -> Reply:
        """The answer to the body that was taken."""
        header = self._asked.data.header
        try:
            request = Request(header, (self._block(self._asked.data, self._data),), self._parameters(self._axes))
            self.account.lap(DECODE)
            tensor = self._reducer.reduced(request, self._wanted, False, self.account)
        except Refusal as refusal:
            raise self._placed(refusal) from None
        self._check_room(tensor.header)
        reply = self.reply(tensor)
        self.account.lap(ENCODE)
        return reply

    def preamble(self, start: bytes) -> Preamble | None:
        """What stands before the elements of data, which begin at `offset`; None if more bytes of it are needed."""
        asked, offset = self._asked, self.offset
        if len(start) < offset:
            return None
        size = asked.axes.binary or 0 if asked.axes else 0
        parameters = self._parameters(memoryview(start)[offset - size : offset])
        place = place_of_data(asked) if self._has_json else ""
        return Preamble(asked.data.header, parameters, offset, header_place=place)

    def begin(self, preamble: Preamble, declared: int | None) -> Evaluation:
        try:
            evaluation = self._reducer.begin(preamble, declared, self._wanted, False, self.account)
        except Refusal as refusal:
            raise self._placed(refusal) from None
        self._check_room(evaluation.reduced)
        return evaluation

    def check_state_size(self, held: int) -> None:
        try:
            self._reducer.check_state_size(held)
        except Refusal as refusal:
            raise self._placed(refusal) from None

    def reply(self, tensor: Tensor) -> Reply:
        """The answer: the reduced tensor, as and where it is wanted."""
        asked, reduced = self._asked, self._asked.data.header
        headers: RawHeaders = (JSON_TYPE,)
        if asked.region and self._regions:
            self._regions.put(asked.region, tensor)
            answered = self._sender.elsewhere(tensor, asked.id, asked.region)
        elif asked.binary:
            answered = self._sender.binary(tensor, asked.id)
            headers = (BINARY, (INFER_HEADER, str(answered.header).encode()))
        else:
            answered = self._sender.json(tensor, asked.id)
        body = answered.body
        if self._encoding:
            body = compressed(body, self._encoding)
            # A plain answer does not say that it varies: whoever keeps it may give it to anybody.
            headers = (*headers, (b"content-encoding", self._encoding.encode()), (b"vary", b"Accept-Encoding"))
        return Reply(200, body, headers, reduced.dtype, reduced.size)

    @property
    def is_small(self) -> bool:
        """Whether what was taken asks for little: of no elements the answer may be any size, and a region may be."""
        return self._asked.data.region is None and 0 not in self._asked.data.header.shape

    @property
    def _wanted(self) -> str:
        """The media type of ours that is as large as the answer."""
        return "application/octet-stream" if self._asked.binary or self._asked.region else "application/json"

    def _placed(self, refusal: Refusal) -> Refusal:
        """What an operator refuses, with its place in this body; one without JSON has no places."""
        refusal.place = place_in(self._asked, refusal) if self._has_json else ""
        return refusal

    def _check_room(self, header: Header) -> None:
        if self._asked.region and self._regions:
            self._regions.check_room(self._asked.region, header)

    def _parameters(self, axes: memoryview) -> dict[str, object]:
        """The parameters in ONNX's terms; `axes` are the bytes of the input of that name, if it has some."""
        parameters = dict(self._asked.parameters)
        if self._asked.axes:
            parameters[AXES] = self._block(self._asked.axes, axes).values.tolist()
        return parameters

    def _block(self, given: Input, raw: memoryview) -> Block:
        """The elements of an input; `raw` are the bytes that came of it."""
        if given.values is not None:
            return Block(0, given.values)
        if given.region and self._regions:
            return self._regions.block(given.region, given.header, self.account.take)
        memory = np.frombuffer(bytes(raw), np.uint8)  # a copy begins where elements may
        if given.header.dtype == "bool":
            check_bools(memory)
        return Block(0, memory.view(given.header.numpy_dtype))
