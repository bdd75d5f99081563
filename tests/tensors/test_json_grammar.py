"""What is no JSON and what is JSON but breaks a rule, told apart however deep or long; and what messages say of it."""

import json

import pytest

from app import errors
from app.errors import Refusal
from app.spec.arguments import parse_parameters
from app.spec.operators import resolve
from app.tensors.json_body import decode
from tests.tensors.reading import body, refusal, tensor

DEEP = 50_000


@pytest.mark.parametrize(
    ("content", "error", "place"),
    [
        (body("float32", "[" * DEEP), errors.MalformedBody, ""),
        (body("float32", "[" * DEEP + "]" * DEEP), errors.InvalidShape, "/data/values"),
        (body("float32", "[1]", rest=f', "axes": {"[" * DEEP}'), errors.MalformedBody, ""),
        (body("float32", "[1]", shape="[" * DEEP + "]" * DEEP), errors.InvalidShape, "/data/shape/0"),
        (b'{"data": ' * DEEP + b"1" + b"}" * DEEP, errors.UnknownField, "/data/data"),
        (b"[" * DEEP + b"]" * DEEP, errors.InvalidParameter, ""),
    ],
)
def test_deep_nesting_is_malformed_only_where_it_is_not_closed(
    content: bytes, error: type[Refusal], place: str
) -> None:
    refused = refusal(content)
    assert type(refused) is error
    assert refused.place == place


@pytest.mark.parametrize("member", ["axes", "unknown"])
def test_deep_parameters_are_left_to_those_who_know_them(member: str) -> None:
    request = decode(body("float32", "[1]", rest=f', "{member}": {"[" * DEEP + "]" * DEEP}'))
    assert list(request.parameters) == [member]


def test_long_members_under_a_wrong_name_are_named() -> None:
    for wrong in ("[" + "1, " * 10**5 + "1]", '"' + "A" * 10**6 + '"'):
        content = body("float32", wrong).replace(b'"values"', b'"valeus"')
        refused = refusal(content)
        assert type(refused) is errors.UnknownField
        assert '"valeus"' in str(refused)


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (b'{"data": {"x\\u00e9": "\\q"}}', 1, 23),
        ('{"é": 1,\n "é\\n": \\x}'.encode(), 2, 9),
        (b'{"data":\n\n[1,,2]}', 3, 4),
        (b'{"data": "a\tb"}', 1, 12),
        (b'{"data": {"dtype": "float32", "values": [1, 01]}}', 1, 46),
    ],
)
def test_a_message_says_where_a_body_is_malformed(content: bytes, line: int, column: int) -> None:
    refused = refusal(content)
    assert type(refused) is errors.MalformedBody
    assert str(refused).endswith(f"at line {line}, column {column}")


FIELD = "a field name in double quotes is expected"
VALUE = "a value is expected"


@pytest.mark.parametrize("long", [0, 200_000], ids=["short", "long"])
@pytest.mark.parametrize(
    ("wrong", "said", "hint"),
    [
        ('"values": [1, 2,_]', VALUE, "is there a comma too many before it?"),
        ('"values": [1, 2, \n\t _]', VALUE, "is there a comma too many before it?"),
        ('"values": {"a": 1,_}', FIELD, "is there a comma too many before it?"),
        ('"values": [1],_}', FIELD, "is there a comma too many before it?"),
        ('"a,":_}', VALUE, ""),
        ('"values": [_}', VALUE, ""),
        ('"values": [1_}', '"," or "]" is expected', ""),
        ('"values": [1 _inf]', '"," or "]" is expected', ""),
        ('"values": [1,_,2]', VALUE, ""),
        ("_'values': [1]", FIELD, ""),
        ("_values: [1]", FIELD, ""),
        ("_true: [1]", FIELD, ""),
        ("\"values\": _'a'", VALUE, "JSON takes double quotes"),
        ('"values": _\u201ca\u201d', VALUE, "JSON takes straight double quotes"),
        ('"values": [_None]', VALUE, "did you mean null?"),
        ('"values": [_NULL]', VALUE, "did you mean null?"),
        ('"values": _True', VALUE, "did you mean true?"),
        ('"values": [1, _False]', VALUE, "did you mean false?"),
        ('"values": [_nan]', VALUE, "did you mean NaN?"),
        ('"values": [_-nan]', VALUE, "did you mean NaN?"),
        ('"values": [_inf, 1]', VALUE, "did you mean Infinity?"),
        ('"values": [_+Inf, 1]', VALUE, "did you mean Infinity?"),
        ('"values": [_+Infinity, 1]', VALUE, "did you mean Infinity?"),
        ('"values": [_-inf, 1]', VALUE, "did you mean -Infinity?"),
        ('"values": [_infinite]', VALUE, ""),
        ('"values": [_Nonesuch]', VALUE, ""),
        ('"values": [_nan1]', VALUE, ""),
        ('"values": [_// one\n1]', VALUE, "JSON has no comments"),
        ('"values": [_/ 1]', VALUE, ""),
        ('"values": [1_', '"," or "]" is expected', "the text ends there"),
        ('"values": _', VALUE, "the text ends there"),
        ('"values"_', "a colon is expected", "the text ends there"),
        ("_", FIELD, "the text ends there"),
    ],
)
def test_what_stands_in_the_place_of_json_is_told(wrong: str, said: str, hint: str, long: int) -> None:
    """The refusal is of what stands at the _."""
    start = '{"data": {"dtype": "float32", "longer": [' + "0," * long + "0],"
    ends = wrong.endswith("_")
    content = start + wrong.replace("_", "") + ("" if ends else "}}")
    refused = refusal(content.encode())
    assert type(refused) is errors.MalformedBody
    before = start + wrong[: wrong.index("_")]
    line, column = before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
    hinted = f" ({hint})" if hint else ""
    assert str(refused) == f"the body is not JSON: {said} at line {line}, column {column}{hinted}"


def test_a_body_of_nothing_or_blanks_is_told_so() -> None:
    assert str(refusal(b"")) == "the body is not JSON: it is empty"
    assert str(refusal(b" \n ")) == f"the body is not JSON: {VALUE} at line 2, column 2 (the text ends there)"


def test_a_byte_order_mark_is_told_so() -> None:
    marked = b"\xef\xbb\xbf" + body("float32", "[1]")
    assert str(refusal(marked)).endswith(f"{VALUE} at line 1, column 1 (a byte order mark stands there)")


@pytest.mark.parametrize(
    ("rest", "place", "shown"),
    [
        (', "keepdims": NaN', "/keepdims", "NaN"),
        (', "keepdims": -Infinity', "/keepdims", "-Infinity"),
        (', "axes": [0, 1e400]', "/axes/1", "1e400"),
        (', "answer": {"encoding": 5}', "/answer/encoding", "not 5"),
        (', "answer": ["base64"]', "/answer", "a list"),
    ],
)
def test_a_message_gives_the_value_and_the_place(rest: str, place: str, shown: str) -> None:
    refused = refusal(body("float32", "[1]", rest=rest))
    assert type(refused) is errors.InvalidParameter
    assert refused.place == place
    assert shown in str(refused)


def test_dtype_shape_and_data_are_shown() -> None:
    assert "5 is not a dtype" in str(refusal(b'{"data": {"dtype": 5, "values": [1]}}'))
    assert "not a list" in str(refusal(b'{"data": [1, 2]}'))
    assert "not true" in str(refusal(body("float32", "[1]", "[true]")))
    assert "leading zeros" in str(refusal(body("int64", '["01"]')))


def test_values_belong_where_they_stand() -> None:
    request = decode(b'{"y": {"values": [5]}, "data": {"dtype": "float32", "values": NaN}}')
    assert tensor(request).shape == ()
    assert request.parameters == {"y": {"values": [5]}}
    request = decode(b'{"x": "\\"values\\": [5]", "data": {"dtype": "int64", "values": [7]}}')
    assert tensor(request).tolist() == [7]


def test_slashes_may_be_escaped_in_base64() -> None:
    for text in (b"\\/\\/\\/\\/", b"\\u002f///", b"////"):
        request = decode(b'{"data": {"dtype": "uint8", "shape": [3], "base64": "%b"}}' % text)
        assert tensor(request).tolist() == [255] * 3


LONG = {
    "a list": "[" + "0," * 33_000 + "0]",
    "a list with blanks": "[" + "0," * 33_000 + " " * 70_000 + "0]",
    "an object": '{"a": [' + "0," * 33_000 + "0]}",
    "a text": '"' + "x" * 66_000 + '"',
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize(
    ("member", "said"),
    [
        ("axes", "axes must be a list of integers, not {}"),
        ("keepdims", "keepdims must be 0 or 1, not {}"),
        ("answer", 'answer must be an object such as {{"encoding": "base64"}}, not {}'),
        ("data/dtype", "{} is not a dtype; use one of "),
        ("data/shape", "shape must be a list of dimensions, not {}"),
    ],
)
def test_a_long_member_is_refused_for_its_length(member: str, said: str, kind: str) -> None:
    data: dict[str, object] = {"dtype": "float32", "values": [[1, 2], [3, 4]]}
    name = member.removeprefix("data/")
    asked = {"data": data, name: "LONG"} if name == member else {"data": data | {name: "LONG"}}
    content = json.dumps(asked).replace('"LONG"', LONG[kind]).encode()
    with pytest.raises(errors.Unprocessable) as refused:
        parse_parameters(resolve("reduce_sum", 11), decode(content).parameters)
    described = f"{kind.removesuffix(' with blanks')} of more than 65536 bytes"
    assert str(refused.value).startswith(said.format(described))
    assert refused.value.place == f"/{member}"


@pytest.mark.parametrize("blanks", [" " * 70000, "\n\t\r " * 20000, " " * 1_100_000], ids=len)
@pytest.mark.parametrize("place", ['{_"data"', '{_"dtype"', "0,_", '"axes":_', "1_]", "]_}", '"encoding":_'])
def test_blanks_say_nothing_however_many(place: str, blanks: str) -> None:
    start = '{"data":{"dtype":"int8","values":[[1,2],[3,4]]},"axes":[0,1],"answer":{"encoding":"values"},'
    rest = r'"a \" b":["  x ",0]}'
    assert place.replace("_", "") in start
    request = decode((start + rest).encode())
    spaced = decode((start.replace(place.replace("_", ""), place.replace("_", blanks)) + rest).encode())
    assert tensor(spaced).tolist() == [[1, 2], [3, 4]]
    assert (spaced.parameters, spaced.answer) == (request.parameters, request.answer)
