"""Calls as pages show them can be run as they are, whatever the elements are."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from app.http.pages.snippets import file_call, filled, snippets

CASES = [
    ("/v20/reduce_max", {"data": {"dtype": "bool", "values": [[True, False]]}, "axes": [1]}, [[True]]),
    ("/v13/reduce_sum", {"data": {"dtype": "int64", "values": [9007199254740993]}, "keepdims": 0}, 9007199254740993),
    ("/v13/reduce_min", {"data": {"dtype": "float32", "values": ["NaN", 1]}, "keepdims": 0}, "NaN"),
]

each_call = pytest.mark.parametrize(("path", "request_", "values"), CASES, ids=[path for path, *_ in CASES])
keys = pytest.mark.parametrize("with_keys", [False, True])


def call(language: str, url: str, request: object, with_keys: bool) -> str:
    return filled(snippets(with_keys)[language], url, json.dumps(request))


@each_call
@keys
def test_python(
    monkeypatch: pytest.MonkeyPatch, server: str, path: str, request_: object, values: object, with_keys: bool
) -> None:
    monkeypatch.setenv("KEY", "any")
    printed: list[dict[str, dict[str, object]]] = []
    exec(call("Python", server + path, request_, with_keys), {"print": printed.append})
    assert [answer["reduced"]["values"] for answer in printed] == [values]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@each_call
@keys
def test_curl(server: str, path: str, request_: object, values: object, with_keys: bool) -> None:
    command = call("curl", server + path, request_, with_keys).strip() + " --silent --noproxy '*'"
    run = subprocess.run(command, shell=True, capture_output=True, check=True, timeout=30)
    assert json.loads(run.stdout)["reduced"]["values"] == values


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@each_call
@keys
def test_typescript(tmp_path: Path, server: str, path: str, request_: object, values: object, with_keys: bool) -> None:
    program = tmp_path / "call.mjs"
    # As an object the answer would lose digits, and console.log would print it as no JSON.
    text = call("TypeScript", server + path, request_, with_keys).replace("answer.json()", "answer.text()")
    program.write_text(text)
    run = subprocess.run(["node", program], capture_output=True, check=True, timeout=30)
    assert json.loads(run.stdout)["reduced"]["values"] == values


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@keys
def test_a_file(tmp_path: Path, server: str, with_keys: bool) -> None:
    np.save(tmp_path / "x.npy", np.array([[3, 1, 2], [9, 7, 8]], np.float32))
    command = filled(file_call(with_keys), f"{server}/v12/reduce_min").strip() + " --silent --noproxy '*'"
    subprocess.run(command, shell=True, cwd=tmp_path, check=True, timeout=30)
    assert np.load(tmp_path / "reduced.npy").tolist() == [[1], [7]]
