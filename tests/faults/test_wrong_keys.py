"""Whatever stands where a key should, nobody gets in by it or breaks anything, and no key is ever told."""

import os
import secrets
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep

import pytest

from app.http import keys
from tests.conftest import serving
from tests.faults.sockets import ANSWER, BODY, LENGTH, Address, Answer, address_of, connect, head, read_answer

KEY, FILED, NEXT = (f"right-{name}-{secrets.token_hex(8)}" for name in ("given", "filed", "next"))
WRONG = f"wrong-{secrets.token_hex(8)}"
INFER = b'{"inputs": [{"name": "data", "shape": [2], "datatype": "INT32", "data": [1, 2]}]}'

STAY = "the keys stay as they were"

Server = tuple[Address, Path, Path]
"""Where it is, its file of keys, and its log."""


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("keys")
    file = folder / "keys"
    write(file, FILED)
    with serving(folder, KEEPDIMS_API_KEYS=KEY, KEEPDIMS_API_KEYS_FILE=str(file)) as (url, _):
        yield address_of(url), file, folder / "log"


@pytest.fixture
def server(process: Server) -> Server:
    """With its one key in the file, however the file was left."""
    address, file, _ = process
    if not knows(address, FILED):
        file.unlink()
        write(file, FILED)
        assert comes_true(lambda: knows(address, FILED))
    return process


def write(file: Path, *given: str) -> None:
    file.write_text("".join(f"{sha256(key.encode()).hexdigest()}\n" for key in given))


def bearer(key: str) -> bytes:
    return f"authorization: Bearer {key}".encode()


def ask(address: Address, *lines: bytes) -> Answer:
    with connect(address) as connection:
        connection.sendall(head(LENGTH, *lines) + BODY)
        answer = read_answer(connection)
    assert answer is not None
    return answer


def knows(address: Address, key: str) -> bool:
    answer = ask(address, bearer(key))
    assert answer.status in (200, 401)
    return answer.status == 200


def comes_true(what: Callable[[], bool]) -> bool:
    """Within a few seconds."""
    until = monotonic() + 10
    while not what() and monotonic() < until:
        sleep(0.1)
    return what()


FIELD = b"authorization: "
ODD: dict[str, tuple[bytes, ...]] = {
    "none": (),
    "empty": (FIELD,),
    "a scheme alone": (FIELD + b"Bearer",),
    "a scheme and spaces": (FIELD + b"Bearer    ",),
    "a key alone": (FIELD + KEY.encode(),),
    "Basic": (FIELD + b"Basic " + KEY.encode(),),
    "Digest": (FIELD + b'Digest username="' + KEY.encode() + b'"',),
    "Bearers": (FIELD + b"Bearers " + KEY.encode(),),
    "quoted": (FIELD + b'Bearer "' + KEY.encode() + b'"',),
    "a part": (FIELD + b"Bearer " + KEY.encode()[:-1],),
    "more": (FIELD + b"Bearer " + KEY.encode() + b"x",),
    "capitals": (FIELD + b"Bearer " + KEY.upper().encode(),),
    "its hash": (FIELD + b"Bearer " + sha256(FILED.encode()).hexdigest().encode(),),
    "two keys": (FIELD + f"Bearer {KEY},{FILED}".encode(),),
    "two fields": (bearer(KEY), bearer(FILED)),
    "a right field behind a wrong one": (bearer(WRONG), bearer(KEY)),
    "Latin-1": (FIELD + b"Bearer \xe9\xff",),
    "UTF-8": (FIELD + "Bearer ключ🔑".encode(),),
    "60 KB": (FIELD + b"Bearer " + b"k" * 60_000,),
    "60 KB of spaces": (FIELD + b"Bearer" + b" " * 60_000 + KEY.encode() + b"x",),
    "another field": (b"proxy-authorization: Bearer " + KEY.encode(),),
    "a cookie": (b"cookie: authorization=Bearer " + KEY.encode(),),
}


@pytest.mark.parametrize("lines", ODD.values(), ids=ODD)
def test_odd_fields_let_nobody_in(server: Server, lines: tuple[bytes, ...]) -> None:
    address, _, log = server
    for path, body in ((b"/v12/reduce_min", BODY), (b"/v2/models/reduce_min/infer", INFER), (b"/metrics", b"")):
        method = b"POST" if body else b"GET"
        length = (b"content-length: %d" % len(body),) if body else ()
        with connect(address) as connection:
            connection.sendall(head(*lines, *length, start=method + b" " + path + b" HTTP/1.1") + body)
            answer = read_answer(connection)
        assert answer is not None
        assert (answer.status, answer.fields["www-authenticate"]) == (401, "bearer")
        assert b"right-" not in answer.body
    assert ask(address, bearer(KEY)).body == ANSWER
    assert ask(address, b"authorization: bEARER   " + FILED.encode() + b" ").body == ANSWER
    assert "right-" not in log.read_text()


def test_a_field_of_64_kib_is_too_long(server: Server) -> None:
    assert ask(server[0], FIELD + b"Bearer " + b"k" * (64 << 10)).status == 431
    assert knows(server[0], KEY)


def test_many_wrong_keys_on_one_connection(server: Server) -> None:
    address, _, log = server
    count = 500
    with connect(address) as connection:
        for number in range(count):
            key = KEY if number % 10 == 9 else f"{WRONG}-{number}"
            connection.sendall(head(LENGTH, bearer(key)) + BODY)
            answer = read_answer(connection)
            assert answer is not None
            assert answer.status == (200 if key == KEY else 401)
    with connect(address) as connection:
        connection.sendall(head(bearer(KEY), start=b"GET /metrics HTTP/1.1"))
        metrics = read_answer(connection)
    assert metrics is not None
    assert metrics.status == 200
    assert b"unauthorized" in metrics.body
    for text in (metrics.body.decode(), log.read_text()):
        assert "right-" not in text
        assert "wrong-" not in text


def removed(file: Path) -> None:
    file.unlink()


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def unreadable(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00" * 99)


def no_hashes(file: Path) -> None:
    file.write_text(f"{FILED}\n{NEXT}\n")


def cut(file: Path) -> None:
    file.write_text(file.read_text()[:40])


def a_loop(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.name)


def a_pipe(file: Path) -> None:
    """Of which nobody holds the other end: who opens it waits for ever."""
    file.unlink()
    os.mkfifo(file)


def endless(file: Path) -> None:
    file.unlink()
    file.symlink_to("/dev/zero")


def large(file: Path) -> None:
    write(file, *map(str, range(20_000)))


SPOILT = [removed, a_folder, unreadable, no_hashes, cut, a_loop, a_pipe, endless, large]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_spoilt_file_leaves_the_keys_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, spoil: Callable[[Path], None]
) -> None:
    monkeypatch.setattr(keys, "RECHECK", 0)
    write(file := tmp_path / "keys", FILED)
    known = keys.Keys([KEY], file)
    spoil(file)
    for key, is_known in ((KEY, True), (FILED, True), (NEXT, False), ("", False)):
        assert known.know({b"authorization": b"Bearer " + key.encode()}) == is_known
    assert STAY in caplog.text
    assert "right-" not in caplog.text


@pytest.mark.parametrize("spoil", [removed, a_pipe])
def test_a_good_file_behind_a_spoilt_one_is_read(server: Server, spoil: Callable[[Path], None]) -> None:
    address, file, log = server
    told = log.read_text().count(STAY)
    spoil(file)
    assert comes_true(lambda: knows(address, FILED) and log.read_text().count(STAY) > told)
    assert [knows(address, key) for key in (KEY, FILED, NEXT, "")] == [True, True, False, False]
    again = file.with_name("again")
    write(again, NEXT)
    if file.is_dir():
        file.rmdir()
    again.replace(file)
    assert comes_true(lambda: knows(address, NEXT))
    assert [knows(address, key) for key in (KEY, FILED)] == [True, False]
    assert "right-" not in log.read_text()


def test_an_emptied_file_withdraws_its_keys(server: Server) -> None:
    address, file, log = server
    file.write_text("")
    assert comes_true(lambda: not knows(address, FILED))
    assert knows(address, KEY)
    assert comes_true(lambda: "has no keys" in log.read_text())


def test_keys_change_under_load(server: Server) -> None:
    """Replaced again and again, by files that hold the one key that is used, it is known all the time."""
    address, file, log = server
    told = log.read_text().count(STAY)
    with connect(address) as connection:
        for number in range(150):
            again = file.with_name(f"again-{number}")
            write(again, FILED, *(f"{NEXT}-{one}" for one in range(number % 5)))
            again.replace(file)
            connection.sendall(head(LENGTH, bearer(FILED)) + BODY)
            answer = read_answer(connection)
            assert answer is not None
            assert answer.body == ANSWER
            sleep(0.01)
    assert log.read_text().count(STAY) == told
