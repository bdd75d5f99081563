"""The members around a JSON tensor, and bodies that are no JSON."""

import pytest

from app import errors
from app.errors import Refusal
from app.tensors.json_body import decode
from app.tensors.request import AnswerOptions
from tests.tensors.reading import body, refusal, tensor


@pytest.mark.parametrize(
    ("content", "error", "place"),
    [
        ("[]", errors.InvalidParameter, ""),
        ("1", errors.InvalidParameter, ""),
        ("null", errors.InvalidParameter, ""),
        ('"values"', errors.InvalidParameter, ""),
        ("{}", errors.MissingField, "/data"),
        ('{"axes": [0]}', errors.MissingField, "/data"),
        ('{"data": null}', errors.MissingField, "/data"),
        ('{"data": [1, 2]}', errors.InvalidParameter, "/data"),
        ('{"data": []}', errors.InvalidParameter, "/data"),
        ('{"data": [1], "a:": 1}', errors.InvalidParameter, "/data"),
        ('{"data": ""}', errors.InvalidParameter, "/data"),
        ('{"data": {}}', errors.MissingField, "/data/dtype"),
        ('{"data": {"values": [1]}}', errors.MissingField, "/data/dtype"),
        ('{"data": {"dtype": "float32"}}', errors.MissingField, "/data"),
        ('{"data": {"dtype": "float32", "values": null}}', errors.MissingField, "/data"),
        ('{"data": {"dtype": "float32", "base64": "AAAAAA=="}}', errors.MissingField, "/data/shape"),
        ('{"data": {"dtype": "float32", "shape": [1], "base64": 5}}', errors.InvalidBase64, "/data/base64"),
        ('{"data": {"dtype": "float32", "shape": [1], "base64": NaN}}', errors.InvalidBase64, "/data/base64"),
        ('{"data": {"dtype": "float", "values": [1]}}', errors.UnknownDtype, "/data/dtype"),
        ('{"data": {"dtype": "tensor(float)", "values": [1]}}', errors.UnknownDtype, "/data/dtype"),
        ('{"data": {"dtype": ["float32"], "values": [1]}}', errors.UnknownDtype, "/data/dtype"),
        ('{"data": {"dtype": 1, "values": [1]}}', errors.UnknownDtype, "/data/dtype"),
        ('{"data": {"dtype": "float32", "values": [1], "value": 2}}', errors.UnknownField, "/data/value"),
        ('{"data": {"dtype": "float32", "x": {"values": [1]}, "values": NaN}}', errors.UnknownField, "/data/x"),
        (
            '{"answer": {"values": 1}, "data": {"dtype": "float32", "values": [1]}}',
            errors.UnknownField,
            "/answer/values",
        ),
        (
            '{"data": {"dtype": "float32", "shape": [1], "values": [1], "base64": "AAAAAA=="}}',
            errors.ConflictingFields,
            "/data",
        ),
        (
            '{"data": {"dtype": "float32", "shape": [1], "base64": "AAAAAA==", "values": NaN}}',
            errors.ConflictingFields,
            "/data",
        ),
        ('{"data": {"dtype": "float32", "values": [1]}, "answer": 1}', errors.InvalidParameter, "/answer"),
        ('{"data": {"dtype": "float32", "values": [1]}, "answer": {"x": 1}}', errors.UnknownField, "/answer/x"),
        (
            '{"data": {"dtype": "float32", "values": [1]}, "answer": {"encoding": "text"}}',
            errors.InvalidParameter,
            "/answer/encoding",
        ),
        (
            '{"data": {"dtype": "float32", "values": [1]}, "answer": {"integers": ["string"]}}',
            errors.InvalidParameter,
            "/answer/integers",
        ),
    ],
)
def test_members_are_checked(content: str, error: type[Refusal], place: str) -> None:
    refused = refusal(content.encode())
    assert type(refused) is error
    assert refused.place == place


GOOD = b'{"data": {"dtype": "float32", "values": [1, 2]}, "axes": [0]}'


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"{",
        GOOD[:-1],
        GOOD + b"x",
        GOOD + b"{}",
        GOOD.replace(b"[1, 2]", b"[1, 2"),
        GOOD.replace(b"[1, 2]", b"[1, 2]]"),
        GOOD.replace(b"[1, 2]", b"[1, 2], [3]"),
        GOOD.replace(b"[1, 2]", b"[1, 2,]"),
        GOOD.replace(b"[1, 2]", b"[1,, 2]"),
        GOOD.replace(b"[1, 2]", b"[01, 2]"),
        GOOD.replace(b"[1, 2]", b"[+1, 2]"),
        GOOD.replace(b"[1, 2]", b"[1., 2]"),
        GOOD.replace(b"[1, 2]", b"[.5, 2]"),
        GOOD.replace(b"[1, 2]", b"[0x1, 2]"),
        GOOD.replace(b"[1, 2]", b"[1 2]"),
        GOOD.replace(b"[1, 2]", b"[nan]"),
        GOOD.replace(b"[1, 2]", b"[-NaN]"),
        GOOD.replace(b"[1, 2]", b""),
        GOOD.replace(b"[1, 2]", b"[1, 2} ]"),
        GOOD.replace(b'"', b"'"),
        GOOD.replace(b'"axes"', b'"ax\nes"'),
        GOOD.replace(b'"axes"', b'"\\ud800"'),
        GOOD.replace(b'"axes"', b'"\\q"'),
        GOOD.replace(b'"axes"', b'"\xff"'),
        GOOD.replace(b'"axes"', b'"\xed\xa0\x80"'),
        b"\xef\xbb\xbf" + GOOD,
        GOOD.decode().encode("utf-16"),
        b"[" * 100_000,
        b'{"data":' * 50_000,
        GOOD.replace(b"[1, 2]", b"[" * 100_000),
        GOOD.replace(b"[0]", b"[" * 50_000),
    ],
)
def test_what_is_no_json_is_malformed(content: bytes) -> None:
    assert type(refusal(content)) is errors.MalformedBody


@pytest.mark.parametrize(
    "content",
    [
        b'{"data": {"dtype": "float32", "values": [1]}, "axes": [0], "axes": [0]}',
        b'{"data": {"dtype": "float32", "values": [1], "values": [1]}}',
        b'{"data": {"dtype": "float32", "values": [1], "v\\u0061lues": [1]}}',
        b'{"data": {"dtype": "float32", "values": [1], "dtype": "float32"}}',
        b'{"data": {"dtype": "float32", "shape": [1], "base64": "AAAAAA==", "base64": "AAAAAA=="}}',
        b'{"data": {"dtype": "float32", "values": [1]}, "data": {"dtype": "float32", "values": [1]}}',
        b'{"data": {"dtype": "float32", "values": [{"a": 1, "a": 2}]}}',
        b'{"data": {"dtype": "float32", "values": [1]}, "answer": {"encoding": "values", "encoding": "values"}}',
        b'{"data": {"dtype": "bogus", "values": [1], "values": [1]}}',
    ],
)
def test_a_key_given_twice_is_refused(content: bytes) -> None:
    assert type(refusal(content)) is errors.DuplicateKey


def test_malformed_comes_before_broken_rules() -> None:
    assert type(refusal(b'{"data": {"dtype": "bogus", "values": [1,,2]}}')) is errors.MalformedBody


def test_parameters_in_the_query_are_refused() -> None:
    assert type(refusal(GOOD, "axes=0")) is errors.UnknownParameter


def test_wishes_for_the_answer() -> None:
    for wishes, expected in (
        ("null", AnswerOptions("values", "number")),
        ("{}", AnswerOptions("values", "number")),
        ('{"encoding": null, "integers": null}', AnswerOptions("values", "number")),
        ('{"encoding": "base64"}', AnswerOptions("base64", "number")),
        ('{"encoding": "values", "integers": "string"}', AnswerOptions("values", "string")),
    ):
        request = decode(body("int64", "[1]", rest=f', "answer": {wishes}, "axis": 0'))
        assert request.answer == expected
        assert request.parameters == {"axis": 0}


def test_members_may_come_in_any_order_and_spelling() -> None:
    for content in (
        b'{"axes": [1], "data": {"values": [[1, 2]], "shape": [1, 2], "dtype": "float32"}}',
        b' { "data" :\n{ "values"\t: [ [1,2] ] , "dtype":"float32"}\r, "axes":[1] } ',
        b'{"d\\u0061ta": {"v\\u0061lues": [[1, 2]], "dtype": "flo\\u0061t32"}, "axes": [1]}',
        b'{"data": {"dtype": "float32", "base64": null, "values": [[1, 2]]}, "axes": [1]}',
        b'{"data": {"dtype": "float32", "values": null, "shape": [1, 2], "base64": "AACAPwAAAEA="}, "axes": [1]}',
    ):
        request = decode(content)
        assert tensor(request).tolist() == [[1, 2]]
        assert request.parameters == {"axes": [1]}


def test_no_message_echoes_the_tensor() -> None:
    for values in (
        '["' + "x" * 10_000 + '"]',
        "[1" + "0" * 10_000 + "]",
        '{"' + "y" * 10_000 + '": 1}',
        "[[1], [2, 3]" + ", [1]" * 5000 + "]",
    ):
        assert len(str(refusal(body("int32", values)))) < 200


@pytest.mark.parametrize(
    ("query", "name", "place"),
    [("axes=1", "axes", "/axes"), ("keepdims=0&axes=1", "keepdims", "/keepdims"), ("a%2Fb", "a/b", "/a~1b")],
)
def test_a_query_beside_json_is_refused_by_its_first_name(query: str, name: str, place: str) -> None:
    with pytest.raises(errors.UnknownParameter, match=f'put "{name}" beside data') as refused:
        decode(b'{"data": {"dtype": "float32", "values": [1]}}', query)
    assert refused.value.place == place


def test_a_query_that_names_nothing_is_none() -> None:
    assert decode(b'{"data": {"dtype": "float32", "values": [1]}}', "&").header.shape == (1,)


def test_base64_that_is_no_text_is_shown() -> None:
    with pytest.raises(errors.InvalidBase64, match="base64 must be text, not 5"):
        decode(b'{"data": {"dtype": "float32", "shape": [1], "base64": 5}}')
