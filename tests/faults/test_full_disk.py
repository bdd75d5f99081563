"""A folder for temporary files that is full, or cannot be written, keeps nobody from being answered."""

import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, _free_port

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the ways of a disk that is full are Linux's")

SERVING = """
import http.client, json, os, signal, subprocess, sys, time

port = sys.argv[1]
server = subprocess.Popen([sys.executable, "-m", "app"], stdin=subprocess.DEVNULL)

def ask(method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
    connection.request(method, path, body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content

until = time.monotonic() + 60
while server.poll() is None and time.monotonic() < until:
    try:
        if ask("GET", "/health/ready")[0] == 200:
            break
    except OSError:
        time.sleep(0.1)
body = json.dumps({"data": {"dtype": "int8", "values": [1, 2, 3]}, "keepdims": 0})
statuses = {ask("POST", "/v13/reduce_max", body)[0] for _ in range(50)}
statuses |= {ask("GET", path)[0] for path in ("/metrics", "/v2/models/stats", "/health/live") for _ in range(5)}
server.send_signal(signal.SIGTERM)
print("STATUSES", sorted(statuses), server.wait(60), file=sys.stderr)
"""

FULL = """
mount -t tmpfs -o size=%s tmpfs /mnt || exit 77
export TMPDIR=/mnt
exec "$0" -c "$1" "$2"
"""


def serve(*command: str, limit: int | None = None, output: int = subprocess.PIPE, **settings: str) -> tuple[str, str]:
    """What a server says while it is asked, and what came of that. `limit`: bytes that its files may have."""

    def limited() -> None:
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    port = str(_free_port())
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONDONTWRITEBYTECODE": "1",
        "KEEPDIMS_PORT": port,
        "KEEPDIMS_WORKERS": "2",
        **settings,
    }
    done = subprocess.run(
        [*command, SERVING, port],
        cwd=ROOT,
        env=environment,
        stdout=output,
        stderr=subprocess.PIPE,
        preexec_fn=limited,
        text=True,
        check=False,
        timeout=120,
    )
    if "unshare" in command and done.returncode in (1, 77) and "Traceback" not in done.stderr:
        pytest.skip(f"no name space of its own may be had here: {done.stderr.strip()}")
    return done.stdout or "", done.stderr


ANSWERED = "STATUSES [200] 0"


def test_processes_that_can_write_no_file_count_alone() -> None:
    said, found = serve(sys.executable, "-c", limit=1000, KEEPDIMS_SHARED_MEMORY="1")
    assert ANSWERED in found, (said, found)
    assert re.search("do not see what this one counts, as .* cannot be written: file too large", found)


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed")
@pytest.mark.parametrize("size", ["16k", "70k"])
def test_a_small_file_system_ends_no_process(size: str) -> None:
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", FULL % size, sys.executable]
    said, found = serve(*command)
    assert ANSWERED in found, (said, found)
    assert "no space left on device" in found


def test_a_log_that_cannot_be_written_is_lost() -> None:
    with Path("/dev/full").open("w") as full:
        _, found = serve(sys.executable, "-c", output=full.fileno())
    assert ANSWERED in found, found


@pytest.mark.parametrize("settings", [{"KEEPDIMS_WORKERS": "2"}, {"KEEPDIMS_SHARED_MEMORY": "1"}], ids=str)
def test_no_folder_at_all_is_told_at_the_start(settings: dict[str, str]) -> None:
    code = "import tempfile; tempfile.tempdir = '/proc'; from app.__main__ import main; main()"
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "KEEPDIMS_PORT": str(_free_port()), **settings}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert "folder for temporary files: No such file or directory; TMPDIR names another" in done.stderr
    assert "Traceback" not in done.stderr
