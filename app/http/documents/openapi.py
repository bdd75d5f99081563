"""The OpenAPI document: every canonical path with its JSON bodies, made from the rows of the table.

Binary bodies stand in a document of their own (`binary`): generated clients stumble over them.
`python -m app.http.documents.openapi DIRECTORY` writes both, openapi.json and binary.json, and inference.json, the
document of the Open Inference Protocol.
"""

import json
import sys
from collections.abc import Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

from app import __version__
from app.http.documents.provoked import provoked
from app.http.documents.schemas import Schema, operator_schemas, reference, shared_schemas, stem
from app.http.pages.examples import examples
from app.http.problem_document import MEDIA_TYPE
from app.http.problems import EXPECTATION_FAILED, HEAD_TOO_LONG, URL_TOO_LONG
from app.spec.definitions import DEFINITIONS, description
from app.spec.operators import OPERATORS, OPSETS, SERVING, Operator, operator_path
from app.tensors import json_body

Document = dict[str, Any]

ABOUT = (
    "Operators are at /v{opset}/{operator}. POST reduces a tensor, GET describes the version. Each operator version "
    f"has one path here, with the opset that it came with. Any other opset from {OPSETS[0]} to {OPSETS[-1]} answers "
    "as the version that serves it, with Content-Location naming that version's path. Every refusal is a problem "
    "document (RFC 9457)."
)
SERVICE_TAG = "Service"

RESPONSES = {
    400: (
        "BadRequest",
        "The request, a header field or the body is not well-formed (not JSON, cut short, a key given twice).",
    ),
    401: ("Unauthorized", "The API key is missing or unknown."),
    406: ("NotAcceptable", "The service can send none of the media types that Accept allows."),
    408: ("RequestTimeout", "The body did not arrive in time."),
    413: ("ContentTooLarge", "The body is larger than this service takes."),
    414: ("URITooLong", URL_TOO_LONG.meaning),
    415: ("UnsupportedMediaType", "The body has a media type or a content encoding that the service does not read."),
    417: ("ExpectationFailed", EXPECTATION_FAILED.meaning),
    422: (
        "UnprocessableContent",
        "The body is well-formed but breaks a rule; the detail gives the value and the rule.",
    ),
    431: ("RequestHeaderFieldsTooLarge", HEAD_TOO_LONG.meaning),
    503: (
        "ServiceUnavailable",
        "No room, stopping, or out of time; Retry-After says when to try again, where that helps.",
    ),
}
"""The statuses of refusals that the POST of a canonical path has: the response component and when it comes."""

OF_A_HEAD = (400, 414, 417, 431)
"""Those that any request can have, for its head alone."""

NOT_MODIFIED: Document = {"304": {"description": "The caller has it already: If-None-Match named its ETag."}}

CUT_SHORT = b'{"data": {"dtype": "float32", "values": [[3, 1, 2], [9, 7, 8]'
"""A body that is refused as no JSON."""

KEY_OR_NONE: list[Document] = [{}, {"bearer": []}]
"""What takes a key, where the service has some. It stands once for a document and not at each operation, where
openapi-python-client would demand a key of every caller."""

OPEN: Document = {"security": []}
"""What an operation says that never takes a key."""

SECURITY_SCHEMES: Document = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key that the service knows, where KEEPDIMS_API_KEYS or KEEPDIMS_API_KEYS_FILE gives it some.",
    }
}

REQUEST_ID: Document = {
    "X-Request-ID": {"description": "The request's id: the caller's own, if it sent one.", "schema": {"type": "string"}}
}
"""A header of every answer. Request-Timeout, a header of requests, is in no operation: the Java client's methods would
all have another parameter, which every caller would have to give."""

RESPONSE_HEADERS: dict[int, Document] = {
    401: {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}},
    503: {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}}},
}


def build_openapi() -> Document:
    """The whole document. Equal on every call: it depends on the table and the version of the package alone."""
    return _document(ABOUT, [(operator.path, reduce_id(operator), operator) for operator in OPERATORS])


def build_opset(opset: int) -> Document:
    """The operators at one opset, which is all that most programs speak: reduce_min and not reduce_min_v13."""
    about = f"The operators as opset {opset} resolves them. Every refusal is a problem document (RFC 9457)."
    return _document(about, [(operator_path(opset, name), name, serving[opset]) for name, serving in SERVING.items()])


def _document(about: str, paths: list[tuple[str, str, Operator]]) -> Document:
    """A document of paths, each with the operationId of its POST."""
    return {
        **preface(about),
        "tags": [*operator_tags(), {"name": SERVICE_TAG, "description": "The service itself."}],
        "paths": {
            **{path: _operator_path(operation, operator) for path, operation, operator in paths},
            **_service_paths(),
        },
        "components": {
            "schemas": {
                **{name: schema for _, _, row in paths for name, schema in operator_schemas(row).items()},
                **shared_schemas(),
            },
            "responses": problem_responses(provoked(lambda: json_body.decode(CUT_SHORT), attrgetter("text_limit"))),
            "securitySchemes": SECURITY_SCHEMES,
        },
    }


def preface(about: str) -> Document:
    """What every document begins with."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "keepdims",
            "version": __version__,
            "summary": "The ONNX reduction operators, every version of them, with exact answers.",
            "description": about,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": KEY_OR_NONE,
    }


def operator_tags() -> list[Document]:
    """One tag per operator."""
    return [{"name": name, "description": definition.computes} for name, definition in DEFINITIONS.items()]


def problem_responses(shown: Mapping[int, Document]) -> Document:
    """The responses that `refusals` refers to, with an example for each status."""
    return {name: _problem(status, words, shown[status]) for status, (name, words) in RESPONSES.items()}


def reduce_id(operator: Operator) -> str:
    """The operationId of POST: reduce_min_v12."""
    return f"{operator.path_name}_v{operator.version}"


def _operator_path(operation: str, operator: Operator) -> dict[str, Any]:
    name = f"{operator.name} version {operator.version}"
    shown = examples(operator)
    return {
        "post": {
            "operationId": operation,
            "tags": [operator.name],
            "summary": f"{name}: {DEFINITIONS[operator.name].summary.lower()}",
            "description": "\n\n".join(description(operator)),
            "requestBody": {
                "required": True,
                "content": json_content(
                    reference(f"{stem(operator)}Request"),
                    {key: {"summary": example.summary, "value": example.request} for key, example in shown.items()},
                ),
            },
            "responses": {
                "200": {
                    "description": "The reduced tensor, its elements encoded as those of the request were, unless "
                    "answer.encoding says otherwise.",
                    "headers": REQUEST_ID,
                    "content": json_content(
                        reference(f"{stem(operator)}Response"),
                        {key: {"summary": example.summary, "value": example.answer} for key, example in shown.items()},
                    ),
                },
                **refusals(*RESPONSES),
            },
        },
        "get": {
            "operationId": f"describe_{operation}",
            "tags": [operator.name],
            **OPEN,
            "summary": f"What {name} is",
            "description": "Inputs, outputs, attributes, types and what changed; HTML for a browser that asks for it.",
            "responses": {
                "200": _response("The page.", "OperatorPage"),
                **NOT_MODIFIED,
                **refusals(406, *OF_A_HEAD),
            },
        },
    }


def _service_paths() -> dict[str, Any]:
    index = {"200": _response("One page per operator version.", "OperatorsIndex"), **NOT_MODIFIED, **refusals(406)}
    return {
        "/operators": _get(
            "list_operators", "Every operator version", "The pages of all of them, in one answer.", index
        ),
        "/version": _get(
            "version",
            "What is running",
            "Versions of the package and of what it is made of, and a digest of the operator table.",
            {"200": _response("Versions of what matters.", "Version"), **NOT_MODIFIED},
        ),
        "/health/live": _get(
            "health_live",
            "Whether the process is alive",
            "Liveness probe: restart the process if this fails.",
            {"200": _response("It is alive.", "Health")},
        ),
        "/health/ready": _get(
            "health_ready",
            "Whether it takes requests",
            "Readiness probe: send no requests while this answers 503.",
            {"200": _response("It takes requests.", "Health"), **refusals(503)},
        ),
    }


def _get(operation_id: str, summary: str, description: str, responses: dict[str, Any]) -> dict[str, Any]:
    operation = {"operationId": operation_id, "tags": [SERVICE_TAG], "summary": summary, "description": description}
    return {"get": operation | OPEN | {"responses": responses | refusals(*OF_A_HEAD)}}


def _response(words: str, schema: str) -> dict[str, Any]:
    return {"description": words, "content": json_content(reference(schema))}


def json_content(schema: Schema, shown: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"application/json": {"schema": schema} | ({"examples": shown} if shown else {})}


def refusals(*statuses: int) -> dict[str, Any]:
    return {str(status): {"$ref": f"#/components/responses/{RESPONSES[status][0]}"} for status in sorted(statuses)}


def _problem(status: int, words: str, shown: Document) -> dict[str, Any]:
    content = {MEDIA_TYPE: {"schema": reference("Problem"), "example": shown}}
    response: Document = {"description": words, "content": content}
    return response | {"headers": REQUEST_ID | RESPONSE_HEADERS.get(status, {})}


def write(document: Document, path: Path) -> None:
    """Write a document as people read differences: indented, one key a line."""
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    from app.http.documents.binary import build_binary  # they are made of parts of this module
    from app.http.documents.open_inference import build_inference

    write(build_openapi(), Path(sys.argv[1], "openapi.json"))
    write(build_binary(), Path(sys.argv[1], "binary.json"))
    write(build_inference(), Path(sys.argv[1], "inference.json"))
