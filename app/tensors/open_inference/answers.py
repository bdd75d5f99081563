"""An answer of the protocol: JSON, and behind it the elements, where they are wanted raw."""

from typing import NamedTuple

import numpy as np
import orjson

from app.blocks import Tensor
from app.tensors.json_answer import elements
from app.tensors.open_inference.datatypes import SPELLED
from app.tensors.open_inference.members import REDUCED, Region

_BARE = (b"NaN", b"Infinity", b"-Infinity")


class Answered(NamedTuple):
    """The pieces of a body. `header`: the length of the JSON, where there is more behind it or might have been."""

    body: bytes
    header: int | None = None


class Sender(NamedTuple):
    """The model that answers, as it names itself."""

    name: str
    version: int

    def json(self, tensor: Tensor, identity: str) -> Answered:
        """Elements as JSON numbers, in one list; NaN and the infinities are bare, as the protocol's clients have it."""
        values = np.ascontiguousarray(tensor.values).reshape(-1)
        data = elements(values, tensor.header.dtype, _BARE)
        return Answered(b'%b,"data":%b}]}' % (self._start(tensor, identity), data))

    def binary(self, tensor: Tensor, identity: str) -> Answered:
        """Elements raw, row-major and little-endian."""
        raw = np.ascontiguousarray(tensor.values).reshape(-1).view(np.uint8)
        text = b'%b,"parameters":{"binary_data_size":%d}}]}' % (self._start(tensor, identity), raw.size)
        return Answered(b"".join((text, raw.data)), len(text))

    def elsewhere(self, tensor: Tensor, identity: str, region: Region) -> Answered:
        """No elements: they have been put into `region`."""
        size = tensor.values.nbytes
        where: dict[str, object] = {"shared_memory_region": region.name, "shared_memory_byte_size": size}
        if region.offset:
            where["shared_memory_offset"] = region.offset
        return Answered(b'%b,"parameters":%b}]}' % (self._start(tensor, identity), orjson.dumps(where)))

    def _start(self, tensor: Tensor, identity: str) -> bytes:
        said = b',"id":%b' % orjson.dumps(identity) if identity else b""
        header = tensor.header
        return b'{"model_name":"%b","model_version":"%d"%b,"outputs":[{"name":"%b","datatype":"%b","shape":%b' % (
            self.name.encode(),
            self.version,
            said,
            REDUCED.encode(),
            SPELLED[header.dtype].encode(),
            orjson.dumps(header.shape),
        )
