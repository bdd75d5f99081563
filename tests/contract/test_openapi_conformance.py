"""The running service does what its document says: Schemathesis, every check it has.

One version of each of the six parameter classes is tried, and the service's own paths; the others differ in their
dtypes. The run is the same every time, however fast the machine: about 5,500 requests.
"""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
EXAMPLES = 600
"""That are drawn for an operation, at most; some have fewer that differ."""

PATHS = (
    "/v(1/reduce_min|12/reduce_min|11/reduce_sum|18/reduce_log_sum|1/arg_max|12/arg_min)|/(operators|version|health)"
)


def test_the_service_is_as_described(server: str, tmp_path: Path) -> None:
    options = {
        "--url": server,
        "--checks": "all",
        "--phases": "examples,coverage,fuzzing",
        "--max-examples": str(EXAMPLES),
        "--workers": "2",
        "--include-path-regex": f"^({PATHS})",
    }
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(FOLDER / "schemathesis.toml"), "run"]
    run = subprocess.run(
        [*command, f"{server}/openapi.json", "--generation-deterministic", "--continue-on-failure", "--no-color"]
        + [word for option in options.items() for word in option],
        cwd=tmp_path,
        env=os.environ | {"SCHEMATHESIS_HOOKS": "wider", "PYTHONPATH": str(FOLDER), "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
