"""What all requests hold together is bounded: who comes too late is told at once, and may come again."""

import asyncio
import gzip
import json
from threading import Thread

import pytest
from starlette.types import Message

from app.errors import BodyTooLarge, Overloaded
from app.http.budget.room import FLOWING, STEP, TEXT, Room, Share
from tests.http.service import BODY, CHUNKED, Client, Service, problem

PLENTY = FLOWING + 16 * STEP
COUNT = 20_000
VALUES = json.dumps({"data": {"dtype": "uint8", "values": [1] * COUNT}}).encode()
RAW = bytes(COUNT)
RAW_URL = f"/v13/reduce_max?dtype=uint8&shape={COUNT}"
INFER = "/v2/models/reduce_max/infer"
INPUT = {"name": "data", "shape": [COUNT], "datatype": "UINT8"}
INFER_JSON = json.dumps({"inputs": [INPUT | {"data": [1] * COUNT}]}).encode()
INFER_HEAD = json.dumps({"inputs": [INPUT | {"parameters": {"binary_data_size": COUNT}}]}).encode()
OCTETS = (b"content-type", b"application/octet-stream")
GZIP = (b"content-encoding", b"gzip")

Fields = list[tuple[bytes, bytes]]
BODIES: dict[str, tuple[str, bytes, Fields]] = {
    "json": ("/v13/reduce_max", VALUES, []),
    "json-gzip": ("/v13/reduce_max", gzip.compress(VALUES), [GZIP]),
    "raw": (RAW_URL, RAW, [OCTETS]),
    "raw-gzip": (RAW_URL, gzip.compress(RAW), [OCTETS, GZIP]),
    "inference": (INFER, INFER_JSON, []),
    "inference-gzip": (INFER, gzip.compress(INFER_JSON), [GZIP]),
    "inference-raw": (INFER, INFER_HEAD + RAW, [(b"inference-header-content-length", b"%d" % len(INFER_HEAD))]),
}


def filled(service: Service) -> Share:
    """What another request holds: all but a byte."""
    share = Share(service.room)
    share.take(service.room.size - 1)
    return share


def client(kind: str, how: str) -> Client:
    url, body, fields = BODIES[kind]
    sent_as = CHUNKED if how == "chunked" else [(b"content-length", b"%d" % len(body))]
    half = len(body) // 2
    return Client(body[:half], body[half:], headers=[*fields, *sent_as], url=url)


@pytest.mark.parametrize("how", ["declared", "chunked"])
@pytest.mark.parametrize("kind", BODIES)
def test_who_finds_no_room_is_told_and_finds_it_later(kind: str, how: str) -> None:
    service = Service(max_inflight_bytes=PLENTY)
    others = filled(service)
    opened, body, *_ = client(kind, how).call(service)
    assert opened["status"] == 503
    assert (b"retry-after", b"1") in opened["headers"]
    assert b"other requests" in body["body"]
    assert service.room.taken == PLENTY - 1
    others.give_back()
    opened, _ = client(kind, how).call(service)
    assert opened["status"] == 200
    assert service.room.taken == 0


@pytest.mark.parametrize("kind", ["json", "inference"])
def test_a_declared_body_is_refused_before_it_is_read(kind: str) -> None:
    service = Service(max_inflight_bytes=PLENTY)
    filled(service)
    _, body, end = client(kind, "declared").call(service)
    assert body["unread"] == 2
    assert end["unread"] == 0


@pytest.mark.parametrize("url", ["/v12/reduce_min", "/v2/models/reduce_min/infer"])
def test_small_bodies_find_room_always(url: str) -> None:
    service = Service(max_inflight_bytes=1)
    infer = {"inputs": [{"name": "data", "shape": [2], "datatype": "INT32", "data": [1, 2]}]}
    assert service.post(url, infer if "infer" in url else BODY).status_code == 200


@pytest.mark.parametrize("kind", BODIES)
def test_what_never_finds_room_is_too_large(kind: str) -> None:
    opened, body, *_ = client(kind, "declared").call(Service(max_inflight_bytes=COUNT))
    assert opened["status"] == 413
    assert b"all requests together is 20000 (KEEPDIMS_MAX_INFLIGHT_BYTES)" in body["body"]


def test_a_body_takes_room_as_it_grows() -> None:
    service = Service(max_inflight_bytes=3 * TEXT * STEP)
    pieces = [VALUES, *[b" " * (STEP // 4)] * 40]
    opened, body, _ = Client(*pieces, headers=CHUNKED, url="/v13/reduce_max").call(service)
    assert opened["status"] == 413
    assert 25 < body["unread"] < 32


def test_large_answers_to_small_requests_need_room() -> None:
    tensor = {"data": {"dtype": "float32", "shape": [0, 100_000], "values": []}, "axes": [0]}
    service = Service(max_inflight_bytes=PLENTY)
    assert service.post("/v13/reduce_sum", tensor).status_code == 200
    others = filled(service)
    problem(service.post("/v13/reduce_sum", tensor), 503, "overloaded")
    others.give_back()
    assert service.room.taken == 0


def test_what_is_known_of_outputs_needs_room() -> None:
    outputs = 1_500_000
    pieces = [bytes(STEP)] * (8 * outputs // STEP) + [bytes(8 * outputs % STEP)]
    fields = [OCTETS, (b"accept", b"application/octet-stream"), (b"content-length", b"%d" % (8 * outputs))]
    for room, status in ((FLOWING + 12 * outputs, 413), (FLOWING + 100 * outputs, 200)):
        service = Service(max_inflight_bytes=room)
        asking = Client(*pieces, headers=fields, url=f"/v13/reduce_sum?dtype=float32&shape=2,{outputs}&axes=0")
        assert asking.call(service)[0]["status"] == status
        assert service.room.taken == 0


@pytest.mark.parametrize("pieces", [0, 1])
@pytest.mark.parametrize("kind", BODIES)
def test_who_goes_away_before_a_body_or_in_its_middle_holds_nothing(kind: str, pieces: int) -> None:
    service, held = Service(max_inflight_bytes=PLENTY), []
    gone = client(kind, "declared")
    receive, left = gone.receive, len(gone.pieces) - pieces

    async def leaving() -> Message:
        held.append(service.room.taken)
        return {**await receive(), "more_body": True} if len(gone.pieces) > left else {"type": "http.disconnect"}

    gone.receive = leaving  # type: ignore[method-assign]
    assert gone.call(service) == []
    assert len(held) == pieces + 1
    assert held[-1] > service.room.taken == 0


def test_room_is_held_until_the_answer_is_sent() -> None:
    service, seen = Service(max_inflight_bytes=PLENTY), []
    asking = client("json", "declared")
    send = asking.send

    async def watching(message: Message) -> None:
        seen.append(service.room.taken)
        await send(message)

    asking.send = watching  # type: ignore[method-assign]
    asyncio.run(asking.ask(service))
    assert len(seen) == 2
    assert all(taken >= TEXT * len(VALUES) for taken in seen)


def test_shares_add_up() -> None:
    room = Room(10)
    one, other = Share(room), Share(room)
    one.take(6)
    other.take(4)
    with pytest.raises(Overloaded):
        other.take(1)
    with pytest.raises(BodyTooLarge):
        other.take(7)
    one.give_back()
    one.give_back()
    one.take(6)  # it is over
    assert room.taken == 4
    other.take(6)
    assert room.taken == room.size


def test_threads_take_from_one_room() -> None:
    room = Room(10**9)
    shares = [Share(room) for _ in range(4)]
    threads = [Thread(target=lambda share=share: [share.take(1) for _ in range(20_000)]) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert room.taken == 80_000
