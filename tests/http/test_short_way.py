"""Small reductions take a short way past uvicorn's: what comes over the socket is the same, byte for byte."""

import json
import re
import socket
from collections.abc import Iterator
from itertools import cycle
from math import prod
from urllib.parse import urlsplit

import pytest

from app.http.connection.protocol import dispatch_of
from app.main import create_app
from app.settings import Settings
from tests.conftest import serving

BODY = b'{"data": {"dtype": "float32", "values": [[3, 1, 2], [9, 7, 8]]}, "axes": [1], "keepdims": 0}'
MANY = 300
ANSWER = b'{"reduced":{"dtype":"float32","shape":[2],"values":[1.0,7.0]}}'


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    with serving(tmp_path_factory.mktemp("short")) as (url, _):
        parts = urlsplit(url)
        assert parts.hostname
        assert parts.port
        yield parts.hostname, parts.port


def head(body: bytes, url: str = "/v12/reduce_min", *lines: str, version: str = "1.1", method: str = "POST") -> bytes:
    fields = (f"{method} {url} HTTP/{version}", "host: here", "x-request-id: mine", *lines)
    return "\r\n".join((*fields, f"content-length: {len(body)}", "", "")).encode()


def chunked(body: bytes, url: str, *lines: str) -> bytes:
    fields = (f"POST {url} HTTP/1.1", "host: here", "x-request-id: mine", *lines, "transfer-encoding: chunked")
    return "\r\n".join((*fields, "", f"{len(body):x}", "")).encode() + body + b"\r\n0\r\n\r\n"


def told(address: tuple[str, int], request: bytes, answers: int = 1) -> list[bytes]:
    """What the server says: so many answers, each without its date and its times."""
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(request)
        return received(connection, answers)


def received(connection: socket.socket, answers: int = 1) -> list[bytes]:
    """So many answers, each without its date and its times."""
    content = b""
    found: list[bytes] = []
    while len(found) < answers:
        came = connection.recv(1 << 16)
        assert came, content
        content += came
        while b"\r\n\r\n" in content:
            fields, _, rest = content.partition(b"\r\n\r\n")
            size = re.search(rb"content-length: (\d+)", fields)
            assert size
            if len(rest) < int(size[1]):
                break
            found.append(re.sub(rb"(date|server-timing): [^\r]*", rb"\1:", fields) + b"\r\n\r\n" + rest[: int(size[1])])
            content = rest[int(size[1]) :]
    assert not content
    return found


JSON = "content-type: application/json"
OCTETS = "content-type: application/octet-stream"


@pytest.mark.parametrize(
    ("body", "url", "line"),
    [
        (BODY, "/v12/reduce_min", JSON),
        (BODY, "/v17/reduce_min", JSON),
        (BODY, "/v12/reduce_min", "accept: application/octet-stream"),
        (BODY, "/v12/reduce_min", "accept: text/csv"),
        (BODY, "/v12/reduce_min", "content-type: text/csv"),
        (BODY, "/v12/reduce_min?axes=1", JSON),
        (BODY[:-1], "/v12/reduce_min", JSON),
        (BODY.replace(b"[1]", b"[7]"), "/v12/reduce_min", JSON),
        (BODY.replace(b"1, 2]", b"1]"), "/v12/reduce_min", JSON),
        (b'{"data": {"dtype": "int32", "shape": [0, 2], "values": []}, "axes": [0]}', "/v13/reduce_sum", JSON),
        (b"\x01\x02\x03\x04", "/v13/reduce_max?dtype=uint8&shape=2,2&axes=0", OCTETS),
        (bytes(range(250)) * 120, "/v13/reduce_max?dtype=uint8&shape=120,250&axes=1", OCTETS),
        (bytes(range(250)) * 120, "/v20/reduce_max?dtype=bool&shape=120,250&axes=1", OCTETS),
        (b" " * 20_000 + BODY, "/v12/reduce_min", JSON),
        (BODY, "/v12/reduce_min", "content-encoding: br"),
        (BODY, "/v12/reduce_nothing", JSON),
        (BODY, "/%7612/reduce_min", JSON),
    ],
)
def test_the_short_way_says_what_the_long_way_says(address: tuple[str, int], body: bytes, url: str, line: str) -> None:
    assert told(address, head(body, url, line) + body) == told(address, chunked(body, url, line))


def test_chunks_large_and_small_come_in_their_order(address: tuple[str, int]) -> None:
    body = json.dumps({"data": {"dtype": "int32", "values": list(range(300_000, 0, -1))}, "keepdims": 0}).encode()
    whole = told(address, head(body) + body)
    assert whole[0].endswith(b'"values":1}}')
    for sizes in ((100_000, 1, 7), (3, 100_000, 50_000), (70_000, 70_000, 2, 1), (1 << 20, 5)):
        chunks, start = [], 0
        for size in cycle(sizes):
            chunks.append(b"%x\r\n%b\r\n" % (min(size, len(body) - start), body[start : start + size]))
            start += size
            if start >= len(body):
                break
        lines = chunked(b"", "/v12/reduce_min").partition(b"\r\n\r\n")[0]
        assert told(address, b"".join((lines, b"\r\n\r\n", *chunks, b"0\r\n\r\n"))) == whole


def test_a_body_may_come_later(address: tuple[str, int]) -> None:
    whole = told(address, head(BODY) + BODY)
    assert whole[0].endswith(ANSWER)
    for pieces in ((head(BODY), BODY), (head(BODY)[:30], head(BODY)[30:] + BODY[:9], BODY[9:])):
        with socket.create_connection(address, timeout=20) as connection:
            for piece in pieces[:-1]:
                connection.sendall(piece)
                connection.settimeout(0.1)
                with pytest.raises(TimeoutError):
                    connection.recv(1)
            connection.settimeout(20)
            connection.sendall(pieces[-1])
            assert received(connection) == whole


def test_requests_that_come_together_are_answered_in_their_order(address: tuple[str, int]) -> None:
    bodies = [b'{"data": {"dtype": "int64", "values": [%d, %d]}, "keepdims": 0}' % (k, k + 1) for k in range(MANY)]
    requests = [chunked(body, "/v12/reduce_min") if k % 7 == 3 else head(body) + body for k, body in enumerate(bodies)]
    found = told(address, b"".join(requests), answers=len(bodies))
    assert [int(answer.rpartition(b":")[2].strip(b"}")) for answer in found] == list(range(MANY))


@pytest.mark.parametrize(("line", "version"), [("connection: close", "1.1"), ("accept: */*", "1.0")])
def test_a_connection_ends_when_it_should(address: tuple[str, int], line: str, version: str) -> None:
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(head(BODY, "/v12/reduce_min", line, version=version) + BODY)
        content = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert content.count(b"HTTP/1.1 200") == 1
    assert b"connection: close" in content
    assert content.endswith(ANSWER)


def test_a_client_that_asks_first_is_told_to_go_on(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(head(BODY, "/v12/reduce_min", "expect: 100-continue"))
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 100")
        connection.sendall(BODY)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")


def test_what_is_no_request_is_refused(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(head(BODY) + BODY + b"GET nonsense\r\n\r\n")
        content = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert content.startswith(b"HTTP/1.1 200")
    assert b"HTTP/1.1 400" in content


def test_requests_have_names(address: tuple[str, int]) -> None:
    plain = head(BODY).replace(b"x-request-id: mine\r\n", b"")
    first, second = (told(address, plain + BODY)[0] for _ in range(2))
    names = [re.findall(rb"x-request-id: (\S+)", answer) for answer in (first, second)]
    assert len(names[0]) == len(names[1]) == 1
    assert names[0] != names[1]
    assert b"x-request-id: mine\r\n" in told(address, head(BODY) + BODY)[0]
    strange = head(BODY).replace(b"mine", b"a" * 129)
    assert b"aaaa" not in told(address, strange + BODY)[0]


@pytest.mark.parametrize("shape", [[1] * 9, [0, 3], [0]])
def test_what_may_have_a_long_answer_takes_the_long_way(shape: list[int]) -> None:
    post = dispatch_of(create_app(Settings())).at_once[b"/v18/reduce_min"]
    values = json.dumps({"data": {"dtype": "int8", "shape": shape, "values": [7][: prod(shape)]}}).encode()
    assert post.at_once({}, b"", values) is None
    assert post.at_once({}, b"", BODY) is not None
