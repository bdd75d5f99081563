"""application/x-npy: what NumPy writes is read, what is written NumPy reads, and nothing in it is run."""

import io
import pickle
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES, Header, Tensor
from app.errors import InvalidParameter, InvalidShape, MalformedBody, Refusal, UnknownDtype
from app.tensors import npy
from app.tensors.elements import Elements
from app.tensors.request import AnswerOptions, Preamble
from tests import files
from tests.files import Endian, Order
from tests.strategies import shapes, tensors
from tests.tensors.reading import bits

every_dtype = pytest.mark.parametrize("dtype", NUMPY_DTYPES)

USUAL = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"


def read(content: bytes, query: str = "") -> tuple[Preamble, NDArray[Any]]:
    preamble = npy.preamble(content, query)
    assert preamble is not None
    elements = Elements(preamble.header, preamble.big_endian)
    block = elements.block([content[preamble.offset :]])
    elements.end()
    header = preamble.header
    return preamble, block.values.reshape(header.shape, order="F" if header.fortran else "C")


def refusal(content: bytes, query: str = "") -> Refusal:
    with pytest.raises(Refusal) as caught:
        npy.preamble(content, query)
    return caught.value


@every_dtype
@given(data=st.data(), order=st.sampled_from(["C", "F"]), endian=st.sampled_from(["<", ">"]), version=st.integers(1, 3))
def test_every_layout_is_read(data: st.DataObject, dtype: str, order: Order, endian: Endian, version: int) -> None:
    values = data.draw(tensors(dtype, most=60))
    preamble, found = read(files.npy(dtype, values, order, endian, version))
    assert preamble.header == Header(dtype, values.shape, order == "F")
    assert bits(found) == bits(values)


@every_dtype
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_what_numpy_saves_is_read(dtype: str, layout: Any) -> None:
    values = layout(np.arange(6).reshape(2, 3).astype(NUMPY_DTYPES[dtype]))
    file = io.BytesIO()
    np.save(file, values)
    preamble, found = read(file.getvalue())
    assert preamble.header.dtype == dtype
    assert bits(found) == bits(values)


@every_dtype
@given(data=st.data())
def test_numpy_loads_what_is_written(dtype: str, data: st.DataObject) -> None:
    values = data.draw(tensors(dtype, most=60))
    content = npy.encode(Tensor(Header(dtype, values.shape), values), AnswerOptions())
    assert (len(content) - values.nbytes) % 64 == 0
    name, found = files.read_npy(content)
    assert (name, found.shape) == (dtype, values.shape)
    assert bits(found) == bits(values)


@given(shapes(most=600), st.integers(0, 63))
def test_rows_and_columns_are_written_in_order(shape: tuple[int, ...], longest: int) -> None:
    values = np.arange(prod(shape), dtype=np.int16).reshape(shape[::-1]).T
    _, found = files.read_npy(npy.encode(Tensor(Header("int16", shape), values), AnswerOptions()))
    assert found.tolist() == values.tolist()
    deep = values.reshape([1] * (longest - values.ndim) + list(shape))
    _, found = files.read_npy(npy.encode(Tensor(Header("int16", deep.shape), deep), AnswerOptions()))
    assert found.shape == deep.shape


@pytest.mark.parametrize("descr", ["<V2", "|V2", ">V2"])
def test_two_bytes_of_no_type_are_bfloat16(descr: str) -> None:
    values = np.array([1.5, -2, np.inf], ml_dtypes.bfloat16)
    header = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': (3,)}}"
    _, found = read(files.npy_of(header, files.raw("bfloat16", values, endian=">" if descr[0] == ">" else "<")))
    assert found.dtype == ml_dtypes.bfloat16
    assert bits(found) == bits(values)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_header_is_awaited_to_its_end(version: int) -> None:
    content = files.npy_of(USUAL, version=version)
    assert [npy.preamble(content[:stop], "") for stop in range(len(content))] == [None] * len(content)
    preamble = npy.preamble(content + b"\x00" * 24, "axes=1")
    assert preamble == Preamble(Header("float32", (2, 3)), {"axes": [1]}, len(content))


@pytest.mark.parametrize(
    "descr",
    [
        *("'|O'", "'O'", "'<U3'", "'|S3'", "'<c8'", "'<M8[ns]'", "'<m8'", "[('a', '<f4')]", "('<f4', (2,))"),
        *("'|V1'", "'|V3'", "'<f3'", "'<f16'", "'<b2'", "'=f4'", "'|f4'", "'f4'", "'float32'", "''", "'<'", "'<f4 '"),
        *("None", "5", "'" + "x" * 9000 + "'"),
    ],
)
def test_other_dtypes_are_refused(descr: str) -> None:
    found = refusal(files.npy_of(USUAL.replace("'<f4'", descr)))
    assert type(found) is UnknownDtype
    assert found.place == "/data/dtype"
    assert "<f4" in str(found)
    assert "<V2 is bfloat16" in str(found)
    assert len(str(found)) < 300


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04",
        b"x",
        b"\x93NUMPX",
        pickle.dumps([1.0]),
        b"\x93NUMPY\x00\x00" + bytes(100),
        b"\x93NUMPY\x04\x00" + bytes(100),
        b"\x93NUMPY\x01\x01" + bytes(100),
        b"\x93NUMPY\x01\x00\xff\xff",
        b"\x93NUMPY\x02\x00\x11\x27\x00\x00",
        b"\x93NUMPY\x03\x00\x01\x00\x00\x00\xff",
        files.npy_of(""),
        files.npy_of("{"),
        files.npy_of("()"),
        files.npy_of("(" * 9000),
        files.npy_of("-" * 9000 + "1"),
        files.npy_of("{**{}}"),
        files.npy_of("\x00"),
        files.npy_of("{[]: 1}"),
        files.npy_of("9" * 9000),
        files.npy_of("9" * 400 + "+1j"),
        files.npy_of("__import__('os').abort()"),
        files.npy_of(USUAL.replace("(2, 3)", "(2, abort())")),
        files.npy_of(USUAL.replace("'shape'", "'form'")),
        files.npy_of(USUAL.replace("}", "'more': 1}")),
        files.npy_of(USUAL.replace("}", "'shape': (6,)}")),
        files.npy_of(USUAL.replace("{", "{'descr': '<f4', ")),
        files.npy_of(USUAL.replace("False", "0")),
        files.npy_of(USUAL.replace("'fortran_order': False,", "")),
    ],
    ids=range(28),
)
def test_what_is_no_npy_file_is_malformed(content: bytes) -> None:
    assert type(refusal(content)) is MalformedBody


@pytest.mark.parametrize(
    "shape",
    ["[2, 3]", "6", "None", "(True,)", "(-1,)", "(2.0,)", "('2',)", "(1 + 2j,)", f"({2**63},)", f"({'1,' * 65})"],
)
def test_what_is_no_shape_is_refused(shape: str) -> None:
    found = refusal(files.npy_of(USUAL.replace("(2, 3)", shape)))
    assert type(found) is InvalidShape
    assert found.place.startswith("/data/shape")


def test_the_query_is_read_once_the_header_is() -> None:
    assert type(refusal(files.npy_of(USUAL), "x" * 5000)) is InvalidParameter
    assert npy.fields(Header("float32", ())) == {}
