"""The OpenAPI document of binary bodies: valid, current, and true to the table."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from openapi_spec_validator import validate

from app.http.documents.binary import build_binary
from app.spec.operators import OPERATORS, Operator
from app.tensors.formats import FORMATS, STREAMED

DOCUMENT: dict[str, Any] = build_binary()


def test_the_document_is_valid() -> None:
    validate(DOCUMENT)


def test_the_committed_document_is_current() -> None:
    committed = Path(__file__).parents[2] / "openapi" / "binary.json"
    assert json.loads(committed.read_text(encoding="utf-8")) == DOCUMENT, "run `make openapi`"


def test_the_service_serves_the_document(server: str) -> None:
    assert httpx.get(f"{server}/openapi/binary.json", trust_env=False).json() == DOCUMENT


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.path)
def test_a_post_takes_the_parameters_of_its_row_in_the_query(operator: Operator) -> None:
    assert DOCUMENT["paths"].keys() == {row.path for row in OPERATORS}
    post = DOCUMENT["paths"][operator.path]["post"]
    parameters = {each["name"]: each["schema"] for each in post["parameters"]}
    assert set(parameters) == {*operator.parameters.model_fields, "dtype", "shape"}
    assert parameters["dtype"]["enum"] == list(operator.dtypes)
    assert set(post["requestBody"]["content"]) == set(STREAMED)
    assert set(post["responses"]["200"]["content"]) == set(FORMATS)


def test_every_reference_leads_somewhere_and_every_component_is_used() -> None:
    text = json.dumps(DOCUMENT)
    parts = {kind: named for kind, named in DOCUMENT["components"].items() if kind != "securitySchemes"}
    defined = {f"#/components/{kind}/{name}" for kind, named in parts.items() for name in named}
    references: set[str] = set()
    json.loads(text, object_hook=lambda value: references.add(value["$ref"]) if "$ref" in value else value)
    assert references == defined
