"""The OpenAPI document of the Open Inference Protocol as this service speaks it.

The protocol's own has data that recurses, which generators drop, and one operation for two paths. Here each path has
an operation of its own, and data is a flat list.
"""

from typing import Any

from app.http.documents.openapi import (
    OF_A_HEAD,
    OPEN,
    RESPONSE_HEADERS,
    SECURITY_SCHEMES,
    Document,
    json_content,
    preface,
)
from app.http.documents.schemas import Schema, reference
from app.http.open_inference.models import MODELS
from app.tensors.open_inference.datatypes import DATATYPES
from app.tensors.open_inference.members import AXES, DATA, REDUCED

ABOUT = (
    "The Open Inference Protocol, version 2: each operator is a model, each of its versions a version of the model. "
    "The inputs are data and, for the reduce operators, optionally axes (INT64 or INT32); the axis of arg_min and "
    "arg_max and all flags are parameters of the request. The output is called reduced. Tensors may also follow the "
    "JSON as raw bytes; the header Inference-Header-Content-Length then gives the length of the JSON. This document "
    "describes JSON alone. Every refusal is an object with one field, error."
)

_TEXT: Schema = {"type": "string"}
_SIZES: Schema = {"type": "array", "items": {"type": "integer", "minimum": -1}}
_PARAMETERS: Schema = {"type": "object", "additionalProperties": True}
_FREE: Schema = {"type": "object", "additionalProperties": True}


def build_inference() -> Document:
    """The whole document. Equal on every call: it depends on the table and the version of the package alone."""
    return {
        **preface(ABOUT),
        "tags": [{"name": "Open Inference", "description": "Models, their state, and inference."}],
        "paths": {
            "/v2": _get("server_metadata", "What the server is", "ServerMetadata"),
            "/v2/health/live": _get("server_live", "Whether the server is alive", "Live"),
            "/v2/health/ready": _get("server_ready", "Whether the server takes requests", "Ready", 503),
            "/v2/models/stats": _get(
                "statistics", "How often all models were asked, and how long it took", "Statistics", 401
            ),
            "/v2/repository/index": {
                "post": _operation("repository_index", "Every version of every model", "Index", 400, 401, 408, 413, 415)
            },
            **_of_model("/v2/models/{model_name}", "model"),
            **_of_model("/v2/models/{model_name}/versions/{model_version}", "model_version"),
        },
        "components": {"schemas": _schemas(), "securitySchemes": SECURITY_SCHEMES},
    }


def _of_model(path: str, name: str) -> Document:
    parameters: list[Document] = [_in_path("model_name", {**_TEXT, "enum": list(MODELS)})]
    if name == "model_version":
        versions = sorted({row.version for rows in MODELS.values() for row in rows})
        parameters.append(_in_path("model_version", {**_TEXT, "enum": [str(version) for version in versions]}))
    infer = _operation(f"{name}_infer", "Reduce a tensor", "InferenceResponse", 400, 401, 404, 408, 413, 415, 503)
    body = {"required": True, "content": json_content(reference("InferenceRequest"))}
    paths = {
        path: _get(f"{name}_metadata", "What a model takes and gives", "ModelMetadata", 404),
        f"{path}/ready": _get(f"{name}_ready", "Whether a model takes requests", "ModelReady", 404),
        f"{path}/config": _get(f"{name}_config", "A model as Triton configures one", "ModelConfig", 404),
        f"{path}/stats": _get(
            f"{name}_statistics", "How often it was asked, and how long it took", "Statistics", 401, 404
        ),
        f"{path}/infer": {"post": infer | {"requestBody": body}},
    }
    return {each: {"parameters": parameters} | operations for each, operations in paths.items()}


def _get(name: str, summary: str, schema: str, *refused: int) -> Document:
    return {"get": _operation(name, summary, schema, *refused)}


def _operation(name: str, summary: str, schema: str, *refused: int) -> Document:
    """`refused`: the statuses of its refusals; an operation without a 401 takes no key."""
    answer = {"description": "The answer.", "content": json_content(reference(schema))}
    error = {"description": "A refusal.", "content": json_content(reference("Error"))}
    errors = {
        str(status): error | ({"headers": RESPONSE_HEADERS[status]} if status in RESPONSE_HEADERS else {})
        for status in sorted({*refused, *OF_A_HEAD})
    }
    operation = {
        "operationId": name,
        "tags": ["Open Inference"],
        "summary": summary,
        "responses": {"200": answer, **errors},
    }
    return operation if 401 in refused else operation | OPEN


def _in_path(name: str, schema: Schema) -> Document:
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _schemas() -> dict[str, Schema]:
    datatype: Schema = {**_TEXT, "enum": list(DATATYPES)}
    # Of no one type: numbers, true and false, and in a text 64-bit integers that a client would round.
    data: Schema = {"type": "array", "items": {}, "description": "Elements, row-major."}
    tensor = {"name": _TEXT, "datatype": datatype, "shape": _SIZES, "parameters": _PARAMETERS}
    described = _object(("name", "datatype", "shape"), **tensor)
    return {
        "ServerMetadata": _object((), name=_TEXT, version=_TEXT, extensions=_list(_TEXT)),
        "Live": _object((), live={"type": "boolean"}),
        "Ready": _object((), ready={"type": "boolean"}),
        "ModelReady": _object((), name=_TEXT, ready={"type": "boolean"}),
        "TensorMetadata": described,
        "ModelMetadata": _object(
            ("name", "versions", "platform", "inputs", "outputs"),
            name=_TEXT,
            versions=_list(_TEXT),
            platform=_TEXT,
            inputs=_list(reference("TensorMetadata")),
            outputs=_list(reference("TensorMetadata")),
            parameters=_PARAMETERS,
        ),
        "ModelConfig": _FREE,
        "ModelStatistics": _FREE,
        "Statistics": _object((), model_stats=_list(reference("ModelStatistics"))),
        "ModelVersion": _object((), name=_TEXT, version=_TEXT, state=_TEXT, reason=_TEXT),
        "Index": _list(reference("ModelVersion")),
        "RequestInput": _object(
            ("name", "datatype", "shape", "data"), **{**tensor, "name": {**_TEXT, "enum": [DATA, AXES]}}, data=data
        ),
        "RequestOutput": _object(("name",), name={**_TEXT, "enum": [REDUCED]}, parameters=_PARAMETERS),
        "InferenceRequest": _object(
            ("inputs",),
            id=_TEXT,
            parameters=_PARAMETERS,
            inputs=_list(reference("RequestInput")),
            outputs=_list(reference("RequestOutput")),
        ),
        "ResponseOutput": _object(("name", "datatype", "shape", "data"), **tensor, data=data),
        "InferenceResponse": _object(
            ("model_name", "model_version", "outputs"),
            model_name=_TEXT,
            model_version=_TEXT,
            id=_TEXT,
            outputs=_list(reference("ResponseOutput")),
        ),
        "Error": _object((), error=_TEXT),
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _object(required: tuple[str, ...], **properties: Any) -> Schema:
    """An object whose members are all required if none are named."""
    return {"type": "object", "properties": properties, "required": list(required or properties)}
