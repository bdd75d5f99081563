"""What is not HTTP/1.1 as it should be is refused with a document, and the connection ends; what is, is answered."""

import json
from collections.abc import Iterator
from itertools import product

import pytest

from app.http.grammar import LONGEST_HEAD, LONGEST_URL
from tests.conftest import serving
from tests.faults.sockets import (
    ANSWER,
    BODY,
    CHUNKED,
    CHUNKS,
    LENGTH,
    PATH,
    Address,
    Answer,
    address_of,
    answered,
    connect,
    head,
    last_answers,
    read_answer,
)

GET = b"GET /health/live HTTP/1.1"
POST = b"POST " + PATH + b" HTTP/1.1"
HTTP10 = POST.replace(b"1.1", b"1.0")
WHOLE = head(LENGTH) + BODY
MARK = b"SECRET"
"""Stands in what is refused, and never in what is answered."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with serving(tmp_path_factory.mktemp("grammar")) as (url, _):
        yield address_of(url)


def chunked(chunks: bytes) -> bytes:
    return head(CHUNKED) + chunks


def check_refused(answer: Answer, status: int, slug: str) -> None:
    assert answer.status == status
    assert answer.fields["content-type"] == "application/problem+json"
    assert answer.fields["connection"] == "close"
    assert answer.fields["x-content-type-options"] == "nosniff"
    assert answer.fields["x-request-id"]
    found = json.loads(answer.body)
    assert (found["status"], found["type"]) == (status, f"/problems/{slug}")
    assert MARK not in answer.body


MALFORMED = {
    "both lengths": head(LENGTH, CHUNKED) + CHUNKS,
    "both lengths, the other first": head(CHUNKED, LENGTH) + CHUNKS,
    "a length twice": head(LENGTH, LENGTH) + BODY,
    "two lengths": head(LENGTH, b"content-length: 3") + BODY,
    "a list of lengths": head(LENGTH + b", %d" % len(BODY)) + BODY,
    "a sign": head(b"content-length: +5") + BODY,
    "a negative length": head(b"content-length: -5") + BODY,
    "a hexadecimal length": head(b"content-length: 0x5") + BODY,
    "two numbers": head(b"content-length: 5 5") + BODY,
    "no length": head(b"content-length:") + BODY,
    "a length beyond 64 bits": head(b"content-length: 99999999999999999999999") + BODY,
    "chunked twice": head(CHUNKED, CHUNKED) + CHUNKS,
    "HTTP/1.0 in chunks": head(CHUNKED, start=HTTP10) + CHUNKS,
    "no host": head(LENGTH, host=None) + BODY,
    "two hosts": head(b"host: here", LENGTH) + BODY,
    "a host with a space": head(LENGTH, host=b"SECRET x") + BODY,
    "a host with a path": head(LENGTH, host=b"SECRET/x") + BODY,
    "a host with a user": head(LENGTH, host=b"SECRET@x") + BODY,
    "a port that is none": head(LENGTH, host=b"SECRET:x") + BODY,
    "two hosts, and an offer": head(b"host: here", b"connection: upgrade", b"upgrade: h2c", LENGTH) + BODY,
    "lines that end in LF": WHOLE.replace(b"\r\n", b"\n"),
    "CR inside a value": head(b"x: SECRET\ry", LENGTH) + BODY,
    "a folded line": head(b"x: SECRET\r\n y", LENGTH) + BODY,
    "a folded first line": head(LENGTH, host=None).replace(b"\r\n", b"\r\n x: SECRET\r\n", 1) + BODY,
    "NUL": head(b"x: SECRET\0", LENGTH) + BODY,
    "a control character": head(b"x: SECRET\x01", LENGTH) + BODY,
    "DEL": head(b"x: SECRET\x7f", LENGTH) + BODY,
    "a space before the colon": head(b"SECRET : y", LENGTH) + BODY,
    "a length with a space before its colon": head(LENGTH.replace(b":", b" :")) + BODY,
    "a field without a name": head(b": SECRET", LENGTH) + BODY,
    "a line without a colon": head(b"SECRET", LENGTH) + BODY,
    "a name with a parenthesis": head(b"SECRET(: y", LENGTH) + BODY,
    "a chunk too long to count": chunked(b"FFFFFFFFFFFFFFFFF\r\n" + BODY),
    "a negative chunk": chunked(b"-1\r\n" + BODY),
    "a chunk with a prefix": chunked(b"0x3f\r\n" + BODY),
    "a chunk of no length": chunked(b"\r\n" + BODY),
    "a chunk with a space": chunked(CHUNKS.replace(b"\r\n", b" \r\n", 1)),
    "a chunk longer than it says": chunked(b"2\r\nSECRET\r\n0\r\n\r\n"),
    "chunks that end in LF": chunked(CHUNKS.replace(b"\r\n", b"\n")),
    "a length in a trailer": chunked(CHUNKS[:-2] + b"content-length: 5\r\n\r\n"),
    "a target without a slash": head(start=b"GET SECRET HTTP/1.1"),
    "an authority": head(start=b"GET SECRET:1 HTTP/1.1"),
    "another scheme": head(start=b"GET ftp://SECRET/ HTTP/1.1"),
    "a user in a URL": head(start=b"GET http://SECRET@x/ HTTP/1.1"),
    "a star that is not for OPTIONS": head(start=b"GET * HTTP/1.1"),
    "a fragment": head(start=b"GET /#SECRET HTTP/1.1"),
    "a blank in a path": head(start=b"GET /SECRET 1 HTTP/1.1"),
    "a target of other bytes": head(start=b"GET /SECRET\xc3\xa9 HTTP/1.1"),
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_what_breaks_http_is_refused(address: Address, content: bytes) -> None:
    (answer,) = last_answers(address, content)
    check_refused(answer, 400, "malformed-request")


OTHERS = {
    "compressed chunks": (head(b"transfer-encoding: gzip, chunked") + CHUNKS, 400, "malformed-request"),
    "two codings": (head(b"transfer-encoding: gzip", CHUNKED) + CHUNKS, 400, "malformed-request"),
    "another coding": (head(b"transfer-encoding: SECRET") + BODY, 400, "malformed-request"),
    "no HTTP": (b"SECRET\r\n\r\n", 400, "malformed-request"),
    "no HTTP, in three words": (b"SECRET /x RTSP/1.0\r\n\r\n", 400, "malformed-request"),
    "no path": (head(start=b"SECRET SECRET HTTP/1.1"), 400, "malformed-request"),
    "an unknown method, of HTTP/2.0": (head(start=b"SECRET / HTTP/2.0"), 400, "malformed-request"),
    "an unknown method without a host": (head(start=b"SECRET / HTTP/1.1", host=None), 400, "malformed-request"),
    "CONNECT": (head(start=b"CONNECT SECRET:1 HTTP/1.1"), 405, "method-not-allowed"),
    "OPTIONS *": (head(start=b"OPTIONS * HTTP/1.1"), 405, "method-not-allowed"),
    "HTTP/0.9": (b"GET /SECRET\r\n\r\n", 400, "malformed-request"),
    "HTTP/0.9 by name": (head(start=b"GET / HTTP/0.9"), 400, "malformed-request"),
    "HTTP/1.2": (head(start=b"GET / HTTP/1.2"), 400, "malformed-request"),
    "HTTP/2.0": (head(start=b"GET / HTTP/2.0"), 400, "malformed-request"),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "malformed-request"),
    "another expectation": (head(b"expect: SECRET", LENGTH) + BODY, 417, "expectation-failed"),
    "one more expectation": (head(b"expect: 100-continue, SECRET", LENGTH) + BODY, 417, "expectation-failed"),
    "a long URL": (head(start=b"GET /" + MARK * (LONGEST_URL // 5) + b" HTTP/1.1"), 414, "url-too-long"),
    "a URL without an end": (b"GET /" + MARK * (LONGEST_HEAD // 6), 414, "url-too-long"),
    "a long head": (head(b"x: " + MARK * (LONGEST_HEAD // 6)), 431, "head-too-long"),
    "a head without an end": (b"GET / HTTP/1.1\r\nx: " + MARK * (LONGEST_HEAD // 6), 431, "head-too-long"),
}


@pytest.mark.parametrize(("content", "status", "slug"), OTHERS.values(), ids=OTHERS)
def test_what_is_not_spoken_here_is_refused(address: Address, content: bytes, status: int, slug: str) -> None:
    (answer,) = last_answers(address, content)
    check_refused(answer, status, slug)
    if status == 405 and b"transfer-encoding" not in content:
        assert answer.fields["allow"] == "get, head, post"


@pytest.mark.parametrize("content", [MALFORMED["no host"], MALFORMED["a folded line"], OTHERS["HTTP/2.0"][0]])
def test_wherever_the_bytes_are_cut(address: Address, content: bytes) -> None:
    whole = last_answers(address, content)
    for cut in range(5, len(content), 17):
        with connect(address) as connection:
            connection.sendall(content[:cut])
            connection.sendall(content[cut:])
            assert read_answer(connection)._replace(fields={}) == whole[0]._replace(fields={})  # type: ignore[union-attr]


@pytest.mark.parametrize("path", [b"/v2/models/ReduceMin/infer", b"/v2/models/x", b"/v2", b"/v2/"])
def test_open_inference_has_its_own_form(address: Address, path: bytes) -> None:
    (answer,) = last_answers(address, head(LENGTH, CHUNKED, start=b"POST " + path + b" HTTP/1.1") + CHUNKS)
    assert (answer.status, answer.fields["content-type"]) == (400, "application/json")
    assert list(json.loads(answer.body)) == ["error"]


def test_a_refusal_has_the_name_of_its_request(address: Address) -> None:
    (answer,) = last_answers(address, head(b"x-request-id: mine", LENGTH, host=b"a b") + BODY)
    assert answer.fields["x-request-id"] == "mine"
    (answer,) = last_answers(address, WHOLE + b"SECRET\r\n")[1:]
    check_refused(answer, 400, "malformed-request")


def test_the_refusal_of_a_head_has_no_body(address: Address) -> None:
    with connect(address) as connection:
        connection.sendall(head(start=b"HEAD / HTTP/1.1", host=None))
        content = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert content.startswith(b"HTTP/1.1 400")
    assert content.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("more", [1 << 20, 1 << 23])
def test_a_refusal_is_read_by_a_client_that_goes_on_sending(address: Address, more: int) -> None:
    (answer,) = last_answers(address, head(b"content-length: %d" % more, host=None) + bytes(more))
    check_refused(answer, 400, "malformed-request")


LONG = b'{"data": {"dtype": "int8", "values": [1%b]}, "keepdims": 0}' % (b",1" * 1_000_000)


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("behind", ["no host", "a folded line", "a chunk too long to count"])
def test_what_came_before_is_answered_first(address: Address, behind: str, count: int) -> None:
    content = (head(b"content-length: %d" % len(LONG)) + LONG) * count
    answers = last_answers(address, content + MALFORMED[behind])
    assert [answer.body for answer in answers[:count]] == [ANSWER] * count
    for answer in answers[count:]:
        check_refused(answer, 400, "malformed-request")


READ = {
    "another case": head(b"Transfer-Encoding: Chunked") + CHUNKS,
    "spaces around a length": head(LENGTH.replace(b" ", b"  ") + b"\t ") + BODY,
    "leading zeros": head(LENGTH.replace(b" ", b" 000")) + BODY,
    "an empty host": head(LENGTH, host=b"") + BODY,
    "a host with a port": head(LENGTH, host=b"a-b.example:8000") + BODY,
    "an address of version 6": head(LENGTH, host=b"[::1]:80") + BODY,
    "an absolute URL": head(LENGTH, start=b"POST http://there/v12/reduce_min HTTP/1.1") + BODY,
    "an absolute URL and chunks": head(CHUNKED, start=b"POST HTTP://there:80/v12/reduce_min HTTP/1.1") + CHUNKS,
    "extensions of chunks": chunked(b'%x;a=b;c="d"\r\n%b\r\n0;e\r\n\r\n' % (len(BODY), BODY)),
    "many chunks": chunked(b"".join(b"1\r\n%c\r\n" % byte for byte in BODY) + b"0\r\n\r\n"),
    "trailers": chunked(CHUNKS[:-2] + b"x: y\r\ncontent-encoding: br\r\ncontent-type: text/csv\r\n\r\n"),
    "a tab and other bytes in a value": head(b"x: a\tb\xe9", LENGTH) + BODY,
    "empty lines before it": b"\r\n\r\n" + WHOLE,
    "an expectation": head(b"expect: 100-Continue", LENGTH) + BODY,
}


@pytest.mark.parametrize("content", READ.values(), ids=READ)
def test_what_is_allowed_is_answered(address: Address, content: bytes) -> None:
    (answer,) = answered(address, content)
    assert (answer.status, answer.body) == (200, ANSWER)


def test_an_absolute_url_may_have_no_path(address: Address) -> None:
    (answer,) = answered(address, head(b"accept: application/json", start=b"GET http://here HTTP/1.1"))
    assert answer.status == 200
    (answer,) = answered(address, head(LENGTH, start=b"POST http://here?x HTTP/1.1") + BODY)
    assert answer.status == 405


@pytest.mark.parametrize("lines", [(LENGTH,), (b"expect: 100-continue", LENGTH)], ids=["plain", "expecting"])
def test_http_1_0_needs_no_host_and_is_told_nothing_in_between(address: Address, lines: tuple[bytes, ...]) -> None:
    with connect(address) as connection:
        connection.sendall(head(*lines, start=HTTP10, host=None) + BODY)
        content = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert content.startswith(b"HTTP/1.1 200")
    assert content.endswith(ANSWER)


@pytest.mark.parametrize("framed", [head(LENGTH, start=GET) + BODY, head(CHUNKED, start=GET) + CHUNKS])
def test_the_body_of_a_get_is_passed_over(address: Address, framed: bytes) -> None:
    answers = answered(address, framed + WHOLE + framed, count=3)
    assert [answer.status for answer in answers] == [200] * 3
    assert answers[1].body == ANSWER


def test_requests_in_a_row_are_answered_in_their_order(address: Address) -> None:
    kinds = {
        WHOLE: ANSWER,
        head(CHUNKED) + CHUNKS: ANSWER,
        head(start=GET): b'{"status":"live"}',
        head(b"content-length: %d" % len(LONG)) + LONG: ANSWER,
    }
    order = [kind for pair in product(kinds, kinds) for kind in pair]
    answers = answered(address, b"".join(order), count=len(order))
    assert [answer.body for answer in answers] == [kinds[kind] for kind in order]


@pytest.mark.parametrize("method", [b"DELETE", b"PUT", b"PATCH", b"OPTIONS", b"TRACE", b"PURGE", b"PROPFIND"])
def test_other_methods_of_http_are_told_which_are_answered(address: Address, method: bytes) -> None:
    (answer,) = answered(address, head(start=method + b" " + PATH + b" HTTP/1.1"))
    assert (answer.status, answer.fields["allow"]) == (405, "get, head, post")


@pytest.mark.parametrize("method", [b"FOO", b"post", b"GETS", b"SETUP", b"X-Y.Z"])
@pytest.mark.parametrize(
    ("path", "status", "allowed"),
    [
        (PATH, 405, "get, head, post"),
        (b"/health/live", 405, "get, head"),
        (b"http://there/metrics", 405, "get, head"),
        (b"/nothing", 404, None),
        (b"/v2/models/reduce_min/infer", 405, "post"),
        (b"/v2", 405, "get, head"),
    ],
)
def test_methods_that_no_parser_knows_are_told_the_same(
    address: Address, method: bytes, path: bytes, status: int, allowed: str | None
) -> None:
    asked = head(LENGTH, start=method + b" " + path + b" HTTP/1.1") + BODY
    with connect(address) as connection:
        for _ in range(2):  # the connection goes on
            connection.sendall(asked)
            answer = read_answer(connection)
            assert answer is not None
            assert (answer.status, answer.fields.get("allow")) == (status, allowed)
            found = json.loads(answer.body)
            said = found["error"] if path.startswith(b"/v2") else found["detail"]
            assert said.startswith(f"{method.decode()} is not allowed here; use ") == (status == 405)
        connection.sendall(head(start=b"PURGE " + path + b" HTTP/1.1"))
        assert (method not in read_answer(connection).body) or status == 404  # type: ignore[union-attr]
        connection.sendall(WHOLE)
        assert read_answer(connection).body == ANSWER  # type: ignore[union-attr]


def test_an_unknown_method_may_come_with_an_offer_or_behind_another_request(address: Address) -> None:
    asked = head(b"connection: upgrade", b"upgrade: h2c", LENGTH, start=b"FOO /metrics HTTP/1.1") + BODY
    first, second = answered(address, asked + WHOLE, count=2)
    assert json.loads(first.body)["detail"].startswith("FOO is not allowed here")
    assert (first.status, second.body) == (405, ANSWER)
    first, second = last_answers(address, WHOLE + asked)
    assert first.body == ANSWER
    check_refused(second, 400, "malformed-request")
    assert "a method that is not known here" in json.loads(second.body)["detail"]


def test_tls_is_told_that_there_is_none(address: Address) -> None:
    (answer,) = last_answers(address, bytes.fromhex("16030100c8010000c40303") + bytes(200))
    check_refused(answer, 400, "malformed-request")
    assert json.loads(answer.body)["detail"] == "this is TLS: this port speaks http, not https"
