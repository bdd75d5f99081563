"""MLServer: REST, the model in the process of the server.

`serve.py PORT`; writes its settings into the working directory.
"""

import json
import os
import sys
from pathlib import Path

SETTINGS = {
    "host": "127.0.0.1",
    "http_port": int(sys.argv[1]),
    "grpc_port": 0,
    "metrics_endpoint": None,
    "parallel_workers": 0,  # a pool of processes would cost a light model a copy of each tensor
    "debug": False,
}
MODEL = {"name": "reduce_min", "implementation": "model.ReduceMin"}

if __name__ == "__main__":
    Path("settings.json").write_text(json.dumps(SETTINGS))
    Path("model-settings.json").write_text(json.dumps(MODEL))
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    os.execv(sys.executable, [sys.executable, "-m", "mlserver.cli.main", "start", "."])
