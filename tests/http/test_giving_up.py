"""Work that nobody waits for any more is given up."""

import asyncio
import gc
import json
import threading
import time
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np
import pytest

from app import pacing
from app.blocks import Block
from app.http.budget.account import Account
from app.http.budget.room import Room
from app.http.budget.threads import Job
from app.http.observing.journal import Journal, line
from app.http.reductions import exchange
from app.kernels.accumulate import Accumulator
from tests.http.service import BODY, Client, Service, problem
from tests.http.test_metrics import told, value

COUNT = 100_000
RAW = np.ones(COUNT).tobytes()
WHOLE = json.dumps({"data": {"dtype": "int8", "values": [1] * COUNT}}).encode()
HEAD = json.dumps({"inputs": [{"name": "data", "shape": [COUNT], "datatype": "INT8", "data": [1] * COUNT}]}).encode()
URLS = {"json": ("/v13/reduce_max", WHOLE), "inference": ("/v2/models/reduce_max/infer", HEAD)}


class Slow:
    """Evaluations that take long: a second for a hundred steps, and there are a thousand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        self.begun = threading.Event()
        absorb = Accumulator.absorb

        def slowly(accumulator: Accumulator[Any], block: Block) -> None:
            self.steps += 1
            self.begun.set()
            time.sleep(0.01)
            absorb(accumulator, block)

        monkeypatch.setattr(pacing, "STEP", COUNT // 1000)
        monkeypatch.setattr(Accumulator, "absorb", slowly)


class Jobs:
    """What threads are given to do."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made = 0
        self._calls: list[ref[Call]] = []

        def job(call: Callable[..., Any], arguments: tuple[object, ...], account: Account) -> Job:
            self.made += 1
            held = Call(call)
            self._calls.append(ref(held))
            return Job(held, arguments, account)

        monkeypatch.setattr(exchange, "Job", job)

    @property
    def held(self) -> int:
        """How many of them are kept that have not begun."""
        calls = [call() for call in self._calls]
        return sum(call is not None and not call.begun for call in calls)


class Call:
    """One of them."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self.begun = False
        self._call = call

    def __call__(self, *arguments: object) -> Any:
        self.begun = True
        return self._call(*arguments)


def logged(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What is written to the log from now on."""
    entries: list[dict[str, Any]] = []
    monkeypatch.setattr(Journal, "write", lambda _, entry: entries.append(json.loads(line(0, dict(entry)))))
    return entries


def until_empty(room: Room) -> None:
    deadline = time.monotonic() + 20
    while room.taken and time.monotonic() < deadline:
        time.sleep(0.01)
    assert room.taken == 0


@pytest.mark.parametrize("kind", URLS)
def test_a_request_says_how_long_it_waits(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, service = Slow(monkeypatch), Service()
    url, body = URLS[kind]
    response = service.post(url, body, {"request-timeout": "0.3"})
    assert response.status_code == 503
    assert "0.3 seconds" in response.text
    until_empty(service.room)  # the thread has ended too, and well before its thousandth step
    assert 0 < slow.steps < 900
    found = told(service)
    assert value(found, "keepdims_abandoned_total", reason="time-up") == 1
    assert value(found, "keepdims_refusals_total", reason="time-up") == 1
    assert service.post("/v12/reduce_min", BODY, {"request-timeout": "60 "}).status_code == 200


@pytest.mark.parametrize("kind", URLS)
def test_a_request_that_has_no_more_time_is_told_of_once(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Slow(monkeypatch)
    entries = logged(monkeypatch)
    url, body = URLS[kind]
    response = Service(access_log=True).post(url, body, {"request-timeout": "0.1"})
    (entry,) = entries
    assert entry["request_id"] == response.headers["x-request-id"]
    assert (entry["status"], entry["reason"]) == (503, "time-up")
    assert sum(entry["phases"].values()) == pytest.approx(entry["seconds"])


def test_the_time_of_a_body_that_does_not_come_is_that_of_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = logged(monkeypatch)
    service = Service(access_log=True, body_timeout=0.1)
    headers = [(b"content-length", b"9")]
    Client(b"{", None, headers=headers).call(service)
    Client(b"{", b"", None, headers=[*headers, (b"request-timeout", b"0.05")]).call(service)

    async def leave() -> dict[str, Any]:
        await asyncio.sleep(0.05)
        return {"type": "http.disconnect"}

    leaving = Client(headers=headers)
    monkeypatch.setattr(leaving, "receive", leave)
    leaving.call(service)
    assert [entry["reason"] for entry in entries] == ["body-too-slow", "time-up", "disconnected"]
    for entry in entries:
        assert sum(entry["phases"].values()) == pytest.approx(entry["seconds"])
        assert entry["phases"]["read"] > entry["seconds"] / 2
    assert value(told(service), "keepdims_abandoned_total") == 2


@pytest.mark.parametrize("kind", URLS)
def test_who_leaves_is_not_worked_for(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, service = Slow(monkeypatch), Service()
    url, body = URLS[kind]
    client = Client(body, headers=[(b"content-length", b"%d" % len(body))], url=url, stays=False)
    assert client.call(service) == []
    until_empty(service.room)
    assert slow.steps < 900
    assert value(told(service), "keepdims_abandoned_total", reason="disconnected") == 1


@pytest.mark.parametrize("leaves", [False, True])
def test_what_waits_for_a_thread_is_dropped_and_holds_nothing(leaves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, service = Slow(monkeypatch), Service(kernel_threads=1)
    room, jobs = service.room, Jobs(monkeypatch)
    fields = [(b"content-length", b"%d" % len(WHOLE))]
    url = "/v13/reduce_max"
    first = Client(WHOLE, headers=[*fields, (b"request-timeout", b"1")], url=url)
    second = Client(WHOLE, headers=[*fields, (b"request-timeout", b"0.1")], url=url, stays=not leaves)

    async def both() -> None:
        works = asyncio.create_task(first.ask(service))
        await asyncio.to_thread(slow.begun.wait, 20)
        taken = room.taken
        await second.ask(service)
        await asyncio.sleep(0)
        assert not works.done()
        assert jobs.made == 2
        assert jobs.held == 0
        assert room.taken == taken
        await works

    asyncio.run(both())
    statuses = [message["status"] for message in (*first.sent, *second.sent) if "status" in message]
    assert statuses == [503] * (1 if leaves else 2)
    until_empty(room)
    assert slow.steps < 900


@pytest.mark.parametrize("leaves", [False, True])
def test_nothing_is_said_of_what_becomes_of_it(leaves: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    Slow(monkeypatch)
    service = Service()
    fields = [(b"content-length", b"%d" % len(WHOLE)), (b"request-timeout", b"0.1")]
    client = Client(WHOLE, headers=fields, url="/v13/reduce_max", stays=not leaves)
    said: list[object] = []

    async def call() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
        await client.ask(service)
        await asyncio.to_thread(until_empty, service.room)  # the thread ends after the request
        await asyncio.sleep(0.1)
        gc.collect()

    asyncio.run(call())
    assert said == []


@pytest.mark.parametrize("comes", [True, False], ids=["works", "waits"])
@pytest.mark.parametrize("kind", URLS)
def test_what_a_process_has_no_time_to_finish_is_told_so(
    kind: str, comes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, entries = Slow(monkeypatch), logged(monkeypatch)
    service = Service(access_log=True)
    url, body = URLS[kind]
    pieces = [body] if comes else [body[:10], None]
    client = Client(*pieces, headers=[(b"content-length", b"%d" % len(body))], url=url)

    async def stop() -> None:
        call = asyncio.create_task(client.ask(service))
        await asyncio.to_thread(slow.begun.wait, 20 if comes else 0.1)
        call.cancel()
        await call

    asyncio.run(stop())
    opened, ended = client.sent
    assert (opened["status"], ended["more_body"]) == (503, False)
    assert b"this process ends" in ended["body"]
    (entry,) = entries
    assert entry["reason"] == "stopping"
    assert value(told(service), "keepdims_refusals_total", reason="stopping") == 1
    until_empty(service.room)
    assert slow.steps < 900


def test_a_body_that_does_not_come_in_the_time_of_its_request() -> None:
    service = Service(access_log=False, body_timeout=1)
    client = Client(b"{", None, headers=[(b"content-length", b"9"), (b"request-timeout", b"0.1")])
    opened, *_ = client.call(service)
    assert opened["status"] == 503
    assert service.room.taken == 0


@pytest.mark.parametrize("given", ["", "0", "0.0", "-1", "1e3", "soon", "nan", "inf", "1,5", "0x10", "9" * 30])
@pytest.mark.parametrize("url", ["/v12/reduce_min", "/v2/models/reduce_min/infer"])
def test_a_time_that_is_none_is_refused(url: str, given: str) -> None:
    response = Service().post(url, BODY, {"request-timeout": given})
    assert response.status_code == 400
    assert "Request-Timeout" in response.text
    if url == "/v12/reduce_min":
        problem(response, 400, "malformed-header")
