"""What app/http/connection stands on inside uvicorn. No promise is broken when it changes: then this fails first."""

import asyncio
from inspect import signature
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT, FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import Server, ServerState

from app.http.connection.pipelining import Unhurried
from app.http.connection.protocol import Protocol
from app.http.processes.server import Server as OurServer

CALLED = {
    Protocol: {
        *("connection_made", "connection_lost", "data_received", "pause_writing", "shutdown"),
        *("on_message_begin", "on_headers_complete", "on_body", "on_message_complete", "on_response_complete"),
        *("send_400_response", "timeout_keep_alive_handler", "_unsupported_upgrade_warning"),
    },
    Unhurried: {"resume_reading"},
    OurServer: {"capture_signals", "handle_exit", "shutdown", "startup"},
}
"""The methods of a class that uvicorn, or what calls it, calls: under another name they would be passed over."""


class Wire(asyncio.Transport):
    """A connection without a network."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.closed = self.paused = False

    def write(self, data: Any) -> None:
        self.sent += data

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


def theirs(ours: type) -> type:
    (found,) = {HttpToolsProtocol, FlowControl, Server} & set(ours.__mro__)
    return found


@pytest.mark.parametrize("ours", CALLED)
def test_what_is_called_has_its_name_and_its_parameters(ours: type) -> None:
    for name in CALLED[ours]:
        expected = list(signature(vars(theirs(ours))[name]).parameters)
        assert list(signature(getattr(ours, name)).parameters) == expected


@pytest.mark.parametrize("ours", CALLED)
def test_nothing_takes_the_place_of_what_is_theirs_by_accident(ours: type) -> None:
    parts = [each for each in ours.__mro__ if each.__module__.startswith("app.http.")]
    names = {name for part in parts for name in vars(part) if not name.startswith("__")}
    assert names & set(dir(theirs(ours))) == CALLED[ours]


def test_a_connection_is_as_it_is_taken_to_be() -> None:
    wire, seen = Wire(), []

    async def app(_: Scope, receive: Receive, send: Send) -> None:
        seen.append(await receive())
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async def talk() -> None:
        config = Config(app, log_config=None, ws="none", lifespan="off")
        config.load()
        connection = HttpToolsProtocol(config, ServerState(), {})
        assert connection.app is config.loaded_app
        connection.connection_made(wire)
        flow = connection.flow = Unhurried(wire, connection.pipeline)
        begun: list[object] = [connection.headers, connection.cycle, connection.timeout_keep_alive_task]
        assert begun == [None] * 3

        connection.data_received(b"POST /one?two HTTP/1.1\r\nHost: here\r\nContent-Length: 3\r\n\r\nab")
        first, headers = connection.cycle, connection.headers
        assert connection.url == b"/one?two"
        assert connection.scope["headers"] is headers
        assert headers == [(b"host", b"here"), (b"content-length", b"3")]
        assert connection.parser.get_method() == b"POST"
        assert connection.server_state.default_headers == []
        assert (bytes(first.body), first.more_body, first.keep_alive) == (b"ab", True, True)
        assert vars(first)["flow"] is flow
        states = first.response_started, first.response_complete, first.disconnected, connection.expect_100_continue
        assert states == (False,) * 4

        connection.data_received(b"cGET /two HTTP/1.1\r\nHost: here\r\nExpect: 100-continue\r\n\r\n")
        assert (bytes(first.body), first.more_body, first.message_event.is_set()) == (b"abc", False, True)
        assert connection.headers is not headers  # a request has a list of its own
        assert connection.pipeline[0] == (connection.cycle, connection.app)
        assert connection.cycle is not first
        assert connection.expect_100_continue
        assert wire.paused
        assert flow.read_paused
        assert not flow.write_paused

        whole: Any = b"whole"  # a body need not be one that grows
        first.body, connection.cycle.keep_alive = whole, False
        for _ in range(20):
            await asyncio.sleep(0)
        assert connection.cycle.response_complete
        assert not connection.pipeline

    asyncio.run(talk())
    assert [message["body"] for message in seen] == [b"whole", b""]
    first, second = wire.sent.split(b"ok")[:2]
    assert first == STATUS_LINE[200] + b"content-length: 2\r\n\r\n"
    assert second.endswith(STATUS_LINE[200] + b"content-length: 2\r\nconnection: close\r\n\r\n")
    assert wire.closed
    assert not wire.paused


def test_more_of_a_body_than_the_limit_pauses_reading() -> None:
    wire = Wire()

    async def app(_: Scope, receive: Receive, __: Send) -> None:
        await receive()

    async def talk() -> None:
        connection = HttpToolsProtocol(Config(app, log_config=None, ws="none", lifespan="off"), ServerState(), {})
        connection.connection_made(wire)
        connection.data_received(
            b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n" % (2 * HIGH_WATER_LIMIT)
        )
        connection.data_received(bytes(HIGH_WATER_LIMIT))
        assert not wire.paused
        connection.data_received(b"0")
        assert wire.paused

    asyncio.run(talk())


def test_a_connection_that_stays_has_a_timer() -> None:
    wire = Wire()

    async def app(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})

    async def talk() -> None:
        connection = HttpToolsProtocol(Config(app, log_config=None, ws="none", lifespan="off"), ServerState(), {})
        connection.connection_made(wire)
        connection.data_received(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        for _ in range(20):
            await asyncio.sleep(0)
        assert connection.timeout_keep_alive_task is not None
        connection._unset_keepalive_if_required()
        assert connection.timeout_keep_alive_task is None

    asyncio.run(talk())
    assert wire.sent.startswith(STATUS_LINE[200])
