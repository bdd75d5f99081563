"""`python -m benchmarks`: servers side by side, and kernels beside NumPy and onnxruntime."""

import argparse
import json
import sys
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from signal import SIGTERM, signal

from app.blocks import NUMPY_DTYPES
from app.kernels import KERNELS
from app.machine import usable_cores
from benchmarks.columns import SCALES
from benchmarks.kernels import PATTERNS, Choice
from benchmarks.peers import FLOOR, OURS, PEERS
from benchmarks.plot import plot
from benchmarks.run import run
from benchmarks.workloads import WORKLOADS

README = Path(__file__).parent / "README.md"
BEGIN = "<!-- What follows is written by `make bench ARGS=--write`. -->\n"
USUAL = ["first", "middle", "last", "all", "two of three", "rows of 3"]
TWO = ["float32", "int64"]
FOUR = ["float32", "float64", "bfloat16", "int64"]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--full", action="store_true", help="kernels: every dtype; takes most of an hour")
    parser.add_argument("--only", choices=["servers", "kernels"])
    parser.add_argument("--scale", choices=SCALES, default="default", help="how much; tiny says nothing about speed")
    parser.add_argument("--quick", action="store_const", dest="scale", const="quick", help="--scale quick")
    parser.add_argument("--workloads", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--peers", type=Path, default=Path(".venv-peers"), help="the folder of their environments")
    parser.add_argument("--against", nargs="*", choices=[*PEERS], default=list(PEERS), help="which peers")
    parser.add_argument("--operators", nargs="+", choices=KERNELS, default=list(KERNELS))
    parser.add_argument("--dtypes", nargs="+", choices=NUMPY_DTYPES)
    parser.add_argument("--patterns", nargs="+", choices=PATTERNS)
    parser.add_argument("--threads", nargs="+", type=int, help="1 and all cores")
    parser.add_argument("--kind", choices=["normal", "zeros", "wide"], default="normal", help="kernels: elements")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there as well")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the servers' table (needs matplotlib)")
    parser.add_argument("--write", action="store_true", help="write the tables into benchmarks/README.md")
    return parser.parse_args()


def _tables(chosen: argparse.Namespace, small: bool) -> dict[int, list[str]]:
    """The dtypes that kernels are measured on, by number of threads: more of them on one."""
    cores = usable_cores()
    tables = {cores: ["float32"]} if small else {1: FOUR} | ({cores: TWO} if cores > 1 else {})
    dtypes = chosen.dtypes or (list(NUMPY_DTYPES) if chosen.full else None)
    return {threads: dtypes or tables.get(threads, TWO) for threads in chosen.threads or tables}


def main() -> None:
    """Measure, print, write."""
    chosen = arguments()
    if chosen.plot and find_spec("matplotlib") is None:
        raise SystemExit("--plot needs matplotlib: .venv-dev/bin/python -m uv pip install --group bench")
    small = chosen.scale != "default" and not chosen.full
    patterns = chosen.patterns or (["first", "last"] if small else USUAL)
    rounds, megabytes = (1, 1) if chosen.scale == "tiny" else (5, 64)
    choices = [
        Choice(chosen.operators, dtypes, patterns, threads, chosen.kind, rounds, megabytes)
        for threads, dtypes in _tables(chosen, small).items()
    ]
    signal(SIGTERM, lambda *_: sys.exit(143))  # ends the servers on the way out
    workloads = [] if chosen.only == "kernels" else chosen.workloads
    peers = [name for name in chosen.against if name not in {FLOOR, OURS}]
    results = run(chosen.scale, workloads, peers, chosen.peers, [] if chosen.only == "servers" else choices)
    print(results.markdown())
    if chosen.json:
        chosen.json.write_text(json.dumps(asdict(results), indent=1))
    if chosen.plot:
        plot([column for column in results.columns if column.table == "servers"], chosen.plot)
    if chosen.write:
        words = README.read_text(encoding="utf-8").partition(BEGIN)[0]
        README.write_text(f"{words}{BEGIN}\n{results.markdown()}", encoding="utf-8")


if __name__ == "__main__":
    main()
