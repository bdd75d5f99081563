"""The benchmarks run, on tensors too small to measure anything by."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.__main__ import BEGIN, README
from benchmarks.peers import FLOOR, OURS, PEERS
from benchmarks.process import ROOT
from benchmarks.workloads import WORKLOADS


def test_one_run_measures_every_workload_and_the_kernels(tmp_path: Path) -> None:
    kernels = ["--operators", "ReduceSum", "ArgMin", "--dtypes", "float32", "bfloat16", "--patterns", "last"]
    peers = ["--peers", str(tmp_path), "--against", "naive FastAPI", "mosec"]
    options = ["--scale", "tiny", *peers, *kernels, "--threads", "1", "--json", str(tmp_path / "results.json")]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    results = json.loads((tmp_path / "results.json").read_text())

    assert results["absent"] == {"mosec": "not installed (make bench-peers)"}
    columns = {(table, title): values for table, title, _, values in results["columns"]}
    assert all(type(value) is float for values in columns.values() for value in values.values()), run.stderr
    assert {table for table, _ in columns} == {workload.table for workload in WORKLOADS.values()}
    assert set(columns["servers", "small JSON"]) == {FLOOR, OURS, "naive FastAPI"}
    assert len(columns["operators", "small JSON"]) == 1 + 12

    measured = {(operator, dtype): rates for operator, dtype, _, _, *rates in results["kernels"]}
    assert {operator for operator, _ in measured} == {"ReduceSum", "ArgMin"}
    whole, blocks, numpy, times_numpy, _, engine, times_engine, _ = measured["ReduceSum", "float32"]
    assert min(whole, blocks) > 0
    assert times_numpy == pytest.approx(whole / numpy)
    assert min(engine, times_engine) > 0  # in turns of their own
    for title in ("Machine", "Servers", "Operators", "Growth", "Kernels"):
        assert f"### {title}\n" in run.stdout


def test_every_peer_that_needs_an_environment_says_what_goes_into_it() -> None:
    pinned = {path.parent.name for path in (ROOT / "benchmarks" / "servers").glob("*/requirements.txt")}
    assert pinned == {peer.environment for peer in PEERS.values() if peer.environment}


@pytest.mark.parametrize("name", PEERS)
def test_every_peer_has_its_program(name: str) -> None:
    programs = [argument for argument in PEERS[name].arguments if argument.endswith(".py")]
    assert PEERS[name].arguments == ("-m", "app") or [Path(program).is_file() for program in programs] == [True]


def test_the_tables_are_written_behind_a_line_that_is_there() -> None:
    assert README.read_text(encoding="utf-8").count(BEGIN) == 1
