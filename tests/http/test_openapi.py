"""The OpenAPI document: valid, current, and true to the table."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from openapi_spec_validator import validate

from app import __version__
from app.blocks import NUMPY_DTYPES
from app.http.documents.binary import build_binary
from app.http.documents.open_inference import build_inference
from app.http.documents.openapi import CUT_SHORT, OF_A_HEAD, Document, build_openapi, build_opset
from app.http.grammar import LONGEST_HEAD, LONGEST_URL
from app.http.pages.examples import SAMPLES, examples
from app.http.problems import BODY_TOO_SLOW, FAULTS, PROBLEMS, UNAUTHORIZED
from app.settings import Settings
from app.spec.operators import LAST_OPSET, OPERATORS, SERVING, Operator
from tests.http.service import Service

ROOT = Path(__file__).parents[2]
DOCUMENT: dict[str, Any] = build_openapi()
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]

NAIVE: dict[str, Callable[[Any], Any]] = {
    "reduce_sum": lambda rows: rows.sum(1),
    "reduce_mean": lambda rows: rows.mean(1),
    "reduce_l1": lambda rows: np.abs(rows).sum(1),
    "reduce_l2": lambda rows: np.sqrt((rows * rows).sum(1)),
    "reduce_sum_square": lambda rows: (rows * rows).sum(1),
}
"""Reductions along axis 1 in the arithmetic of the rows."""

every_row = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.path)


def named(reference: dict[str, str]) -> Any:
    """What a reference points to."""
    found: Any = DOCUMENT
    for step in reference["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return found


def body(operation: dict[str, Any]) -> Any:
    return operation["content"]["application/json"]


def test_the_document_is_valid() -> None:
    validate(DOCUMENT)


def test_the_committed_document_is_current() -> None:
    committed = json.loads((ROOT / "openapi" / "openapi.json").read_text(encoding="utf-8"))
    assert committed == DOCUMENT, "run `make openapi`"


def test_the_package_and_its_project_have_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("version", __version__) == __version__


def test_paths_are_the_rows_and_the_service() -> None:
    service = {"/operators", "/version", "/health/live", "/health/ready"}
    assert set(DOCUMENT["paths"]) == {operator.path for operator in OPERATORS} | service


def test_operation_ids_are_unique_and_every_tag_is_declared() -> None:
    operations = [operation for path in DOCUMENT["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in operations}) == len(operations) == 2 * 53 + 4
    tags = {tag["name"] for tag in DOCUMENT["tags"]}
    assert {tag for operation in operations for tag in operation["tags"]} == tags
    assert all(len(operation["tags"]) == 1 for operation in operations)


@every_row
def test_an_operator_version_has_two_operations(operator: Operator) -> None:
    found = DOCUMENT["paths"][operator.path]
    assert found["post"]["operationId"] == f"{operator.path_name}_v{operator.version}"
    assert found["get"]["operationId"] == f"describe_{operator.path_name}_v{operator.version}"
    assert found["post"]["tags"] == found["get"]["tags"] == [operator.name]


def test_the_statuses_of_post_are_those_a_refusal_can_have() -> None:
    """All but 404 (the paths in the document exist) and 500 (a fault of the service, not an answer)."""
    statuses = {problem.status for problem in (*PROBLEMS.values(), *FAULTS, BODY_TOO_SLOW, UNAUTHORIZED)} - {404}
    for operator in OPERATORS:
        responses = DOCUMENT["paths"][operator.path]["post"]["responses"]
        assert set(responses) == {"200", *map(str, statuses)}


def test_any_request_can_have_the_statuses_of_a_head() -> None:
    assert set(OF_A_HEAD) == {fault.status for fault in FAULTS}


def test_the_example_of_a_refusal_is_what_the_service_says(service: Service, server: str) -> None:
    """But for the two that take time or a crowd, which are made by the same code."""
    shown = {
        problem["example"]["status"]: problem["example"]
        for response in DOCUMENT["components"]["responses"].values()
        for problem in response["content"].values()
    }
    sent = examples(SERVING["reduce_min"][1])["values"].request
    path = "/v1/reduce_min"
    large = {"content-length": str(4 * Settings.model_fields["max_body_bytes"].default)}
    asked = {
        400: service.post(path, CUT_SHORT, {"content-type": "application/json"}),
        401: Service(api_keys="key").post(path, sent),
        406: service.post(path, sent, {"accept": "text/csv"}),
        413: service.post(path, b"{}", large),
        415: service.post(path, sent, {"content-type": "text/csv"}),
        414: httpx.get(f"{server}/{'x' * LONGEST_URL}", trust_env=False),
        417: httpx.get(server, headers={"expect": "a miracle"}, trust_env=False),
        422: service.post(path, sent | {"axes": [2]}),
        431: httpx.get(server, headers={"x": "y" * LONGEST_HEAD}, trust_env=False),
    }
    assert {status: answer.json() for status, answer in asked.items()} == {status: shown[status] for status in asked}
    assert shown.keys() - asked.keys() == {408, 503}


@pytest.mark.parametrize("build", [build_openapi, build_binary])
def test_the_example_of_a_refusal_is_of_its_status_and_schema(build: Callable[[], Document]) -> None:
    document = build()
    fields = document["components"]["schemas"]["Problem"]
    responses = document["components"]["responses"]
    for status, reference in document["paths"]["/v12/reduce_min"]["post"]["responses"].items():
        if status != "200":
            (content,) = responses[reference["$ref"].rpartition("/")[2]]["content"].values()
            assert content["example"]["status"] == int(status)
            assert set(fields["required"]) <= set(content["example"]) <= set(fields["properties"])


def test_the_service_answers_every_operation_of_the_document(server: str) -> None:
    with httpx.Client(base_url=server, trust_env=False) as client:
        for path, operations in DOCUMENT["paths"].items():
            assert client.get(path).status_code == 200
            assert client.post(path, json={}).status_code == (422 if "post" in operations else 405)


def test_the_service_serves_the_document(server: str) -> None:
    assert httpx.get(f"{server}/openapi.json", trust_env=False).json() == DOCUMENT


@every_row
def test_examples_work_when_sent(operator: Operator, server: str) -> None:
    with httpx.Client(base_url=server, trust_env=False) as client:
        for example in examples(operator).values():
            response = client.post(operator.path, json=example.request)
            assert response.status_code == 200
            assert response.json() == example.answer


@every_row
def test_the_values_of_an_example_are_taken_as_every_dtype(operator: Operator, service: Service) -> None:
    shown = examples(operator)["values"].request
    for dtype in set(operator.dtypes) - {"bool"}:
        assert service.post(operator.path, shown | {"data": shown["data"] | {"dtype": dtype}}).status_code == 200


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_l1", "reduce_l2", "reduce_sum_square"])
def test_what_is_said_of_an_example_is_so(service: Service, name: str) -> None:
    operator = SERVING[name][LAST_OPSET]
    remark = SAMPLES[operator.name].remark
    tried = re.search(r"\[\[.*]]", remark)
    rows = json.loads(tried[0]) if tried else SAMPLES[operator.name].rows
    with_float32 = {"data": {"dtype": "float32", "values": rows}, "axes": [1], "keepdims": 0}
    exact = service.post(operator.path, with_float32).json()["reduced"]["values"][0]
    if tried:
        assert remark.endswith(f"here it gives {exact:.9g}.")
    naive = NAIVE[name](np.array(rows, np.float32))[0]
    assert f"would give {naive:.9g}" in remark
    assert naive != np.float32(exact)


@every_row
def test_request_and_response_are_named_and_list_the_dtypes_of_the_row(operator: Operator) -> None:
    post = DOCUMENT["paths"][operator.path]["post"]
    name = f"{operator.name}V{operator.version}"
    assert body(post["requestBody"])["schema"] == {"$ref": f"#/components/schemas/{name}Request"}
    assert body(post["responses"]["200"])["schema"] == {"$ref": f"#/components/schemas/{name}Response"}
    for tensor in SCHEMAS[f"{name}Request"]["properties"]["data"]["oneOf"]:
        assert named(tensor)["properties"]["dtype"]["enum"] == list(operator.dtypes)
    answered = list(operator.dtypes) if operator.output == "T" else ["int64"]
    reduced = named(SCHEMAS[f"{name}Response"]["properties"]["reduced"])
    assert reduced["properties"]["dtype"]["enum"] == answered


@every_row
def test_the_request_has_the_parameters_of_the_row_with_their_defaults(operator: Operator) -> None:
    properties = SCHEMAS[f"{operator.name}V{operator.version}Request"]["properties"]
    assert set(properties) == {"data", "answer", *operator.parameters.model_fields}
    for parameter in operator.parameters.described():
        assert properties[parameter.name].get("default") == parameter.default


def test_every_reference_leads_somewhere_and_every_component_is_used() -> None:
    text = json.dumps(DOCUMENT)
    for kind, components in DOCUMENT["components"].items():
        for name in components:
            assert (f'"{name}": []' if kind == "securitySchemes" else f'"#/components/{kind}/{name}"') in text
    references: list[str] = []
    json.loads(text, object_hook=lambda value: references.append(value["$ref"]) if "$ref" in value else value)
    for reference in references:
        assert named({"$ref": reference})


def test_nothing_in_it_makes_client_generators_stumble() -> None:
    """Recursive schemas, bodies that are not JSON, parts of a model split in two."""
    text = json.dumps(DOCUMENT)
    assert not [name for name in SCHEMAS if name.endswith(("-Input", "-Output")) or not name.isalnum()]
    assert "contentEncoding" not in text
    assert "prefixItems" not in text
    media_types = {
        media_type
        for path in DOCUMENT["paths"].values()
        for operation in path.values()
        for part in [operation.get("requestBody", {}), operation["responses"]["200"]]
        for media_type in part.get("content", {})
    }
    assert media_types == {"application/json"}
    for name, schema in SCHEMAS.items():
        assert f'"#/components/schemas/{name}"' not in json.dumps(schema)


def test_dtypes_are_those_tensors_are_read_into() -> None:
    assert {dtype for operator in OPERATORS for dtype in operator.dtypes} <= set(NUMPY_DTYPES)


@pytest.mark.parametrize("opset", [1, 2, 12, 17, LAST_OPSET])
def test_an_opset_has_a_document_of_its_own(server: str, opset: int) -> None:
    document = httpx.get(f"{server}/v{opset}/openapi.json", trust_env=False).json()
    assert document == build_opset(opset)
    validate(document)
    posts = {path: found["post"] for path, found in document["paths"].items() if "post" in found}
    assert set(posts) == {f"/v{opset}/{name}" for name in SERVING}
    for name, opsets in SERVING.items():
        post = posts[f"/v{opset}/{name}"]
        assert post["operationId"] == name
        assert post["summary"].startswith(f"{opsets[opset].name} version {opsets[opset].version}:")


@pytest.mark.parametrize("opset", ["0", "29", "012", "x"])
@pytest.mark.parametrize("name", ["openapi.json", "reduce_min"])
def test_there_is_nothing_of_what_is_no_opset(server: str, opset: str, name: str) -> None:
    refused = httpx.get(f"{server}/v{opset}/{name}", trust_env=False)
    assert refused.status_code == 404
    kind = "unknown-version" if opset in ("0", "29") else "not-found"
    assert refused.json()["type"] == f"/problems/{kind}"
    assert ("opsets 1 to 28 exist" in refused.json()["detail"]) == (kind == "unknown-version")


def closed(document: Document) -> set[tuple[str, str]]:
    """The operations of a document that take a key."""
    found = set()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if method in ("get", "post") and operation.get("security", document["security"]):
                found.add((method.upper(), path))
                refusal = operation["responses"]["401"]
                if "$ref" in refusal:
                    refusal = document["components"]["responses"][refusal["$ref"].rpartition("/")[2]]
                assert "WWW-Authenticate" in refusal["headers"]
    return found


@pytest.mark.parametrize("build", [build_openapi, build_binary, build_inference, lambda: build_opset(17)])
def test_what_takes_a_key_is_what_the_service_asks_one_for(build: Callable[[], Document]) -> None:
    """And the key is optional in every document: a service may have none."""
    document = build()
    service = Service(api_keys="key")
    assert document["security"] == [{}, {"bearer": []}]
    scheme = document["components"]["securitySchemes"]["bearer"]
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    names = {"model_name": "reduce_min", "model_version": "12"}
    asked = {
        (method.upper(), path)
        for path, operations in document["paths"].items()
        for method in operations.keys() & {"get", "post"}
        if service.request(method.upper(), re.sub(r"{(\w+)}", lambda name: names[name[1]], path)).status_code == 401
    }
    assert closed(document) == asked
    assert asked
