"""Who is refused while still sending a large body reads why: clients find an answer, not a broken connection."""

import http.client
import json
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.conftest import serving
from tests.faults.sockets import CHUNKED, Address, address_of, connect, head, read_answer

SIZE = 32 << 20
PIECE = 1 << 20
ROOM = 40 << 20

Told = tuple[int, str, str | None]
"""Status, type and Retry-After."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    limits = {
        "KEEPDIMS_MAX_BODY_BYTES": str(8 << 20),
        "KEEPDIMS_MAX_STREAM_BYTES": str(16 << 20),
        "KEEPDIMS_MAX_INFLIGHT_BYTES": str(ROOM),
    }
    with serving(tmp_path_factory.mktemp("early"), **limits) as (url, _):
        yield address_of(url)


@pytest.fixture
def crowded(server: Address) -> Iterator[Address]:
    """All room is held by one who is still sending."""
    with connect(server) as other:
        other.sendall(head(b"content-length: %d" % (ROOM // 5)) + b'{"data": ')
        until = b""
        while b"keepdims_inflight_bytes 0\n" in (until := _metrics(server)) or not until:
            pass
        yield server


def _metrics(address: Address) -> bytes:
    connection = http.client.HTTPConnection(*address, timeout=20)
    connection.request("GET", "/metrics")
    content = connection.getresponse().read()
    connection.close()
    return content


def pieces(size: int) -> Iterator[bytes]:
    for _ in range(0, size, PIECE):
        yield bytes(PIECE)


def by_httpx(address: Address, fields: dict[str, str], size: int, chunked: bool, _: Path) -> Told:
    content = pieces(size) if chunked else bytes(size)
    with httpx.Client(trust_env=False, timeout=60) as client:
        found = client.post("http://{}:{}/v12/reduce_max".format(*address), content=content, headers=fields)
    return found.status_code, found.json()["type"], found.headers.get("retry-after")


def by_http_client(address: Address, fields: dict[str, str], size: int, chunked: bool, _: Path) -> Told:
    connection = http.client.HTTPConnection(*address, timeout=60)
    body = pieces(size) if chunked else bytes(size)
    connection.request("POST", "/v12/reduce_max", body, fields, encode_chunked=chunked)
    found = connection.getresponse()
    told = found.status, json.loads(found.read())["type"], found.getheader("retry-after")
    connection.close()
    return told


def by_curl(address: Address, fields: dict[str, str], size: int, chunked: bool, folder: Path) -> Told:
    file = folder / "body"
    with file.open("wb") as body:
        body.truncate(size)
    given = [f"{name}: {value}" for name, value in fields.items()]
    given += [] if "expect" in fields else ["Expect:"]
    given += ["Transfer-Encoding: chunked"] if chunked else []
    options = [part for field in given for part in ("-H", field)]
    url = "http://{}:{}/v12/reduce_max".format(*address)
    said = folder / "head"
    command = ["curl", "-sS", "--noproxy", "*", "-m", "60", "-D", str(said), *options, "--data-binary", f"@{file}", url]
    done = subprocess.run(command, capture_output=True, check=False, timeout=90)
    assert done.returncode == 0, done.stderr
    retry = re.search(r"^retry-after: (\S+)", said.read_text(), re.MULTILINE)
    found = json.loads(done.stdout)
    return found["status"], found["type"], retry and retry[1]


CLIENTS: dict[str, Callable[[Address, dict[str, str], int, bool, Path], Told]] = {
    "httpx": by_httpx,
    "http.client": by_http_client,
    "curl": by_curl,
}
FORMATS: dict[str, dict[str, str]] = {
    "json": {"content-type": "application/json"},
    "npy": {"content-type": "application/x-npy"},
}
CURL = pytest.param("curl", marks=pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed"))
every_client = pytest.mark.parametrize("client", [CURL, *(name for name in CLIENTS if name != "curl")])


@every_client
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("how", ["length", "chunks"])
@pytest.mark.parametrize("expect", [{}, {"expect": "100-continue"}], ids=["at once", "expecting"])
def test_what_is_too_large_is_told(
    server: Address, client: str, format: str, how: str, expect: dict[str, str], tmp_path: Path
) -> None:
    status, kind, retry = CLIENTS[client](server, FORMATS[format] | expect, SIZE, how == "chunks", tmp_path)
    if format == "npy" and how == "chunks":  # zeros are no npy file, which is seen first
        assert (status, kind) == (400, "/problems/malformed-body")
    else:
        assert (status, kind, retry) == (413, "/problems/body-too-large", None)


@every_client
def test_who_finds_no_room_is_told(crowded: Address, client: str, tmp_path: Path) -> None:
    told = CLIENTS[client](crowded, FORMATS["json"], 8 << 20, False, tmp_path)
    assert told == (503, "/problems/overloaded", "1")


@pytest.mark.parametrize("field", [b"content-length: %d" % SIZE, CHUNKED])
def test_who_asks_first_sends_nothing(server: Address, field: bytes) -> None:
    """A declared body is refused in the place of 100 Continue; of one in chunks nothing is known before."""
    with connect(server) as connection:
        connection.sendall(head(field, b"expect: 100-continue"))
        if field is CHUNKED:
            assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
            return
        answer = read_answer(connection)
        assert answer is not None
        assert answer.status == 413
        connection.settimeout(20)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
