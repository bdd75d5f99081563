"""With keys, who reduces or reads counts needs one; what explains the service can be read by all."""

import json
import logging
from hashlib import sha256
from pathlib import Path

import httpx
import pytest

from app.http import keys
from app.http.keys import Keys
from app.http.paths import SERVICE_PATHS
from app.settings import Settings
from tests.conftest import serving
from tests.http.service import BODY, CHUNKED, Client, Service, problem

KEY, OTHER = "first-key", "second-key"
INFER = {"inputs": [{"name": "data", "shape": [2], "datatype": "INT32", "data": [1, 2]}]}
REDUCING = [("/v12/reduce_min", BODY), ("/v17/reduce_min", BODY), ("/v2/models/reduce_min/infer", INFER)]
MODEL = "/v2/models/reduce_min"
CLOSED = [
    ("GET", "/metrics"),
    ("HEAD", "/metrics"),
    ("POST", "/v2/repository/index"),
    ("GET", "/v2/models/stats"),
    ("GET", f"{MODEL}/stats"),
    ("GET", f"{MODEL}/versions/12/stats"),
    ("GET", "/v2/models/stats/"),
    ("GET", "/v2/systemsharedmemory/status"),
    ("GET", "/v2/systemsharedmemory/region/x/status"),
    ("POST", "/v2/systemsharedmemory/region/x/register"),
    ("POST", "/v2/systemsharedmemory/unregister"),
    ("POST", "/v12/nothing"),
    ("POST", "/metrics"),
]
OPEN = [path for path in SERVICE_PATHS if path != "/metrics"]
OPEN += ["/v12/reduce_min", "/v2", "/v2/health/live", "/v2/health/ready", MODEL, f"{MODEL}/config", f"{MODEL}/ready"]


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


@pytest.fixture(scope="module")
def closed() -> Service:
    return Service(api_keys=f"{KEY}, {OTHER}", shared_memory=True)


@pytest.mark.parametrize(("path", "body"), REDUCING)
def test_reducing_takes_a_key(closed: Service, path: str, body: object) -> None:
    for key in (KEY, OTHER):
        assert closed.post(path, body, bearer(key)).status_code == 200
        assert closed.post(path, body, {"authorization": f"bearer  {key}"}).status_code == 200
    for wrong in ({}, bearer("third"), bearer(""), bearer(f"{KEY}, {OTHER}"), {"authorization": f"Basic {KEY}"}):
        refused = closed.post(path, body, wrong)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert refused.headers["x-request-id"]
        assert "third" not in refused.text
        named = wrong.get("authorization", "").removeprefix("Bearer ") not in ("", f"Basic {KEY}")
        said = "this key is not known" if named else "no key was sent"
        assert f"{said}; this path needs an API key: send Authorization: Bearer KEY" in refused.text
        assert KEY not in refused.text


def test_the_refusal_is_a_problem(closed: Service) -> None:
    problem(closed.post("/v12/reduce_min", BODY), 401, "unauthorized")
    problem(closed.get("/metrics"), 401, "unauthorized")
    assert set(closed.post(f"{MODEL}/infer", INFER).json()) == {"error"}


@pytest.mark.parametrize(("method", "path"), CLOSED)
def test_so_does_what_counts(closed: Service, method: str, path: str) -> None:
    assert closed.request(method, path).status_code == 401
    without_keys = Service(shared_memory=True).request(method, path)
    assert closed.request(method, path, headers=bearer(KEY)).status_code == without_keys.status_code


@pytest.mark.parametrize("path", OPEN)
def test_what_explains_is_open(closed: Service, path: str) -> None:
    assert closed.get(path).status_code == 200


def test_metrics_may_be_open() -> None:
    service = Service(api_keys=KEY, open_metrics=True)
    assert service.get("/metrics").status_code == 200
    assert service.post("/v12/reduce_min", BODY).status_code == 401


def test_a_body_is_refused_unread(closed: Service) -> None:
    opened, end = Client(b"{", b"}", headers=CHUNKED).call(closed)
    assert opened["status"] == 401
    assert end["unread"] == 2


@pytest.mark.parametrize("given", [",", " ", " , "])
def test_a_list_without_keys_lets_nobody_in(given: str) -> None:
    service = Service(api_keys=given)
    for headers in ({}, bearer(""), bearer(given), bearer(",")):
        assert service.post("/v12/reduce_min", BODY, headers).status_code == 401


def hashed(*named: str) -> str:
    return "".join(f"{sha256(key.encode()).hexdigest()}\n" for key in named)


def test_a_file_is_read_again_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(keys, "RECHECK", 0)
    file = tmp_path / "keys"
    file.write_text(hashed("one"))
    known = Keys([KEY], file)

    def knows(*named: str) -> list[bool]:
        return [known.know({b"authorization": f"Bearer {key}".encode()}) for key in named]

    assert knows(KEY, "one", "two") == [True, True, False]
    file.write_text(hashed("two", "three").upper())
    assert knows(KEY, "one", "two", "three") == [True, False, True, True]
    with caplog.at_level(logging.WARNING):
        file.write_text("plain-key\n")
        assert knows("two", "plain-key") == [True, False]
        file.unlink()
        assert knows("two") == [True]
    assert len(caplog.records) >= 2
    assert "plain-key" not in caplog.text
    file.write_text("")
    assert knows(KEY, "two", "") == [True, False, False]


def test_a_file_that_is_no_list_of_hashes_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(f"{hashed('one')}\nplain-key\n")
    with pytest.raises(ValueError, match="line 3") as caught:
        Service(api_keys_file=tmp_path / "keys")
    assert "plain-key" not in str(caught.value)
    with pytest.raises(ValueError, match="api_keys_file"):
        Settings(api_keys_file=tmp_path / "none")


def test_settings_do_not_show_keys() -> None:
    assert KEY not in repr(Settings(api_keys=KEY))  # type: ignore[arg-type]


def test_over_a_connection(tmp_path: Path) -> None:
    large = json.dumps({"data": {"dtype": "uint8", "values": [1] * 500_000}, "keepdims": 0}).encode()
    with (
        serving(tmp_path, KEEPDIMS_API_KEYS=KEY) as (url, _),
        httpx.Client(base_url=url, timeout=20, trust_env=False) as client,
    ):
        for body in (json.dumps(BODY).encode(), large):
            for _ in range(2):
                assert client.post("/v12/reduce_min", content=body).status_code == 401
                assert client.post("/v12/reduce_min", content=body, headers=bearer(KEY)).status_code == 200
        assert KEY not in client.get("/metrics", headers=bearer(KEY)).text
    assert KEY not in (tmp_path / "log").read_text()
