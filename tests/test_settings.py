"""Settings come from the environment and are checked."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr, ValidationError

from app import __version__
from app.settings import Settings, faults, unknown
from tests.conftest import serving

ROOT = Path(__file__).parent.parent


def test_a_setting_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPDIMS_MAX_BODY_BYTES", "1000")
    assert Settings().max_body_bytes == 1000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HOST", ""),
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


def test_shared_memory_is_refused_where_there_is_none() -> None:
    program = (
        "from pathlib import Path; from app.http.open_inference import memory; memory.FOLDER = Path('/no/memory'); "
        "from app.__main__ import main; main()"
    )
    said = _started("-c", program, KEEPDIMS_PORT="0", KEEPDIMS_SHARED_MEMORY="1")
    assert said == "KEEPDIMS_SHARED_MEMORY needs Linux: there is no folder /no/memory\n"


def test_one_process_says_where_it_serves(tmp_path: Path) -> None:
    with serving(tmp_path) as (url, pid):
        log = (tmp_path / "log").read_text()
    assert log.count("running on") == 1
    assert f'"Uvicorn running on {url} (Press CTRL+C to quit)"' in log
    assert f"Started server process [{pid}]" in log


def test_traces_without_what_makes_them_are_told_of() -> None:
    program = "import sys; sys.modules['opentelemetry.sdk'] = None; from app.__main__ import main; main()"
    said = _started("-c", program, KEEPDIMS_PORT="0", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:1")
    assert said.startswith("OTEL_EXPORTER_OTLP_ENDPOINT")
    assert "requirements-otel.lock" in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (
            ["--port", "18463"],
            2,
            '"--port" is not an argument of keepdims; settings are environment variables, such as ',
        ),
        (["--api-keys=hidden"], 2, '"--api-keys" is not an argument'),
        (["--help", "--port"], 2, '"--help" is not'),
        (["--help"], 0, "keepdims serves until it is told to stop; settings are environment variables, such as "),
        (["-h"], 0, "keepdims serves"),
        (["--version"], 0, f"{__version__}\n"),
    ],
)
def test_arguments_are_no_settings(arguments: list[str], status: int, said: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert run.returncode == status
    found, other = (run.stderr, run.stdout) if status else (run.stdout, run.stderr)
    assert found.startswith(said)
    assert len(found.splitlines()) == 1
    assert "KEEPDIMS_PORT=8000; docs/operations.md lists them" in found or "--version" in arguments
    assert other == ""


def test_a_setting_that_there_is_not_is_told_of(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_PROT="1"):
        pass
    assert (
        '"message":"KEEPDIMS_PROT is not a setting and has no effect (did you mean KEEPDIMS_PORT?)"'
        in (tmp_path / "log").read_text()
    )


def test_where_processes_share_what_they_know_is_not_the_environment_s_to_say(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    with serving(tmp_path, KEEPDIMS_SHARED_FOLDER=str(folder)) as (url, _):
        assert httpx.get(f"{url}/metrics", trust_env=False).status_code == 200
    assert list(folder.iterdir()) == []
    assert "KEEPDIMS_SHARED_FOLDER is not a setting and has no effect" in (tmp_path / "log").read_text()


def test_a_file_of_keys_that_is_none_is_named_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("plain-key\n")
    said = _started(KEEPDIMS_API_KEYS_FILE=str(tmp_path / "keys"))
    assert said == "KEEPDIMS_API_KEYS_FILE: line 1 is not a SHA-256 hash of 64 hexadecimal digits\n"


def test_a_setting_that_makes_no_sense_is_named_with_its_value_and_its_rule() -> None:
    said = _started(KEEPDIMS_MAX_BODY_BYTES="1M", KEEPDIMS_PORT="99999")
    assert said.splitlines() == [
        'KEEPDIMS_PORT must be a port, 0 to 65535; "99999" is not',
        'KEEPDIMS_MAX_BODY_BYTES must be a whole number of bytes, such as 1048576; "1M" is not',
    ]


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_has_a_rule_and_no_secret_is_told(name: str) -> None:
    given = "hidden" if Settings.model_fields[name].annotation is SecretStr else "\ud800"
    [said] = faults(
        ValidationError.from_exception_data("", [{"type": "string_unicode", "loc": (name,), "input": given}])
    )
    assert said.startswith(f"KEEPDIMS_{name.upper()} must be ")
    assert "hidden" not in said
    assert ('"\\ud800" is not' in said) is (given != "hidden")


def test_an_origin_that_is_none_is_named_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPDIMS_CORS_ORIGINS", "https://a.example, b.example")
    with pytest.raises(ValidationError) as caught:
        Settings()
    [said] = faults(caught.value)
    assert said.startswith('KEEPDIMS_CORS_ORIGINS: "b.example" is not an origin; use scheme://host')


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("KEEPDIMS_MAX_BODY_BYTE", "KEEPDIMS_MAX_BODY_BYTES"),
        ("KEEPDIMS_API_KEY", "KEEPDIMS_API_KEYS"),
        ("keepdims_timeout", "KEEPDIMS_BODY_TIMEOUT"),
    ],
)
def test_a_slip_in_a_name_leads_to_the_setting(name: str, meant: str) -> None:
    assert unknown(["PATH", name, meant]) == [f"{name} is not a setting and has no effect (did you mean {meant}?)"]


def test_several_workers_are_told_of_once_all_serve(tmp_path: Path) -> None:
    with serving(tmp_path, KEEPDIMS_WORKERS="2") as (url, pid):
        said = f"2 workers running on {url} (Press CTRL+C to quit)"
        until = time.monotonic() + 30
        while said not in (log := (tmp_path / "log").read_text()) and time.monotonic() < until:
            time.sleep(0.05)
    assert f"Started supervisor process [{pid}]" in log
    before = log[: log.index(said)]
    assert before.count("Application startup complete.") == 2
    assert "running on" not in before
