"""Raw elements come out the same wherever their bytes are cut, and exactly as many as were promised."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.blocks import NUMPY_DTYPES, Block, Header
from app.errors import InvalidElement, MalformedBody
from app.tensors.elements import Elements
from tests.files import raw
from tests.strategies import cuts, tensors
from tests.tensors.reading import bits


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
@given(data=st.data(), big_endian=st.booleans())
def test_elements_may_be_cut_anywhere(dtype: str, data: st.DataObject, big_endian: bool) -> None:
    values = data.draw(tensors(dtype, most=60)).reshape(-1)
    content = raw(dtype, values, endian=">" if big_endian else "<")
    bounds = [0, *data.draw(cuts(len(content)))[0], len(content)]
    elements = Elements(Header(dtype, values.shape), big_endian)
    blocks: list[Block] = []
    pieces: list[bytes | memoryview] = []
    for start, stop in pairwise(bounds):
        pieces.append(content[start:stop])
        if data.draw(st.booleans()):
            blocks.append(elements.block(pieces))
            pieces = []
    blocks.append(elements.block(pieces))
    elements.end()
    start = 0
    for block in blocks:
        assert block.start == start
        assert block.values.dtype == NUMPY_DTYPES[dtype]
        assert block.values.flags.c_contiguous
        assert block.values.flags.aligned
        start += len(block.values)
    assert bits(np.concatenate([block.values for block in blocks])) == bits(values)


@pytest.mark.parametrize("came", [[], [b"123"], [b"1234", b"567"]])
def test_elements_that_do_not_come_are_missed(came: list[bytes]) -> None:
    elements = Elements(Header("float32", (2,)))
    elements.block(came)
    with pytest.raises(MalformedBody, match=f"2 elements of float32 take 8 bytes, but only {len(b''.join(came))} came"):
        elements.end()


@pytest.mark.parametrize("more", [[b"123456789"], [b"12345678", b"9"], [b"1" * 99]])
def test_bytes_behind_the_elements_are_refused(more: list[bytes]) -> None:
    with pytest.raises(MalformedBody, match="more bytes"):
        Elements(Header("float32", (2,))).block(more)
    with pytest.raises(MalformedBody, match="more bytes"):
        Elements(Header("float32", (0, 3))).block([b"1"])


def test_a_bool_is_one_of_two_bytes() -> None:
    elements = Elements(Header("bool", (9,)))
    assert elements.block([b"\x00\x01\x01"]).values.tolist() == [False, True, True]
    with pytest.raises(InvalidElement, match="element 5 is the byte 2") as caught:
        elements.block([b"\x00\x01", b"\x02\xff"])
    assert caught.value.place == "/data"
