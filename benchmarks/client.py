"""The client of every server alike: bytes made beforehand, sent as they are over a socket that stays open."""

import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPException, HTTPResponse
from types import TracebackType
from typing import Self

TIMEOUT = 60
"""Seconds to wait for a server to take or give the next bytes."""

ONE_PACKET = 1 << 16
"""Bodies up to this size travel with their head."""


class Failed(Exception):
    """A server did not answer 200."""


@dataclass(frozen=True)
class Request:
    """A POST."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @cached_property
    def head(self) -> bytes:
        """What goes before the body."""
        return head(self.path, {**self.headers, "Content-Length": str(len(self.body))})


def head(path: str, headers: Mapping[str, str]) -> bytes:
    """The start of a POST to `path`."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


class Connection:
    """A connection to a server on this machine, kept alive."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), TIMEOUT)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def exchange(self, request: Request) -> bytes:
        """The body of the answer; Failed unless it is a 200."""
        try:
            if len(request.body) <= ONE_PACKET:
                self._socket.sendall(request.head + request.body)
            else:
                self._socket.sendall(request.head)
                self._socket.sendall(request.body)
        except OSError as error:
            return self._answer(error)
        return self._answer()

    def stream(self, path: str, headers: Mapping[str, str], pieces: Iterable[bytes]) -> bytes:
        """The same for a body in pieces, whose length the server is not told (chunked)."""
        try:
            self._socket.sendall(head(path, {**headers, "Transfer-Encoding": "chunked"}))
            for piece in pieces:
                self._socket.sendall(b"%x\r\n" % len(piece))
                self._socket.sendall(piece)
                self._socket.sendall(b"\r\n")
            self._socket.sendall(b"0\r\n\r\n")
        except OSError as error:
            return self._answer(error)
        return self._answer()

    def _answer(self, broken: OSError | None = None) -> bytes:
        """What came back, also where the server stopped reading before the end."""
        try:
            response = HTTPResponse(self._socket, method="POST")
            response.begin()
            body = response.read()
        except (OSError, HTTPException) as error:
            raise Failed(f"no answer: {broken or error!r}") from None
        if response.status != 200:
            raise Failed(f"{response.status} {body[:200].decode(errors='replace')}")
        return body
