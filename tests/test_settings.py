"""Settings come from the environment and are checked."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from pydantic import ValidationError

from app.settings import Settings
from tests.conftest import serving

ROOT = Path(__file__).parent.parent


def test_a_setting_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPDIMS_MAX_BODY_BYTES", "1000")
    assert Settings().max_body_bytes == 1000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "99999"),
        ("WORKERS", "0"),
        ("ROOT_PATH", "x"),
        ("ROOT_PATH", "/x/"),
        ("BODY_TIMEOUT", "inf"),
        ("BODY_TIMEOUT", "-1"),
        ("MAX_BODY_BYTES", "many"),
        ("CORS_ORIGINS", "https://a.example/"),
        ("CORS_ORIGINS", "https://a.example,"),
        ("CORS_ORIGINS", "a.example"),
        ("CORS_ORIGINS", "https://A.example"),
        ("CORS_ORIGINS", "*.example"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"KEEPDIMS_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()


def _started(*arguments: str, **environment: str) -> str:
    """What `python -m app` says when it cannot start."""
    run = subprocess.run(
        [sys.executable, *(arguments or ("-m", "app"))],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == 1
    return run.stderr


def test_a_port_that_is_taken_is_named_with_its_setting() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = _started(KEEPDIMS_PORT=str(port), KEEPDIMS_HOST="127.0.0.1")
    assert said.startswith(f"KEEPDIMS_HOST=127.0.0.1 KEEPDIMS_PORT={port}: ")
    assert len(said.splitlines()) == 1


def test_an_address_that_is_none_gets_no_hint_about_ports() -> None:
    said = _started(KEEPDIMS_PORT="0", KEEPDIMS_HOST="192.0.2.1")
    assert said == "KEEPDIMS_HOST=192.0.2.1 KEEPDIMS_PORT=0: Cannot assign requested address\n"


def test_traces_without_what_makes_them_are_told_of() -> None:
    program = "import sys; sys.modules['opentelemetry.sdk'] = None; from app.__main__ import main; main()"
    said = _started("-c", program, KEEPDIMS_PORT="0", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1")
    assert said.startswith("OTEL_EXPORTER_OTLP_ENDPOINT")
    assert "requirements-otel.lock" in said
    assert len(said.splitlines()) == 1


def test_a_setting_that_there_is_not_is_told_of(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_PROT="1"):
        pass
    assert '"message":"KEEPDIMS_PROT is no setting of this service"' in (tmp_path / "log").read_text()


def test_where_processes_share_what_they_know_is_not_the_environment_s_to_say(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    with serving(tmp_path, KEEPDIMS_SHARED_FOLDER=str(folder)) as (url, _):
        assert httpx.get(f"{url}/metrics", trust_env=False).status_code == 200
    assert list(folder.iterdir()) == []
    assert "KEEPDIMS_SHARED_FOLDER is no setting of this service" in (tmp_path / "log").read_text()


def test_a_file_of_keys_that_is_none_is_named_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("plain-key\n")
    said = _started(KEEPDIMS_API_KEYS_FILE=str(tmp_path / "keys"))
    assert said == "KEEPDIMS_API_KEYS_FILE: line 1 is not a SHA-256 hash of 64 hexadecimal digits\n"


def test_a_setting_that_makes_no_sense_is_named_as_it_is_set() -> None:
    lines = _started(KEEPDIMS_PORT="99999", KEEPDIMS_WORKERS="many").splitlines()
    assert [line.partition(":")[0] for line in lines] == ["KEEPDIMS_PORT", "KEEPDIMS_WORKERS"]
