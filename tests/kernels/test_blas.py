"""Sums are made by BLAS, on the thread that asks for them."""

import os
import subprocess
import sys

import pytest

from app.machine import usable_cores

COUNT_THREADS = """
import os
import app.kernels
import numpy as np
rows = np.ones((1024, 4096))
assert (rows @ np.ones(4096) == 4096).all()
print(len(os.listdir("/proc/self/task")))
"""


def threads(**environment: str) -> int:
    """How many threads a process has once it has multiplied matrices."""
    here = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")} | environment
    said = subprocess.run([sys.executable, "-c", COUNT_THREADS], env=here, capture_output=True, text=True, check=True)
    return int(said.stdout)


def test_blas_starts_no_threads() -> None:
    assert threads() == 1


@pytest.mark.skipif(usable_cores() < 2, reason="BLAS starts no more threads than there are cores")
def test_whoever_wants_threads_of_blas_says_so() -> None:
    assert threads(OPENBLAS_NUM_THREADS="2") == 2
