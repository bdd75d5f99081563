"""What the numbers were taken on; no names, no paths."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from app import __version__
from app.machine import usable_cores
from benchmarks.load import GENERATOR
from benchmarks.process import Server


def machine() -> dict[str, str]:
    """CPU, cores that may be used, memory, system."""
    cpu = Path("/proc/cpuinfo")
    lines = cpu.read_text().splitlines() if cpu.exists() else []
    model = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {
        "CPU": model,
        "cores": str(usable_cores()),
        "memory": f"{memory:.0f} GiB",
        "system": platform.system(),
        "load generator": GENERATOR,
    }


def versions(servers: Mapping[str, Server]) -> dict[str, str]:
    """Of Python, of what matters here, and of the servers."""
    found = {"Python": platform.python_version(), "keepdims": __version__}
    found |= {package: version(package) for package in ("numpy", "onnxruntime", "uvloop", "httptools")}
    others = {(server.peer.package, server.python) for server in servers.values() if server.peer.package}
    return found | {package: _version(package, python) for package, python in sorted(others)}


def _version(package: str, python: str) -> str:
    if python == sys.executable:
        return version(package)
    program = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
    run = subprocess.run([python, "-c", program, package], capture_output=True, text=True, timeout=30, check=True)
    return run.stdout.strip()
