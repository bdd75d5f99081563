"""Programs written against the clients compile in the strictest mode there is, and get the answers."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.clients import ENVIRONMENT, FOLDER, PATH, README, SHORT_RUN

Made = Callable[[str], dict[str, Any]]

ANSWERS: dict[str, dict[str, Any]] = {
    "reduce_min": {"dtype": "int8", "shape": [2], "values": [1, -8]},
    "reduce_sum": {"dtype": "float32", "shape": [2, 1], "values": [[1], [0.875]]},
    "arg_min": {"dtype": "int64", "shape": [2], "values": [2, 2]},
    "error": {
        "type": "/problems/axis-out-of-range",
        "title": "The tensor has no such axis",
        "status": 422,
        "detail": "axis 3 is outside [-2, 1] for a rank 2 tensor",
        "place": "/axes/0",
    },
    "nan": {"dtype": "float32", "shape": [1], "values": ["NaN"]},
    "int64": {"dtype": "int64", "shape": [1], "values": [2**53 + 1]},
    "int64 as text": {"dtype": "int64", "shape": [1], "values": [str(2**53 + 1)]},
    "base64": {"dtype": "float32", "shape": [3], "base64": "AADAQAAAgEAAAKBA"},
    "scalar": {"dtype": "float32", "shape": [], "values": 2.5},
    "empty": {"dtype": "float32", "shape": [1, 3], "values": [[0, 0, 0]]},
}
DOUBLES = {name: answer for name, answer in ANSWERS.items() if name != "int64"}
"""What a language can ask for whose numbers are doubles."""


def run(*command: str | Path) -> str:
    """What a command writes, in the folder of the clients."""
    environment = os.environ | {
        "PATH": PATH,
        "PYTHONPATH": "python:python-pydantic",
        "MYPYPATH": "python:python-pydantic",
    }
    done = subprocess.run(
        [str(part) for part in command], cwd=FOLDER, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def answers(text: str) -> dict[str, Any]:
    """The answers that a program printed; a member that is null is one that is not there."""
    return {
        name: {key: value for key, value in answer.items() if value is not None}
        for name, answer in json.loads(text).items()
    }


@pytest.mark.parametrize(
    ("name", "program"), [("python", "python_attrs.py"), ("python-pydantic", "python_pydantic.py")]
)
def test_python(made: Made, programs: Path, server: str, name: str, program: str) -> None:
    made(name)
    python = ENVIRONMENT / "bin" / "python"
    run(python, "-m", "mypy", "--config-file", programs / "mypy.ini", programs / program)
    assert answers(run(python, programs / program, server)) == ANSWERS


def test_the_call_in_the_readme(made: Made, server: str) -> None:
    made("python")
    [program] = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert "http://127.0.0.1:8000" in program
    run(ENVIRONMENT / "bin" / "python", "-c", program.replace("http://127.0.0.1:8000", server))


def test_the_attrs_client_is_strict_throughout(made: Made, programs: Path) -> None:
    made("python")
    run(ENVIRONMENT / "bin" / "python", "-m", "mypy", "--config-file", programs / "mypy.ini", "python/keepdims_client")


@pytest.mark.parametrize(
    ("name", "program", "settings"),
    [("typescript", "fetch", "tsconfig.json"), ("typescript-classes", "classes", "tsconfig.classes.json")],
)
def test_typescript(made: Made, programs: Path, server: str, name: str, program: str, settings: str) -> None:
    made(name)
    run("tsc", "--project", programs / settings)
    assert answers(run("node", programs / "compiled" / "programs" / f"{program}.js", server)) == DOUBLES


GENERATED = "package javax.annotation; public @interface Generated { String[] value(); String comments(); }"
"""An annotation the generated classes carry and no JDK has any more; with a build tool it comes from a package."""


@pytest.mark.skipif(shutil.which("javac") is None, reason="javac is not installed")
def test_java(made: Made, programs: Path, server: str) -> None:
    made("java")
    (jar,) = ENVIRONMENT.glob("lib/*/site-packages/openapi_generator_cli/*.jar")  # it brings Jackson along
    annotation = programs / "javax" / "annotation" / "Generated.java"
    annotation.parent.mkdir(parents=True)
    annotation.write_text(GENERATED, encoding="utf-8")
    sources = (FOLDER / "java" / "src" / "main").rglob("*.java")
    javac = ("javac", *(f"-J{option}" for option in SHORT_RUN), "-nowarn", "-cp", str(jar), "-d")
    run(*javac, programs / "classes", programs / "Reduce.java", annotation, *sources)
    assert answers(run("java", "-cp", f"{programs / 'classes'}:{jar}", "Reduce", server)) == ANSWERS
