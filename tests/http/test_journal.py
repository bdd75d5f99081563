"""The log: one JSON object a line."""

import json
import logging
import os
import re
import subprocess
import sys
from errno import EAGAIN, EBADF, ENOSPC, EPIPE
from pathlib import Path
from threading import Event, Timer
from typing import Any

import httpx
import pytest

from app.http.observing.journal import Journal, JsonLines
from tests.conftest import ROOT, serving
from tests.http.service import BODY


def read(descriptor: int) -> list[dict[str, Any]]:
    with os.fdopen(descriptor, "rb", buffering=0) as pipe:  # a slow reader, for whom writers have to wait
        content = b"".join(iter(lambda: pipe.read(5000), b""))
        return [json.loads(line) for line in content.splitlines()]


def test_lines_are_written_in_their_order() -> None:
    ours, theirs = os.pipe()
    journal = Journal(theirs)
    for number in range(100):
        journal.write({"event": "request", "number": number, "id": "ÿ-1"})
    journal.close()
    os.close(theirs)
    lines = read(ours)
    assert [line["number"] for line in lines] == list(range(100))
    assert lines[0]["id"] == "ÿ-1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", lines[0]["time"])


def test_processes_that_write_to_one_pipe_take_turns(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from app.http.observing.journal import Journal\n"
        "journal = Journal(turns=Path(sys.argv[1]))\n"
        "print(flush=True, file=sys.stderr); sys.stdin.read()\n"
        "for number in range(12_000): journal.write({'text': sys.argv[2] * 300})\n"
        "journal.close()"
    )
    ours, theirs = os.pipe()
    command = [sys.executable, "-c", program, str(tmp_path / "turns")]
    writers = [
        subprocess.Popen([*command, letter], cwd=ROOT, stdin=subprocess.PIPE, stdout=theirs, stderr=subprocess.PIPE)
        for letter in "abcd"
    ]
    inputs: list[Any] = [writer.stdin for writer in writers]
    ready: list[Any] = [writer.stderr for writer in writers]
    os.close(theirs)
    for pipe in ready:
        pipe.readline()
    for pipe in inputs:
        pipe.close()  # now all of them begin
    lines = read(ours)
    for pipe in ready:
        pipe.close()
    assert [writer.wait(20) for writer in writers] == [0] * 4
    assert len(lines) == 4 * 12_000
    assert {line["text"] for line in lines} == {letter * 300 for letter in "abcd"}


def test_where_nobody_reads_the_oldest_lines_are_lost_and_nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.http.observing.journal.MOST", 1000)
    ours, theirs = os.pipe()
    journal = Journal(theirs)
    entry = {"event": "request", "path": "x" * 200}
    for number in range(5000):
        journal.write({**entry, "number": number})
    assert len(journal._waiting) <= 1000
    os.close(ours)  # now the writer ends, and writing goes on without harm
    journal.close()
    journal.write(entry)
    os.close(theirs)


def test_the_last_line_is_written_however_slowly_they_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[bytes] = []
    begun, goes_on = Event(), Event()

    def write(_: int, content: bytes) -> int:
        written.append(bytes(content))
        begun.set()
        goes_on.wait(10)
        return len(content)

    monkeypatch.setattr(os, "write", write)
    journal = Journal(1)
    journal.write({"number": 0})
    begun.wait(10)
    journal.write({"number": 1})
    Timer(0.1, goes_on.set).start()
    journal.close()
    assert [json.loads(line)["number"] for line in b"".join(written).splitlines()] == [0, 1]


@pytest.mark.parametrize(("error", "passes"), [(EAGAIN, True), (ENOSPC, True), (EPIPE, False), (EBADF, False)])
def test_an_error_that_passes_costs_no_line(error: int, passes: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    written: list[bytes] = []

    def write(_: int, content: bytes) -> int:
        if len(tried) < 2:
            tried.append(error)
            raise OSError(error, os.strerror(error))
        written.append(bytes(content))
        return len(content)

    monkeypatch.setattr(os, "write", write)
    journal = Journal(1)
    journal.write({"number": 0})
    assert journal._thread is not None
    while journal._thread.is_alive() and not written:
        journal._thread.join(0.01)
    journal.write({"number": 1})
    journal.close()
    assert [json.loads(line)["number"] for line in b"".join(written).splitlines()] == ([0, 1] if passes else [])
    assert not journal._waiting


def test_a_message_and_its_traceback_are_one_line() -> None:
    try:
        raise RuntimeError("first\nsecond \ud800")
    except RuntimeError as error:
        record = logging.LogRecord(
            "keepdims", logging.ERROR, __file__, 1, "%s failed", ("/x\udfff",), (type(error), error, None)
        )
    told = JsonLines().format(record)
    assert "\n" not in told
    line = json.loads(told)
    assert (line["level"], line["logger"], line["message"]) == ("error", "keepdims", "/x? failed")
    assert "second" in line["traceback"]


def test_a_server_leaves_one_line_for_each_request(tmp_path: Path) -> None:
    key = "a-key-that-must-not-be-seen"
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with serving(tmp_path, KEEPDIMS_API_KEYS=key) as (url, _):
        headers = {"authorization": f"Bearer {key}", "x-request-id": "mine", "traceparent": f"00-{trace}-{parent}-01"}
        with httpx.Client(base_url=url, trust_env=False) as client:
            client.post("/v12/reduce_min", json=BODY, headers=headers)
            client.post(
                "/v12/reduce_min", json=BODY, headers=headers | {"x-request-id": "slow", "request-timeout": "60"}
            )
            client.post("/v12/reduce_min", content=b"{", headers=headers | {"x-request-id": "broken"})
            client.post("/v2/models/reduce_min/infer", content=b"{", headers=headers | {"x-request-id": "infer"})
            client.post(
                "/v12/reduce_min", json=BODY, headers={"authorization": f"Bearer {key}x", "x-request-id": "else"}
            )
            client.get("/" + "x" * 5000, headers={"x-request-id": "long"})
    text = (tmp_path / "log").read_text(encoding="utf-8")
    assert key not in text
    lines = [json.loads(line) for line in text.splitlines()]
    seen = {line["request_id"]: line for line in lines if line["event"] == "request"}
    assert {name: seen[name]["status"] for name in ("mine", "slow", "broken", "infer", "else", "long")} == {
        "mine": 200,
        "slow": 200,
        "broken": 400,
        "infer": 400,
        "else": 401,
        "long": 404,
    }
    mine = seen["mine"]
    assert (mine["method"], mine["path"], mine["operator"], mine["version"]) == (
        "POST",
        "/v12/reduce_min",
        "ReduceMin",
        12,
    )
    assert (mine["dtype"], mine["elements"], mine["format"]) == ("float32", 6, "application/json")
    assert (mine["trace_id"], mine["parent_id"]) == (trace, parent)
    assert set(mine["phases"]) == {"read", "queue", "decode", "compute", "encode"}
    assert sum(mine["phases"].values()) == pytest.approx(mine["seconds"])
    assert seen["broken"]["reason"] == "malformed-body"
    assert len(seen["long"]["path"]) < 300
    assert any("running" in line.get("message", "") for line in lines)


def test_the_log_of_requests_may_be_left_out(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_ACCESS_LOG="0") as (url, _):
        assert httpx.post(f"{url}/v12/reduce_min", json=BODY, trust_env=False).status_code == 200
    assert '"request"' not in (tmp_path / "log").read_text(encoding="utf-8")
