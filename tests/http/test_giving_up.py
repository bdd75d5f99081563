"""Work that nobody waits for any more is given up."""

import asyncio
import json
import time
from typing import Any

import numpy as np
import pytest

from app import evaluate
from app.blocks import Block
from app.http.room import Room
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
        absorb = evaluate.Accumulator.absorb

        def slowly(accumulator: evaluate.Accumulator[Any], block: Block) -> None:
            self.steps += 1
            time.sleep(0.01)
            absorb(accumulator, block)

        monkeypatch.setattr(evaluate, "STEP", COUNT // 1000)
        monkeypatch.setattr(evaluate.Accumulator, "absorb", slowly)


def room_of(service: Service) -> Room:
    room: Room = service.app._posts["/v13/reduce_max"]._resources.room  # type: ignore[attr-defined]
    return room


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
    until_empty(room_of(service))  # the thread has ended too, and well before its thousandth step
    assert 0 < slow.steps < 900
    found = told(service)
    assert value(found, "keepdims_abandoned_total", reason="time-up") == 1
    assert value(found, "keepdims_refusals_total", reason="time-up") == 1
    assert service.post("/v12/reduce_min", BODY, {"request-timeout": "60"}).status_code == 200


@pytest.mark.parametrize("kind", URLS)
def test_who_leaves_is_not_worked_for(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, service = Slow(monkeypatch), Service()
    url, body = URLS[kind]
    client = Client(body, headers=[(b"content-length", b"%d" % len(body))], url=url, stays=False)
    assert client.call(service) == []
    until_empty(room_of(service))
    assert slow.steps < 900
    assert value(told(service), "keepdims_abandoned_total", reason="disconnected") == 1


def test_what_waits_for_a_thread_is_dropped_and_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, service = Slow(monkeypatch), Service(kernel_threads=1)
    fields = [(b"content-length", b"%d" % len(WHOLE))]
    url = "/v13/reduce_max"

    async def both() -> list[dict[str, Any]]:
        first = Client(WHOLE, headers=[*fields, (b"request-timeout", b"2")], url=url)
        second = Client(WHOLE, headers=[*fields, (b"request-timeout", b"0.2")], url=url)
        calls = [service.app(each.scope, each.receive, each.send) for each in (first, second)]  # type: ignore[arg-type]
        await asyncio.gather(*calls)
        return [*first.sent, *second.sent]

    statuses = [message["status"] for message in asyncio.run(both()) if message["type"] == "http.response.start"]
    assert statuses == [503, 503]
    until_empty(room_of(service))
    assert slow.steps < 900


def test_a_body_that_does_not_come_in_the_time_of_its_request() -> None:
    service = Service(access_log=False, body_timeout=1)
    client = Client(b"{", None, headers=[(b"content-length", b"9"), (b"request-timeout", b"0.1")])
    opened, *_ = client.call(service)
    assert opened["status"] == 503
    assert room_of(service).taken == 0


@pytest.mark.parametrize("given", ["", "0", "0.0", "-1", "1e3", "soon", "nan", "inf", "1,5", "0x10", "9" * 30])
@pytest.mark.parametrize("url", ["/v12/reduce_min", "/v2/models/reduce_min/infer"])
def test_a_time_that_is_none_is_refused(url: str, given: str) -> None:
    response = Service().post(url, BODY, {"request-timeout": given})
    assert response.status_code == 400
    assert "Request-Timeout" in response.text
    if url == "/v12/reduce_min":
        problem(response, 400, "malformed-header")
