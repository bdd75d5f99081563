"""Parameters in a query string become what JSON would have made of them, and nothing else becomes an integer."""

import pytest

from app.errors import DuplicateKey, InvalidParameter
from app.tensors.query import MAX_QUERY, members, parameters


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", {}),
        ("&", {}),
        ("axes=0,2", {"axes": [0, 2]}),
        ("axes=-1", {"axes": [-1]}),
        ("axes=", {"axes": []}),
        ("axes=1%2C2", {"axes": [1, 2]}),
        ("%61xes=1", {"axes": [1]}),
        ("axis=1&keepdims=0", {"axis": 1, "keepdims": 0}),
        ("axis=9223372036854775808", {"axis": 2**63}),
        ("axis=1.0", {"axis": "1.0"}),
        ("a+name=5", {"a name": 5}),
        ("axis= 1", {"axis": " 1"}),
        ("axis=+1", {"axis": " 1"}),
        ("axis=01", {"axis": "01"}),
        ("axis=1_0", {"axis": "1_0"}),
        ("axis=1%0A", {"axis": "1\n"}),
        ("axis=%D9%A1", {"axis": "١"}),
        ("axis=null", {"axis": "null"}),
        ("keepdims=true", {"keepdims": True}),
        ("keepdims=True", {"keepdims": True}),
        ("keepdims=false", {"keepdims": False}),
        ("keepdims=False", {"keepdims": False}),
        ("keepdims=TRUE", {"keepdims": "TRUE"}),
        ("axes=true,1", {"axes": [True, 1]}),
        ("axis=true", {"axis": True}),
        ("axis", {"axis": ""}),
        ("axes=1,", {"axes": [1, ""]}),
        ("axes=[1]", {"axes": ["[1]"]}),
        ("a=b=c", {"a": "b=c"}),
        ("%ff=%zz", {"\ufffd": "%zz"}),
    ],
)
def test_a_query_is_read(query: str, expected: dict[str, object]) -> None:
    assert repr(parameters(members(query))) == repr(expected)  # tells True from 1


@pytest.mark.parametrize("query", ["axes=1&axes=1", "axes=1&%61xes=2", "x&x", "x" * 999 + "&" + "x" * 999])
def test_a_name_comes_once(query: str) -> None:
    with pytest.raises(DuplicateKey) as caught:
        members(query)
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("axes=0&axes=1", '"axes" is given twice in the query; write axes=0,1'),
        ("shape=2&shape=3", '"shape" is given twice in the query; write shape=2,3'),
        ("axis=0&axis=1", '"axis" is given twice in the query'),
    ],
)
def test_a_list_is_written_with_commas(query: str, said: str) -> None:
    with pytest.raises(DuplicateKey) as caught:
        members(query)
    assert str(caught.value) == said


@pytest.mark.parametrize("query", ["=5", "axis=0&=5", "="])
def test_a_value_has_a_name(query: str) -> None:
    with pytest.raises(InvalidParameter, match="without a name"):
        members(query)


def test_a_query_is_short() -> None:
    assert members("x" * MAX_QUERY)
    with pytest.raises(InvalidParameter, match=str(MAX_QUERY)):
        members("x" * (MAX_QUERY + 1))
    assert parameters({"axes": "0" + ",0" * 63}) == {"axes": [0] * 64}
    with pytest.raises(InvalidParameter, match="64"):
        parameters({"axes": "0" + ",0" * 64})
