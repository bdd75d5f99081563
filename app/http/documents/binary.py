"""The OpenAPI document of binary bodies: the tensor is the body, the parameters stand in the query."""

from operator import attrgetter
from typing import Any

from app.http.documents.openapi import (
    REQUEST_ID,
    RESPONSES,
    SECURITY_SCHEMES,
    Document,
    json_content,
    operator_tags,
    preface,
    problem_responses,
    reduce_id,
    refusals,
)
from app.http.documents.provoked import provoked
from app.http.documents.schemas import (
    PROBLEM,
    SHAPE,
    Schema,
    dtype_schema,
    operator_schemas,
    parameter_schema,
    reference,
    stem,
)
from app.spec.definitions import DEFINITIONS, description
from app.spec.operators import OPERATORS, Operator
from app.tensors import npy
from app.tensors.formats import STREAMED

ABOUT = (
    "Tensors as they are. The body of POST is an npy file (versions 1 to 3, both byte orders, C and Fortran order; "
    "bfloat16 is V2), or elements alone, row-major and little-endian, with dtype and shape in the query. They are "
    "reduced as they arrive, so they may be larger than memory. Parameters stand in the query. Content-Encoding may be "
    "gzip or zstd. The answer is JSON unless Accept prefers a binary format; X-Dtype and X-Shape describe elements "
    "alone."
)

BYTES: Schema = {"type": "string", "format": "binary"}


def build_binary() -> Document:
    """The whole document. Equal on every call: it depends on the table and the version of the package alone."""
    return {
        **preface(ABOUT),
        "tags": operator_tags(),
        "paths": {operator.path: {"post": _post(operator)} for operator in OPERATORS},
        "components": {
            "schemas": {
                **{name: schema for operator in OPERATORS for name, schema in _answers(operator).items()},
                "Problem": PROBLEM,
            },
            "responses": problem_responses(provoked(lambda: npy.preamble(b"3, 1, 2", ""), attrgetter("stream_limit"))),
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def _post(operator: Operator) -> dict[str, Any]:
    bodies = {media_type: {"schema": BYTES} for media_type in STREAMED}
    return {
        "operationId": f"{reduce_id(operator)}_binary",
        "tags": [operator.name],
        "summary": f"{operator.name} version {operator.version}: {DEFINITIONS[operator.name].summary.lower()}",
        "description": "\n\n".join(description(operator)),
        "parameters": [
            *(_in_query(each.name, parameter_schema(each)) for each in operator.parameters.described()),
            _in_query("dtype", dtype_schema(operator.dtypes) | {"description": "Of an octet-stream: its dtype."}),
            _in_query("shape", SHAPE | {"description": "Of an octet-stream: its shape; empty for a scalar."}),
        ],
        "requestBody": {"required": True, "content": bodies},
        "responses": {
            "200": {
                "description": "The reduced tensor.",
                "headers": REQUEST_ID
                | {
                    "X-Dtype": {"description": "Of an octet-stream: its dtype.", "schema": {"type": "string"}},
                    "X-Shape": {"description": "Of an octet-stream: its shape, 2,3.", "schema": {"type": "string"}},
                },
                "content": json_content(reference(f"{stem(operator)}Response")) | bodies,
            },
            **refusals(*RESPONSES),
        },
    }


def _answers(operator: Operator) -> dict[str, Schema]:
    names = (f"{stem(operator)}Response", f"{stem(operator)}Reduced")
    return {name: schema for name, schema in operator_schemas(operator).items() if name in names}


def _in_query(name: str, schema: Schema) -> dict[str, Any]:
    described = {key: value for key, value in schema.items() if key != "description"}
    found = {"name": name, "in": "query", "description": schema["description"], "schema": described}
    return found | ({"style": "form", "explode": False} if schema["type"] == "array" else {})
