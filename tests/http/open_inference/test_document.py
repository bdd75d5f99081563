"""The OpenAPI document of the protocol: valid, current, and true to what is served."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from app.http.documents.open_inference import build_inference
from tests.http.service import Service

DOCUMENT: dict[str, Any] = build_inference()
ASKED = {
    "id": "x",
    "inputs": [
        {"name": "data", "datatype": "FP32", "shape": [2, 2], "data": [3, 1, 2, 4]},
        {"name": "axes", "datatype": "INT64", "shape": [1], "data": [1]},
    ],
    "outputs": [{"name": "reduced"}],
}


def conforms(value: Any, schema: dict[str, Any]) -> None:
    Draft202012Validator({**schema, "components": DOCUMENT["components"]}).validate(value)


def test_the_document_is_valid_and_current(service: Service) -> None:
    validate(DOCUMENT)
    committed = Path(__file__).parents[3] / "openapi" / "inference.json"
    assert json.loads(committed.read_text(encoding="utf-8")) == DOCUMENT
    assert service.get("/openapi/inference.json").json() == DOCUMENT


def test_every_operation_has_a_name_of_its_own() -> None:
    operations = [each for path in DOCUMENT["paths"].values() for key, each in path.items() if key != "parameters"]
    assert len({each["operationId"] for each in operations}) == len(operations) == 15


@pytest.mark.parametrize("path", DOCUMENT["paths"])
def test_answers_are_as_described(service: Service, path: str) -> None:
    (method, operation), *_ = [item for item in DOCUMENT["paths"][path].items() if item[0] != "parameters"]
    schemas = {status: each["content"]["application/json"]["schema"] for status, each in operation["responses"].items()}
    content: Any = b""
    if "requestBody" in operation:
        content = ASKED
        conforms(ASKED, operation["requestBody"]["content"]["application/json"]["schema"])
    named = path.replace("{model_name}", "reduce_min").replace("{model_version}", "12")
    response = service.request(method.upper(), named, content)
    assert response.status_code == 200, response.text
    conforms(response.json(), schemas["200"])
    if "404" in schemas:
        missing = service.request(method.upper(), named.replace("reduce_min", "reduce_nothing"), content)
        assert missing.status_code == 404
        conforms(missing.json(), schemas["404"])
