"""The generators find nothing to complain of in the document, and leave nothing of it out."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.clients import COMMANDS, DOCUMENT, FOLDER

Made = Callable[[str], dict[str, Any]]

OPERATIONS: dict[str, list[str]] = {}
for operations in json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"].values():
    for operation in operations.values():
        OPERATIONS.setdefault(operation["tags"][0], []).append(operation["operationId"])

OF_EVERY_DOCUMENT = (
    "OpenAPI 3.1 support is still in beta",
    "Failed to get the schema name: null",  # of every property that is no reference
    "Ignoring complex example on request body",  # of an object; examples are not part of a client
)
"""What openapi-generator warns of whatever it is given."""

ANSI = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_client_is_made_without_a_warning(made: Made, name: str) -> None:
    found = made(name)
    said = [line for line in ANSI.sub("", found["said"]).splitlines() if not line.startswith("[main] INFO")]
    others = [line for line in said if not any(words in line for words in OF_EVERY_DOCUMENT)]
    assert found["code"] == 0, others
    assert [line for line in others if re.search("warn|error|skip|ignor|unsupported|fail", line, re.IGNORECASE)] == []


def snake(words: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", words).lower()


def camel(words: str) -> str:
    return "".join(word.capitalize() for word in words.split("_"))


def source(name: str, path: str) -> str:
    return (FOLDER / name / path).read_text(encoding="utf-8")


def python(tag: str, operation: str) -> tuple[str, str]:
    return f"keepdims_client/api/{snake(tag)}/{operation}.py", r"^def sync\("


def python_pydantic(tag: str, operation: str) -> tuple[str, str]:
    return f"keepdims_pydantic/api/{snake(tag)}_api.py", rf"^    def {operation}\("


def typescript(_: str, operation: str) -> tuple[str, str]:
    return "schema.ts", rf"^    {operation}: \{{"


def typescript_classes(tag: str, operation: str) -> tuple[str, str]:
    name = camel(operation)
    return "sdk.gen.ts", rf"(?s)^export class {tag} \{{(?:(?!^\}}).)*public static {name[0].lower()}{name[1:]}<"


def java(tag: str, operation: str) -> tuple[str, str]:
    name = camel(operation)
    path = f"src/main/java/org/keepdims/client/api/{tag}Api.java"
    return path, rf"^  public \w+ {name[0].lower()}{name[1:]}\("


def go(tag: str, operation: str) -> tuple[str, str]:
    return f"api_{snake(tag)}.go", rf"^func \(a \*{tag}APIService\) {camel(operation)}\("


WHERE = {
    "python": python,
    "python-pydantic": python_pydantic,
    "typescript": typescript,
    "typescript-classes": typescript_classes,
    "java": java,
    "go": go,
}
"""Where a client has an operation: in the file or class of its tag."""


@pytest.mark.parametrize("name", WHERE)
def test_every_operation_is_in_the_client_under_its_operator(made: Made, name: str) -> None:
    made(name)
    sources: dict[str, str] = {}
    for tag, operations in OPERATIONS.items():
        for operation in operations:
            path, pattern = WHERE[name](tag, operation)
            text = sources.setdefault(path, source(name, path) if Path(FOLDER / name / path).exists() else "")
            assert re.search(pattern, text, re.MULTILINE), (path, operation)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("python", "keepdims_client/models/reduce_min_v12_request.py"),
        ("python-pydantic", "keepdims_pydantic/models/reduce_min_v12_request.py"),
        ("typescript", "schema.ts"),
        ("typescript-classes", "types.gen.ts"),
        ("java", "src/main/java/org/keepdims/client/model/ReduceMinV12Request.java"),
        ("go", "model_reduce_min_v12_request.go"),
    ],
)
def test_what_a_parameter_means_stands_at_its_attribute(made: Made, name: str, path: str) -> None:
    made(name)
    request = json.loads(DOCUMENT.read_text(encoding="utf-8"))["components"]["schemas"]["ReduceMinV12Request"]
    meaning = request["properties"]["keepdims"]["description"]
    assert len(meaning) > 20
    assert meaning in source(name, path)
