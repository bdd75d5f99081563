"""Triton, from the nvidia-pytriton wheel: its HTTP server and one instance of a model of the Python backend.

`serve.py PORT`; lays out the backend in the working directory, with the stub for this Python.
"""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

if __name__ == "__main__":
    site = Path(find_spec("pytriton").origin).parent.parent
    home = site / "pytriton" / "tritonserver"
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    stub = "triton_python_backend_stub"
    shutil.copytree(home / "backends" / "python", "backends/python", ignore=lambda *_: [stub])
    shutil.copy(home / "python_backend_stubs" / version / stub, "backends/python")
    options = {
        "model-repository": Path(__file__).parent / "models",
        "backend-directory": Path("backends").absolute(),
        "http-address": "127.0.0.1",
        "http-port": sys.argv[1],
        "allow-grpc": "false",
        "allow-metrics": "false",
    }
    os.environ["LD_LIBRARY_PATH"] = str(site / "nvidia_pytriton.libs")
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    server = str(home / "bin" / "tritonserver")
    os.execv(server, [server, *(f"--{name}={value}" for name, value in options.items())])
