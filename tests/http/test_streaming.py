"""Bodies that are reduced as they come: every way in and out, limits, and what is refused before the end."""

import asyncio
import gzip
import json
import logging
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from starlette.types import Message

from app.http import encodings
from app.http.encodings import zstd
from app.http.reductions import flow, reduce
from app.tensors import plain
from app.tensors.formats import FORMATS
from tests.files import NPY, RAW, npy, npy_of, raw, read_npy, read_raw
from tests.http.service import BODY, CHUNKED, Client, Service, problem

VALUES = np.array([[3, 1, 2], [9, 7, 8]], np.float32)
FILE = npy("float32", VALUES)
MINIMA = [1.0, 7.0]
URL = "/v12/reduce_min?axes=1&keepdims=0"
RAW_URL = f"{URL}&dtype=float32&shape=2,3"
LARGE = np.random.default_rng(3).normal(size=(3, 500, 700)).astype(np.float32)
COMPRESS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": zstd.compress}
HEADERS = [(name.encode(), value.encode()) for name, value in NPY.items()]


def minima(content: bytes) -> list[float]:
    found: list[float] = read_npy(content)[1].tolist()
    return found


@pytest.mark.parametrize("wanted", FORMATS)
@pytest.mark.parametrize(
    ("given", "url", "content"),
    [
        ("application/json", "/v12/reduce_min", json.dumps(BODY).encode()),
        ("application/x-npy", URL, FILE),
        ("application/octet-stream", RAW_URL, raw("float32", VALUES)),
    ],
)
def test_any_format_in_and_any_out(service: Service, given: str, url: str, content: bytes, wanted: str) -> None:
    response = service.post(url, content, {"content-type": given, "accept": wanted})
    assert response.status_code == 200
    assert response.headers["content-type"] == wanted
    match wanted:
        case "application/json":
            assert response.json() == {"reduced": {"dtype": "float32", "shape": [2], "values": MINIMA}}
        case "application/x-npy":
            assert minima(response.content) == MINIMA
        case _:
            assert read_raw(response.content, response.headers)[1].tolist() == MINIMA


@pytest.mark.parametrize("accept", ["", "*/*", "application/*", "application/x-npy;q=0.9, */*"])
def test_an_answer_is_json_unless_another_format_is_preferred(service: Service, accept: str) -> None:
    response = service.post(URL, FILE, {**NPY, "accept": accept})
    assert response.headers["content-type"] == "application/json"


def test_other_opsets_name_the_canonical_path(service: Service) -> None:
    response = service.post("/v17/reduce_min", FILE, NPY)
    assert response.headers["content-location"] == "/v13/reduce_min"


@pytest.mark.parametrize(
    ("path", "query", "status", "slug", "place"),
    [
        ("/v12/reduce_min", "axes=2", 422, "axis-out-of-range", "/axes/0"),
        ("/v12/reduce_min", "axes=0,0", 422, "duplicate-axis", "/axes/1"),
        ("/v12/reduce_min", "axes=0&axes=1", 400, "duplicate-key", None),
        ("/v12/reduce_min", "axes=0,1.0", 422, "invalid-parameter", "/axes/1"),
        ("/v12/reduce_min", "axes=null", 422, "invalid-parameter", "/axes/0"),
        ("/v12/reduce_min", "keepdims=yes", 422, "invalid-parameter", "/keepdims"),
        ("/v12/arg_min", "axis=true", 422, "invalid-parameter", "/axis"),
        ("/v12/reduce_min", "keepdims=", 422, "invalid-parameter", "/keepdims"),
        ("/v12/reduce_min", "keepdims=2", 422, "invalid-parameter", "/keepdims"),
        ("/v12/reduce_min", "axis=1", 422, "unknown-parameter", "/axis"),
        ("/v12/reduce_min", "dtype=float32", 422, "unknown-parameter", "/dtype"),
        ("/v12/reduce_min", "x" * 5000, 422, "invalid-parameter", None),
        ("/v11/arg_min", "select_last_index=1", 422, "unknown-parameter", "/select_last_index"),
        ("/v12/arg_min", "axis=%D9%A1", 422, "invalid-parameter", "/axis"),
    ],
)
def test_a_query_is_held_to_the_rules_of_json(
    service: Service, path: str, query: str, status: int, slug: str, place: str | None
) -> None:
    assert problem(service.post(f"{path}?{query}", FILE, NPY), status, slug).get("place") == place


@pytest.mark.parametrize(("spelled", "meant"), [("true", 1), ("True", 1), ("false", 0), ("False", 0)])
def test_flags_may_be_booleans_as_in_json(service: Service, spelled: str, meant: int) -> None:
    given, expected = (service.post(f"/v12/reduce_min?keepdims={value}", FILE, NPY) for value in (spelled, meant))
    assert given.status_code == 200
    assert given.content == expected.content


@pytest.mark.parametrize(
    ("path", "query", "slug", "place"),
    [
        ("/v12/reduce_min", "shape=2", "missing-field", "/dtype"),
        ("/v12/reduce_min", "dtype=int8", "missing-field", "/shape"),
        ("/v12/reduce_min", "dtype=bool&shape=2", "dtype-not-accepted", "/dtype"),
        ("/v11/arg_min", "dtype=int8&shape=2,0", "undefined", "/shape"),
        ("/v12/reduce_min", f"dtype=int8&shape=0,{2**40}&axes=0", "invalid-shape", "/shape"),
        ("/v12/reduce_min", "dtype=int8&shape=2&axes=1", "axis-out-of-range", "/axes/0"),
    ],
)
def test_dtype_and_shape_have_their_place_in_the_query(
    service: Service, path: str, query: str, slug: str, place: str
) -> None:
    response = service.post(f"{path}?{query}", b"", {"content-type": "application/octet-stream"})
    assert problem(response, 422, slug)["place"] == place


@pytest.mark.parametrize("encoding", COMPRESS)
@pytest.mark.parametrize("size", [1, 4000])
def test_every_format_may_be_compressed(service: Service, encoding: str, size: int) -> None:
    values = np.tile(VALUES, (size, 1))
    whole = {"data": {"dtype": "float32", "values": values.tolist()}, "axes": [1], "keepdims": 0}
    bodies = {
        "application/json": ("/v12/reduce_min", json.dumps(whole).encode()),
        "application/x-npy": (URL, npy("float32", values)),
        "application/octet-stream": (f"{URL}&dtype=float32&shape={2 * size},3", raw("float32", values)),
    }
    assert bodies.keys() == FORMATS.keys()
    for kind, (url, content) in bodies.items():
        headers = {"content-type": kind, "content-encoding": encoding.upper(), "accept": "application/x-npy"}
        response = service.post(url, COMPRESS[encoding](content), headers)
        assert response.status_code == 200
        assert minima(response.content) == MINIMA * size
        for broken in (COMPRESS[encoding](content)[:-1], COMPRESS[encoding](content) + b"x", content, b""):
            problem(service.post(url, broken, headers), 400, "malformed-body")


@pytest.mark.parametrize("batch", [1, 1000, 50_000, 1 << 22])
@pytest.mark.parametrize("encoding", ["", *COMPRESS])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_bodies_come_in_batches(
    service: Service, monkeypatch: pytest.MonkeyPatch, order: Any, encoding: str, batch: int
) -> None:
    monkeypatch.setattr(flow, "BATCH", batch)
    content = npy("float32", LARGE, order, ">")
    headers = [*HEADERS, *CHUNKED]
    if encoding:
        content = COMPRESS[encoding](content)
        headers.append((b"content-encoding", encoding.encode()))
    pieces = [content[start : start + 99_991] for start in range(0, len(content), 99_991)]
    for url, expected in (
        ("/v12/reduce_min?axes=0&keepdims=0", LARGE.min(0)),
        ("/v12/reduce_max?axes=-1&keepdims=0", LARGE.max(2)),
        ("/v12/arg_min?axis=1&keepdims=0", LARGE.argmin(1)),
        ("/v13/reduce_sum?noop_with_empty_axes=1", LARGE),
    ):
        start, end = Client(*pieces, headers=headers, url=url).call(service)
        assert start["status"] == 200
        assert np.array_equal(read_npy(end["body"])[1], expected)


@pytest.mark.parametrize("size", [1000, 99_991])
@pytest.mark.parametrize("order", ["dtype first", "values first"])
def test_large_bodies_of_json_are_read_as_they_come(
    service: Service, monkeypatch: pytest.MonkeyPatch, order: str, size: int
) -> None:
    monkeypatch.setattr(reduce, "LARGE_BYTES", 20_000)
    monkeypatch.setattr(plain, "PIECE", 10_000)
    values = LARGE[:, :50]
    data = {"dtype": "float32", "values": values.tolist()}
    if order == "values first":
        data = dict(reversed(data.items()))
    content = json.dumps({"data": data, "axes": [0, 2], "keepdims": 0}).encode()
    middle = len(content) // 2
    answers = [(content, 200), (content[:-1], 400), (content + b"}", 400)]
    answers += [(content[:middle] + b", null, " + content[middle:], 422), (content.replace(b"[0, 2]", b"[3]"), 422)]
    for sent, status in answers:
        pieces = [sent[start : start + size] for start in range(0, len(sent), size)]
        for headers in (CHUNKED, [(b"content-length", b"%d" % len(sent))]):
            start, end = Client(*pieces, headers=headers, url="/v13/reduce_max").call(service)
            assert start["status"] == status
            answered = json.loads(end["body"])
            whole = service.post("/v13/reduce_max", sent)
            assert (whole.status_code, whole.json()) == (status, answered)
            if status == 200:
                assert np.array_equal(np.float32(answered["reduced"]["values"]), values.max((0, 2)))


def test_large_bodies_of_json_have_their_limit() -> None:
    content = json.dumps({"data": {"dtype": "float32", "values": LARGE[:, :50].tolist()}}).encode()
    service = Service(max_body_bytes=reduce.LARGE_BYTES + 100_000)
    assert len(content) > reduce.LARGE_BYTES + 200_000
    pieces = [content[start : start + 10_000] for start in range(0, len(content), 10_000)]
    opened, *_ = Client(*pieces, headers=CHUNKED).call(service)
    assert opened["status"] == 413
    assert opened["unread"] > 0


@pytest.mark.parametrize("accept", FORMATS)
@pytest.mark.parametrize("body", [npy_of("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3)}"), b""])
def test_a_tensor_without_elements(service: Service, accept: str, body: bytes) -> None:
    kind, url = ("application/x-npy", URL) if body else ("application/octet-stream", f"{URL}&dtype=float32&shape=0,3")
    url = url.replace("axes=1", "axes=0").replace("v12", "v20")
    response = service.post(url, body, {"content-type": kind, "accept": accept})
    assert response.status_code == 200
    if accept == "application/json":
        assert response.json()["reduced"]["values"] == ["Infinity"] * 3


@pytest.mark.parametrize(
    ("content", "url", "kind"),
    [
        (b"", URL, NPY),
        (FILE[:50], URL, NPY),
        (FILE[:-1], URL, NPY),
        (FILE + b"x", URL, NPY),
        (b"x" * 99, URL, NPY),
        (raw("float32", VALUES)[:-4], RAW_URL, RAW),
        (raw("float32", VALUES) + bytes(4), RAW_URL, RAW),
        (b"", RAW_URL, RAW),
    ],
)
def test_a_body_has_the_length_it_says(service: Service, content: bytes, url: str, kind: dict[str, str]) -> None:
    problem(service.post(url, content, kind), 400, "malformed-body")
    headers = [(name.encode(), value.encode()) for name, value in kind.items()]
    start, *_ = Client(content[:30], content[30:], headers=[*headers, *CHUNKED], url=url).call(service)
    assert start["status"] == 400
    response = service.post(url, gzip.compress(content), {**kind, "content-encoding": "gzip"})
    problem(response, 400, "malformed-body")


def test_gzip_has_an_old_name(service: Service) -> None:
    for name in ("x-gzip", "X-Gzip"):
        response = service.post(
            URL, gzip.compress(FILE), {"content-type": "application/x-npy", "content-encoding": name}
        )
        assert response.status_code == 200


TALL = "{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 1000)}"


@pytest.mark.parametrize(
    ("url", "start", "status"),
    [
        (URL, b"no npy file", 400),
        (URL, npy_of(TALL.replace("<f4", "<c8")), 422),
        (URL, npy_of(TALL.replace("<f4", "|b1")), 422),
        (URL, npy_of(TALL.replace("(1000", "(-1")), 422),
        (URL.replace("axes=1", "axes=2"), npy_of(TALL), 422),
        (URL + "&more=1", npy_of(TALL), 422),
        (URL, npy_of(TALL.replace("1000)", f"{2**50})")), 413),
        ("/v13/reduce_sum?noop_with_empty_axes=1", npy_of(TALL.replace("(1000", "(100000")), 422),
    ],
)
@pytest.mark.parametrize("encoding", ["", *COMPRESS])
def test_what_is_wrong_is_said_before_the_rest_comes(
    service: Service, url: str, start: bytes, status: int, encoding: str
) -> None:
    headers = [*HEADERS, *CHUNKED]
    if encoding:
        start = COMPRESS[encoding](start)
        headers.append((b"content-encoding", encoding.encode()))
    client = Client(start[:5], start[5:], *[bytes(9)] * 5, headers=headers, url=url)
    opened, answered, ended = client.call(service)
    assert opened["status"] == status
    assert opened["unread"] >= 5
    assert answered["more_body"]
    assert ended["unread"] == 0


def test_an_element_that_is_wrong_is_refused_before_the_rest_comes(service: Service) -> None:
    start = npy_of(TALL.replace("<f4", "|b1"), b"\x02" * 20_000)
    client = Client(start, *[b"\x00"] * 100, headers=[*HEADERS, *CHUNKED], url="/v20/reduce_min")
    receive = client.receive

    async def slowly() -> Message:
        await asyncio.sleep(0.02)
        return await receive()

    client.receive = slowly  # type: ignore[method-assign]
    opened, *_ = client.call(service)
    assert (opened["status"], opened["unread"] > 0) == (422, True)


def test_what_is_wrong_is_said_of_a_body_that_stops() -> None:
    start = npy_of(TALL.replace("<f4", "|b1"), b"\x02" * 20_000)
    opened, body, _ = Client(start, None, headers=[*HEADERS, *CHUNKED], url="/v20/reduce_min").call(
        Service(body_timeout=0.1)
    )
    assert opened["status"] == 422
    assert b"element 0 is the byte 2" in body["body"]


def test_a_query_that_is_wrong_is_refused_before_anything_comes(service: Service) -> None:
    client = Client(bytes(9), bytes(9), headers=[*CHUNKED, (b"content-type", b"application/octet-stream")], url=URL)
    opened, _, _ = client.call(service)
    assert (opened["status"], opened["unread"]) == (422, 2)


def test_a_wrong_content_length_is_refused_once_the_header_is_there(service: Service) -> None:
    headers = [*HEADERS, (b"content-length", b"%d" % (len(FILE) + 1))]
    opened, _, _ = Client(FILE[:-4], FILE[-4:], b"x", headers=headers, url=URL).call(service)
    assert (opened["status"], opened["unread"]) == (400, 2)


def test_bodies_that_stream_have_a_limit_of_their_own() -> None:
    service = Service(max_body_bytes=100, max_stream_bytes=len(FILE))
    assert service.post(URL, FILE, NPY).status_code == 200
    small = Service(max_stream_bytes=len(FILE) - 1)
    problem(small.post(URL, FILE, NPY), 413, "body-too-large")
    opened, *_ = Client(FILE, headers=[*HEADERS, *CHUNKED], url=URL).call(small)
    assert opened["status"] == 413


@pytest.mark.parametrize("encoding", COMPRESS)
def test_a_limit_holds_for_what_is_decompressed(encoding: str) -> None:
    compress = COMPRESS[encoding]
    content = json.dumps(BODY).encode()
    padded = content + b" " * (5000 - len(content))
    headers = {"content-encoding": encoding}
    assert Service(max_body_bytes=5000).post("/v12/reduce_min", compress(padded), headers).status_code == 200
    small = Service(max_body_bytes=4999, max_stream_bytes=len(FILE) - 1)
    problem(small.post("/v12/reduce_min", compress(padded), headers), 413, "body-too-large")
    problem(small.post(URL, compress(FILE), {**NPY, **headers}), 413, "body-too-large")
    bomb = compress(npy_of(TALL.replace("(1000", "(250")) + bytes(1 << 27))
    limited = Service(max_stream_bytes=4_000_000)
    problem(limited.post(URL, bomb, {**NPY, **headers}), 400, "malformed-body")


@pytest.mark.parametrize("encoding", COMPRESS)
def test_bytes_that_say_nothing_have_a_limit_too(encoding: str) -> None:
    service = Service(max_body_bytes=5000)
    nothing = COMPRESS[encoding](b"")
    headers = [*CHUNKED, (b"content-encoding", encoding.encode())]
    opened, *_ = Client(*[nothing * 10] * 100, headers=headers).call(service)
    assert opened["status"] == 413
    assert opened["unread"] > 0


def test_an_answer_has_a_limit() -> None:
    service = Service(max_body_bytes=24)
    url = "/v13/reduce_sum?noop_with_empty_axes=1"
    assert service.post(url, FILE, NPY).status_code == 200
    found = problem(service.post(url, npy("float64", VALUES), NPY), 422, "invalid-shape")
    assert found["detail"].endswith("would have about 48 bytes; the limit is 24 (KEEPDIMS_MAX_BODY_BYTES)")
    problem(service.post(url, FILE, {**NPY, "accept": "application/json"}), 422, "invalid-shape")


def test_outputs_in_progress_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "BATCH", 100_000)
    service = Service(max_body_bytes=LARGE[0].nbytes)
    content = npy("float32", LARGE * 1e-20 + np.float32(1e20))
    pieces = [content[start : start + 50_000] for start in range(0, len(content), 50_000)]
    for url, status in (
        ("/v12/reduce_min?axes=0", 200),
        ("/v13/reduce_sum?axes=2", 200),
        ("/v13/reduce_sum?axes=0", 422),
    ):
        opened, *_ = Client(*pieces, headers=[*HEADERS, *CHUNKED], url=url).call(service)
        assert opened["status"] == status


@pytest.mark.parametrize("size", [3, 50_000])
def test_nobody_is_answered_who_went_away(service: Service, caplog: pytest.LogCaptureFixture, size: int) -> None:
    content = npy("float32", np.ones((size, 3), np.float32))
    client = Client(content[:200], content[200:-4], headers=[*HEADERS, *CHUNKED], url=URL)
    receive = client.receive

    async def leave() -> Message:
        return {**await receive(), "more_body": True} if client.pieces else {"type": "http.disconnect"}

    client.receive = leave  # type: ignore[method-assign]
    with caplog.at_level(logging.WARNING):
        assert client.call(service) == []
    assert caplog.records == []


def test_a_body_that_stops_is_given_up() -> None:
    for pieces in ([FILE[:20], None], [FILE, None], [npy("float32", LARGE)[:100_000], None]):
        client = Client(*pieces, headers=[*HEADERS, *CHUNKED], url=URL)
        opened, _ = client.call(Service(body_timeout=0.05))
        assert opened["status"] == 408


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_slow_clients_hold_no_thread(encoding: str) -> None:
    """One thread answers others while several bodies are on their way."""
    service = Service(kernel_threads=1)
    content = npy("float32", LARGE)
    headers = [*HEADERS, *CHUNKED]
    if encoding:
        content = gzip.compress(content)
        headers.append((b"content-encoding", b"gzip"))

    async def serve() -> list[dict[str, Any]]:
        waiting = [asyncio.create_task(call(content[:200_000], None)) for _ in range(3)]
        await asyncio.sleep(0.2)
        quick = await call(content)
        assert not any(task.done() for task in waiting)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)
        return quick

    async def call(*pieces: bytes | None) -> list[dict[str, Any]]:
        client = Client(*pieces, headers=headers, url="/v12/reduce_min?axes=1")
        await client.ask(service)
        return client.sent

    assert asyncio.run(serve())[0]["status"] == 200


def test_decompression_leaves_the_event_loop_alone(monkeypatch: pytest.MonkeyPatch, service: Service) -> None:
    threads: set[int] = set()
    make = encodings.PROTOCOL_ENCODINGS["gzip"]

    def watched() -> encodings.Member:
        threads.add(threading.get_ident())
        return make()

    monkeypatch.setitem(encodings.PROTOCOL_ENCODINGS, "gzip", watched)
    seen = threading.get_ident()
    start, *_ = Client(gzip.compress(FILE), headers=[*HEADERS, *CHUNKED, (b"content-encoding", b"gzip")], url=URL).call(
        service
    )
    assert start["status"] == 200
    assert len(threads) == 2
    assert seen in threads  # the first is made where the body begins, and asked nothing there
