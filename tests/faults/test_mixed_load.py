"""All formats at once, clients that leave in the middle and times that run out: no wrong answer, and nothing stays."""

import http.client
import os
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic, sleep

import httpx
import pytest

from tests.conftest import serving
from tests.faults.answers import Answer
from tests.faults.bodies import FORMATS, Sent, encoded
from tests.faults.mutations import BYTES
from tests.faults.outcomes import check
from tests.faults.processes import memory
from tests.faults.sockets import Address, address_of, connect, head, read_answer

SECONDS = float(os.environ.get("FAULTS_SECONDS", "5"))
"""A longer run finds more."""

CALLERS = 12
LATE = 1.0
ALLOWED = {"threads": 2, "descriptors": 2, "memory": 80 << 20, "in flight": 0}
"""What may stay more than there was before."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the files that tell what a process holds are Linux's")


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    limits = {"KEEPDIMS_MAX_INFLIGHT_BYTES": str(128 << 20), "KEEPDIMS_BODY_TIMEOUT": "5", "KEEPDIMS_ACCESS_LOG": "0"}
    with serving(tmp_path_factory.mktemp("mixed"), **limits) as found:
        yield found


def large(random: Random) -> bytes:
    """A body of a few MB that takes a while, or finds no room."""
    size = random.randint(100_000, 3_000_000)
    return b'{"data": {"dtype": "int64", "values": [' + b"7," * size + b'7]}, "keepdims": 0}'


class Caller(Thread):
    """One of many clients."""

    def __init__(self, address: Address, seed: int, over: Event) -> None:
        super().__init__(daemon=True)
        self.statuses: Counter[int] = Counter()
        self.failed: list[object] = []
        self._address = address
        self._random = Random(seed)
        self._over = over

    def run(self) -> None:
        while not self._over.is_set():
            try:
                self._random.choice((self._whole, self._whole, self._leaves, self._late, self._large))()
            except Exception as error:  # noqa: BLE001 the test tells of it
                self.failed.append(error)

    def _sent(self) -> Sent:
        random = self._random
        sent = encoded(FORMATS[random.choice(list(FORMATS))](random), random.choice(["", "gzip", "zstd"]))
        if random.random() < 0.3 and sent.content:
            sent = sent._replace(content=BYTES[random.choice(list(BYTES))](sent.content, random))
        return sent

    def _whole(self) -> None:
        """Several requests on one connection, each answered rightly or refused."""
        with connect(self._address) as connection:
            for _ in range(self._random.randint(1, 9)):
                sent = self._sent()
                self._send(connection, spelled(sent))
                answer = self._answer(connection)
                check(sent, {"over a connection": answer})

    def _leaves(self) -> None:
        """Goes away within the body, or within the answer."""
        sent = self._sent()
        content = spelled(sent) if self._random.random() < 0.5 else request(large(self._random))
        with connect(self._address) as connection:
            self._send(connection, content[: self._random.randint(1, len(content))])
            if self._random.random() < 0.5:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self._over.wait(self._random.random() / 50)

    def _late(self) -> None:
        """Waits no longer than it says."""
        body = large(self._random)
        seconds = b"request-timeout: %f" % self._random.choice((0.0001, 0.01, 0.1, 1))
        with connect(self._address) as connection:
            connection.sendall(request(body, seconds))
            answer = self._answer(connection)
        assert answer.status == 503 or answer.body == SEVEN, answer

    def _large(self) -> None:
        with connect(self._address) as connection:
            connection.sendall(request(large(self._random)))
            answer = self._answer(connection)
        assert answer.body == SEVEN if answer.status == 200 else answer.status in (503, 413), answer

    def _send(self, connection: socket.socket, content: bytes) -> None:
        """In one piece or in several."""
        middle = self._random.randint(0, len(content)) if self._random.random() < 0.3 else 0
        for part in (content[:middle], content[middle:]):
            connection.sendall(part)

    def _answer(self, connection: socket.socket) -> Answer:
        answer = read_answer(connection)
        assert answer is not None
        self.statuses[answer.status] += 1
        return Answer(*answer)


SEVEN = b'{"reduced":{"dtype":"int64","shape":[],"values":7}}'


def request(body: bytes, *lines: bytes) -> bytes:
    return head(*lines, b"content-length: %d" % len(body), start=b"POST /v13/reduce_max HTTP/1.1") + body


def spelled(sent: Sent) -> bytes:
    lines = [f"{name}: {value}".encode() for name, value in sent.fields.items()]
    target = f"{sent.path}?{sent.query}" if sent.query else sent.path
    length = b"content-length: %d" % len(sent.content)
    return head(*lines, length, start=f"POST {target} HTTP/1.1".encode()) + sent.content


def held(url: str, pid: int) -> dict[str, float]:
    """What a process holds."""
    lines = httpx.get(f"{url}/metrics", trust_env=False).text.splitlines()
    return {
        "threads": len(list(Path(f"/proc/{pid}/task").iterdir())),
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "memory": memory(pid, "VmRSS"),
        "in flight": sum(float(line.split()[1]) for line in lines if line.startswith("keepdims_inflight_bytes ")),
    }


def growth(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    """What of it has not come back."""
    return {name: after[name] for name, allowed in ALLOWED.items() if after[name] > before[name] + allowed}


def load(address: Address, seconds: float) -> tuple[list[Caller], list[float]]:
    """Callers for so long, and the seconds that it took meanwhile to hear that the service lives."""
    over = Event()
    callers = [Caller(address, seed, over) for seed in range(CALLERS)]
    for caller in callers:
        caller.start()
    waits = []
    until = monotonic() + seconds
    while monotonic() < until:
        begun = monotonic()
        connection = http.client.HTTPConnection(*address, timeout=20)
        connection.request("GET", "/health/live")
        assert connection.getresponse().status == 200
        connection.close()
        waits.append(monotonic() - begun)
        sleep(0.05)
    over.set()
    for caller in callers:
        caller.join(60)
        assert not caller.is_alive()
    return callers, waits


def test_all_at_once(process: tuple[str, int], tmp_path: Path) -> None:
    url, pid = process
    address = address_of(url)
    load(address, min(2, SECONDS / 3))
    before = held(url, pid)
    callers, waits = load(address, SECONDS)
    assert [failed for caller in callers for failed in caller.failed] == []
    statuses = sum((caller.statuses for caller in callers), Counter())
    assert statuses[200] > 0
    assert {status for status in statuses if status >= 500} <= {503}
    until = monotonic() + 15
    while grown := growth(before, held(url, pid)):
        assert monotonic() < until, (before, grown)
        sleep(0.2)
    assert sorted(waits)[len(waits) * 9 // 10] < LATE
