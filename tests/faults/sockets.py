"""HTTP as bytes on a socket: what no client library would send, and all that comes back."""

import re
import socket
import time
from typing import NamedTuple
from urllib.parse import urlsplit

BODY = b'{"data": {"dtype": "int8", "values": [3, 1, 2]}, "keepdims": 0}'
ANSWER = b'{"reduced":{"dtype":"int8","shape":[],"values":1}}'
PATH = b"/v12/reduce_min"
LENGTH = b"content-length: %d" % len(BODY)
CHUNKED = b"transfer-encoding: chunked"
CHUNKS = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)

Address = tuple[str, int]


class Answer(NamedTuple):
    """One answer; field names are in lower case."""

    status: int
    fields: dict[str, str]
    body: bytes


def address_of(url: str) -> Address:
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    return parts.hostname, parts.port


def head(*lines: bytes, start: bytes = b"POST " + PATH + b" HTTP/1.1", host: bytes | None = b"here") -> bytes:
    """A head of these lines."""
    return b"\r\n".join((start, *((b"host: " + host,) if host is not None else ()), *lines, b"", b""))


def connect(address: Address) -> socket.socket:
    return socket.create_connection(address, timeout=20)


def read_answer(connection: socket.socket) -> Answer | None:
    """The next answer, interim ones left out; None if the connection ends in its place."""
    with connection.makefile("rb", buffering=0) as file:
        while True:
            lines = []
            while (line := file.readline()) not in (b"", b"\r\n"):
                lines.append(line.rstrip(b"\r\n").decode("latin-1"))
            if not lines:
                assert line == b""
                return None
            status = re.fullmatch(r"HTTP/1\.1 (\d{3}) .*", lines[0])
            assert status, lines[0]
            if status[1] == "100":
                continue
            fields = dict(line.lower().split(": ", 1) for line in lines[1:])
            body, size = b"", int(fields["content-length"])
            while len(body) < size and (piece := file.read(size - len(body))):
                body += piece
            assert len(body) == size
            return Answer(int(status[1]), fields, body)


def last_answers(address: Address, content: bytes) -> list[Answer]:
    """Every answer until the server ends the connection; it must, or the time-out of the socket fails the test."""
    with connect(address) as connection:
        connection.sendall(content)
        answers = []
        while (answer := read_answer(connection)) is not None:
            answers.append(answer)
        return answers


def answered(address: Address, content: bytes, count: int = 1) -> list[Answer]:
    """So many answers on a connection that then still takes requests."""
    with connect(address) as connection:
        connection.sendall(content)
        answers = [read_answer(connection) for _ in range(count)]
        connection.sendall(head(start=b"GET /health/live HTTP/1.1"))
        after = read_answer(connection)
    assert after is not None
    assert after.body == b'{"status":"live"}'
    return [answer for answer in answers if answer is not None]


def ends_within(connection: socket.socket, seconds: float) -> bool:
    """Whether the server ends a connection in that time, whatever it sends meanwhile."""
    until = time.monotonic() + seconds
    try:
        while (left := until - time.monotonic()) > 0:
            connection.settimeout(left)
            if not connection.recv(1 << 16):
                return True
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return False
