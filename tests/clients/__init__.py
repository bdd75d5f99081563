"""Clients, made by the commands in openapi/README.md. `python -m tests.clients` makes all it has the tools for."""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "clients"
ENVIRONMENT = ROOT / ".venv-clients"
NODE_TOOLS = ROOT / "openapi" / "node_modules" / ".bin"
DOCUMENT = ROOT / "openapi" / "openapi.json"
MADE_OF = ("openapi.json", "README.md", "*.yaml", "*.js", "requirements.lock", "package-lock.json")
PATH = os.pathsep.join([str(ENVIRONMENT / "bin"), str(NODE_TOOLS), os.environ["PATH"]])

OF_NPM = ("openapi-ts", "openapi-typescript", "redocly", "spectral")
"""Tools that come from there; the others come from PyPI."""

SHORT_RUN = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""To Java, which would spend as long on compiling itself well as on what it is asked for."""

README = (ROOT / "openapi" / "README.md").read_text(encoding="utf-8")
COMMANDS: dict[str, list[str]] = dict(
    zip(
        ("python", "python-pydantic", "typescript", "typescript-classes", "java", "go"),
        map(shlex.split, re.findall(r"^```sh\n(.*?)\n```$", README, flags=re.MULTILINE | re.DOTALL)),
        strict=True,
    )
)
"""What makes each client, by the name of its folder."""


def lacking(tool: str) -> str:
    """Why a tool cannot be used here; nothing if it can."""
    if tool == "openapi-generator-cli" and shutil.which("java") is None:
        return "java is not installed"
    if tool in OF_NPM and shutil.which("npm") is None:
        return "npm is not installed"
    return "" if shutil.which(tool, path=PATH) else f"{tool} is not here: make clients"


def make(name: str) -> None:
    """Make one client, and keep what the generator says beside it."""
    shutil.rmtree(FOLDER / name, ignore_errors=True)
    (FOLDER / name).mkdir(parents=True)
    run = subprocess.run(
        COMMANDS[name],
        cwd=ROOT,
        env=os.environ | {"PATH": PATH, "JDK_JAVA_OPTIONS": " ".join(SHORT_RUN)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    said = {"of": digest(), "code": run.returncode, "said": run.stdout}
    (FOLDER / f"{name}.json").write_text(json.dumps(said), encoding="utf-8")


def digest() -> str:
    """Of everything that clients are made of."""
    files = sorted(file for pattern in MADE_OF for file in (ROOT / "openapi").glob(pattern))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
