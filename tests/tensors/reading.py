"""Writing JSON bodies by hand, and looking at what was read."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.errors import Refusal
from app.tensors.json_body import decode
from app.tensors.request import Request


def body(dtype: str, values: str, shape: str | None = None, rest: str = "") -> bytes:
    shaped = "" if shape is None else f', "shape": {shape}'
    return f'{{"data": {{"dtype": "{dtype}"{shaped}, "values": {values}}}{rest}}}'.encode()


def tensor(request: Request) -> NDArray[Any]:
    (block,) = request.blocks
    assert block.start == 0
    assert block.values.dtype == request.header.numpy_dtype
    assert block.values.flags.c_contiguous
    return block.values.reshape(request.header.shape)


def bits(values: NDArray[Any]) -> list[int]:
    return np.ascontiguousarray(values).reshape(-1).view(f"u{values.itemsize}").tolist()


def refusal(content: bytes, query: str = "") -> Refusal:
    with pytest.raises(Refusal) as caught:
        decode(content, query)
    return caught.value
