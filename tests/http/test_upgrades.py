"""An offer to change protocols is passed over: the request is answered with its body read."""

import json
import socket
from urllib.parse import urlsplit

import pytest

BODY = json.dumps({"data": {"dtype": "int8", "values": [3, 1, 2]}, "keepdims": 0}).encode()
OFFER = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk\r\n"
HEAD = b"POST /v12/reduce_min HTTP/1.1\r\nHost: localhost\r\n" + OFFER
WHOLE = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)


def answers(server: str, *pieces: bytes, wanted: int = 1) -> bytes:
    """What comes back, until as many answers as are wanted are there, or nothing more comes for a second."""
    address = urlsplit(server)
    found = b""
    with socket.create_connection((address.hostname, address.port), 5) as connection:
        for piece in pieces:
            connection.sendall(piece)
        connection.settimeout(1)
        try:
            while found.count(b'"values":1}') < wanted and (more := connection.recv(65536)):
                found += more
        except TimeoutError:
            pass
    return found


@pytest.mark.parametrize("request_", [WHOLE, CHUNKED], ids=["whole", "chunked"])
def test_the_body_is_read(server: str, request_: bytes) -> None:
    found = answers(server, request_)
    assert found.count(b"HTTP/1.1 200 OK") == 1
    assert b'"values":1}' in found


@pytest.mark.parametrize("request_", [WHOLE, CHUNKED], ids=["whole", "chunked"])
def test_wherever_the_request_is_cut(server: str, request_: bytes) -> None:
    for cut in (10, len(HEAD) - 3, len(HEAD) + 5, len(request_) - len(BODY) - 1, len(request_) - 4):
        assert b"HTTP/1.1 200 OK" in answers(server, request_[:cut], request_[cut:])


def test_many_of_them_in_one_piece(server: str) -> None:
    assert answers(server, WHOLE * 200, wanted=200).count(b"HTTP/1.1 200 OK") == 200


def test_connect_is_not_answered_as_another_method(server: str) -> None:
    found = answers(server, b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n")
    assert found.startswith(b"HTTP/1.1 405 Method Not Allowed\r\n")
    assert found.count(b"HTTP/1.1 ") == 1
