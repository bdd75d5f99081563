"""What deploy/README.md has a reader type exists, and answers."""

import json
import re
import shlex
import subprocess
from pathlib import Path

from tests.http.service import Service

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "deploy/README.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL) for line in block.splitlines()
]


def test_the_call_answers_who_has_a_key_and_nobody_else() -> None:
    (curl,) = (shlex.split(line) for line in COMMANDS if line.startswith("curl"))
    path = curl[1].removeprefix("http://127.0.0.1:8000")
    name, value = curl[curl.index("-H") + 1].split(": ")
    content = json.loads(curl[curl.index("--json") + 1])
    service = Service(api_keys="key")
    assert service.post(path, content).status_code == 401
    assert service.post(path, content, {name: value.replace("$KEY", "key")}).json()["reduced"]["values"] == [[1]]


def test_the_hash_that_is_made_is_one_that_the_service_takes(tmp_path: Path) -> None:
    (command,) = (line for line in COMMANDS if line.endswith("> hashes"))
    subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env={"KEY": "key", "PATH": "/usr/bin:/bin"}, check=True, timeout=30
    )
    service = Service(api_keys_file=tmp_path / "hashes", open_metrics=False)
    assert service.get("/metrics").status_code == 401
    assert service.get("/metrics", {"Authorization": "Bearer key"}).status_code == 200


def test_every_file_that_is_named_exists() -> None:
    named = re.findall(r"`((?:base|overlays|observe)[\w./-]*)`", README)
    named += [
        line.split()[-1].removeprefix("deploy/") for line in COMMANDS if "deploy/" in line and "rollout" not in line
    ]
    assert [name for name in named if not (ROOT / "deploy" / name).exists()] == []
    overlay = {file.name for file in (ROOT / "deploy").rglob("*.yaml")}
    assert set(re.findall(r"`([\w-]+\.yaml)`", README)) <= overlay


def test_every_target_of_make_exists() -> None:
    targets = re.findall(r"^make (\w+)", "\n".join(COMMANDS), re.MULTILINE)
    assert "sbom" in targets
    for target in targets:
        run = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, check=False, timeout=30)
        assert run.returncode == 0, run.stderr
