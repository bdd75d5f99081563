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
        ("axis= 1", {"axis": " 1"}),
        ("axis=+1", {"axis": "+1"}),
        ("axis=01", {"axis": "01"}),
        ("axis=1_0", {"axis": "1_0"}),
        ("axis=1%0A", {"axis": "1\n"}),
        ("axis=%D9%A1", {"axis": "١"}),
        ("axis=null", {"axis": "null"}),
        ("axis", {"axis": ""}),
        ("axes=1,", {"axes": [1, ""]}),
        ("axes=[1]", {"axes": ["[1]"]}),
        ("a=b=c", {"a": "b=c"}),
        ("%ff=%zz", {"\ufffd": "%zz"}),
    ],
)
def test_a_query_is_read(query: str, expected: dict[str, object]) -> None:
    assert parameters(members(query)) == expected


@pytest.mark.parametrize("query", ["axes=1&axes=1", "axes=1&%61xes=2", "x&x", "x" * 999 + "&" + "x" * 999])
def test_a_name_comes_once(query: str) -> None:
    with pytest.raises(DuplicateKey) as caught:
        members(query)
    assert len(str(caught.value)) < 100


def test_a_query_is_short() -> None:
    assert members("x" * MAX_QUERY)
    with pytest.raises(InvalidParameter, match=str(MAX_QUERY)):
        members("x" * (MAX_QUERY + 1))
    assert parameters({"axes": "0" + ",0" * 63}) == {"axes": [0] * 64}
    with pytest.raises(InvalidParameter, match="64"):
        parameters({"axes": "0" + ",0" * 64})
