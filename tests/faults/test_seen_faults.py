"""What is refused before it becomes a request is logged and counted as any other refusal is."""

import json
from pathlib import Path

import httpx

from tests.conftest import serving
from tests.faults.sockets import BODY, LENGTH, PATH, address_of, answered, head, last_answers
from tests.http.test_metrics import samples

ID = b"x-request-id: %b"
WHOLE = head(LENGTH) + BODY

FAULTS = {
    "host": (
        head(ID % b"host", start=b"GET /there?SECRET HTTP/1.1", host=b"a b"),
        "GET",
        "/there",
        "malformed-request",
    ),
    "infer": (
        head(ID % b"infer", start=b"GET /v2/models HTTP/1.1", host=b"a b"),
        "GET",
        "/v2/models",
        "malformed-request",
    ),
    "expect": (head(ID % b"expect", b"expect: SECRET"), "POST", PATH.decode(), "expectation-failed"),
    "url": (head(ID % b"url", start=b"GET http://SECRET@x/ HTTP/1.1"), "GET", "", "malformed-request"),
    "last": ((WHOLE * 2) + head(ID % b"last", b"expect: SECRET"), "POST", PATH.decode(), "expectation-failed"),
}


def test_what_is_refused_is_seen(tmp_path: Path) -> None:
    with serving(tmp_path) as (url, _):
        answers = {name: last_answers(address_of(url), content)[-1] for name, (content, *_) in FAULTS.items()}
        (other,) = answered(address_of(url), head(start=b"SECRET /metrics HTTP/1.1"))
        (unnamed,) = last_answers(address_of(url), b"SECRET / SECRET\r\n\r\n")
        found = samples(httpx.get(f"{url}/metrics", trust_env=False).text)
    counted = {labels["reason"]: count for labels, count in found["keepdims_refusals_total"] if count}
    assert counted == {"malformed-request": 4, "expectation-failed": 2, "method-not-allowed": 1}
    text = (tmp_path / "log").read_text()
    assert "SECRET" not in text
    lines = [json.loads(line) for line in text.splitlines()]
    seen = {line["request_id"]: line for line in lines if line["event"] == "request"}
    for name, (_, method, path, reason) in FAULTS.items():
        line, answer = seen[name], answers[name]
        assert (line["method"], line["path"], line["reason"]) == (method, path, reason)
        assert line["status"] == answer.status
        assert answer.fields["x-request-id"] == name
    line = seen[other.fields["x-request-id"]]
    assert (line["method"], line["path"], line["status"]) == ("_OTHER", "/metrics", 405)
    line = seen[unnamed.fields["x-request-id"]]
    assert (line["method"], line["path"], line["status"]) == ("_OTHER", "", 400)
