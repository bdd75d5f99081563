"""application/octet-stream: the query says what the bytes are, or it is refused before any come."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.blocks import NUMPY_DTYPES, Header, Tensor
from app.errors import DuplicateKey, InvalidShape, MissingField, Refusal, UnknownDtype
from app.tensors import octet_stream
from app.tensors.request import AnswerOptions, Preamble
from tests import files
from tests.strategies import tensors
from tests.tensors.reading import bits


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
@given(data=st.data())
def test_an_answer_says_what_a_request_says(dtype: str, data: st.DataObject) -> None:
    values = data.draw(tensors(dtype, most=60))
    tensor = Tensor(Header(dtype, values.shape), values)
    content, fields = octet_stream.encode(tensor, AnswerOptions()), octet_stream.fields(tensor.header)
    name, found = files.read_raw(content, fields)
    assert (name, found.shape) == (dtype, values.shape)
    assert bits(found) == bits(values)
    query = f"dtype={fields['x-dtype']}&shape={fields['x-shape']}"
    assert octet_stream.preamble(b"", query) == Preamble(tensor.header, {}, header_place="")


def test_columns_are_written_as_rows() -> None:
    values = np.arange(6, dtype="int16").reshape(3, 2).T
    assert octet_stream.encode(Tensor(Header("int16", (2, 3)), values), AnswerOptions()) == values.tobytes("C")


def test_parameters_stand_beside_dtype_and_shape() -> None:
    preamble = octet_stream.preamble(b"", "axes=1&sh%61pe=2%2C3&dtype=int8&keepdims=0")
    assert preamble == Preamble(Header("int8", (2, 3)), {"axes": [1], "keepdims": 0}, header_place="")


@pytest.mark.parametrize(
    ("shape", "said"),
    [("(2,3)", 'not "(2"; write shape=2,3'), ("[2]", 'not "[2]"; write shape=2,3'), ("x", 'not "x"')],
)
def test_a_shape_in_brackets_is_told_how_it_is_written(shape: str, said: str) -> None:
    with pytest.raises(InvalidShape) as caught:
        octet_stream.preamble(b"", f"dtype=int8&shape={shape}")
    assert str(caught.value) == f"a dimension must be an integer from 0 to 2**63 - 1, {said}"


@pytest.mark.parametrize(
    ("query", "kind", "place"),
    [
        ("", MissingField, "/dtype"),
        ("shape=2", MissingField, "/dtype"),
        ("dtype=int8", MissingField, "/shape"),
        ("dtype=&shape=2", UnknownDtype, "/dtype"),
        ("dtype=f4&shape=2", UnknownDtype, "/dtype"),
        ("dtype=Float32&shape=2", UnknownDtype, "/dtype"),
        ("dtype=" + "x" * 999 + "&shape=2", UnknownDtype, "/dtype"),
        ("dtype=int8&shape=2&dtype=int8", DuplicateKey, ""),
        ("dtype=int8&shape=2&shape=2", DuplicateKey, ""),
        ("dtype=int8&shape=2,-1", InvalidShape, "/shape/1"),
        ("dtype=int8&shape=+2", InvalidShape, "/shape/0"),
        ("dtype=int8&shape=2.0", InvalidShape, "/shape/0"),
        ("dtype=int8&shape=02", InvalidShape, "/shape/0"),
        ("dtype=int8&shape=%D9%A1", InvalidShape, "/shape/0"),
        ("dtype=int8&shape=2,,3", InvalidShape, "/shape/1"),
        ("dtype=int8&shape=(2,3)", InvalidShape, "/shape/0"),
        (f"dtype=int8&shape={2**63}", InvalidShape, "/shape/0"),
        ("dtype=int8&shape=" + "1," * 64 + "1", InvalidShape, "/shape"),
    ],
)
def test_what_the_query_lacks_is_said(query: str, kind: type[Refusal], place: str) -> None:
    with pytest.raises(Refusal) as caught:
        octet_stream.preamble(b"", query)
    assert type(caught.value) is kind
    assert caught.value.place == place
    assert len(str(caught.value)) < 300
