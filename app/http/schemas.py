"""JSON schemas of what goes over the wire, made from the rows of the table.

The element lists are `items: {}`: their depth is the tensor's rank, and a schema that recurses is one that client
generators drop. Requests and answers have components of their own, so that no generator has to split them.
"""

from typing import Any

from pydantic.json_schema import models_json_schema

from app.http.pages import OperatorPage, OperatorsIndex
from app.spec.operators import Operator
from app.spec.parameters import Parameter
from app.tensors.nesting import MAX_RANK

Schema = dict[str, Any]


def reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def stem(operator: Operator) -> str:
    """What the components of an operator version begin with: ReduceMinV12."""
    return f"{operator.name}V{operator.version}"


def operator_schemas(operator: Operator) -> dict[str, Schema]:
    """The request and the response of an operator version, and the tensors in them."""
    name = stem(operator)
    answered = operator.dtypes if operator.output == "T" else (operator.output,)
    return {
        f"{name}Request": _object(
            f"A tensor, and the parameters of {operator.name} version {operator.version}.",
            {
                "data": _either(f"{name}Values", f"{name}Base64"),
                **{parameter.name: _parameter(parameter) for parameter in operator.parameters.described()},
                "answer": reference("AnswerOptions"),
            },
            required=("data",),
            closed=True,
        ),
        f"{name}Values": _values(operator.dtypes, GIVEN_ELEMENTS, ("dtype", "values"), closed=True),
        f"{name}Base64": _base64(operator.dtypes, closed=True),
        f"{name}Response": _object(
            f"What {operator.name} version {operator.version} answers.",
            {"reduced": _either(f"{name}ReducedValues", f"{name}ReducedBase64")},
            required=("reduced",),
        ),
        f"{name}ReducedValues": _values(answered, ANSWERED_ELEMENTS, ("dtype", "shape", "values")),
        f"{name}ReducedBase64": _base64(answered),
    }


def shared_schemas() -> dict[str, Schema]:
    """What all operators have in common."""
    _, pages = models_json_schema(
        [(OperatorPage, "serialization"), (OperatorsIndex, "serialization")],
        ref_template="#/components/schemas/{model}",
    )
    return {
        "AnswerOptions": ANSWER_OPTIONS,
        "Problem": PROBLEM,
        "Health": HEALTH,
        "Version": VERSION,
        **{name: _without_titles(schema) for name, schema in pages["$defs"].items()},
    }


def _object(description: str, properties: dict[str, Schema], required: tuple[str, ...], closed: bool = False) -> Schema:
    schema: Schema = {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(required),
    }
    return schema | {"additionalProperties": False} if closed else schema


def _either(*names: str) -> Schema:
    return {"oneOf": [reference(name) for name in names]}


def _values(dtypes: tuple[str, ...], elements: Schema, required: tuple[str, ...], closed: bool = False) -> Schema:
    properties = {"dtype": _dtype(dtypes), "shape": _shape(), "values": elements}
    return _object("A tensor with its elements as JSON.", properties, required, closed)


def _base64(dtypes: tuple[str, ...], closed: bool = False) -> Schema:
    content = {
        "type": "string",
        "format": "byte",
        "description": "The elements in row-major order, little-endian, in base64 (RFC 4648, section 4).",
    }
    properties = {"dtype": _dtype(dtypes), "shape": _shape(), "base64": content}
    return _object("A tensor with its elements as bytes.", properties, ("dtype", "shape", "base64"), closed)


def _dtype(dtypes: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": list(dtypes), "description": "The type of every element."}


def _shape() -> Schema:
    return {
        "type": "array",
        "items": {"type": "integer", "format": "int64", "minimum": 0},
        "maxItems": MAX_RANK,
        "description": "The size of every dimension, outermost first; [] is a scalar.",
    }


def _parameter(parameter: Parameter) -> Schema:
    axis: Schema = {
        "type": "integer",
        "minimum": -MAX_RANK if parameter.accepted.startswith("[-r") else 0,
        "maximum": MAX_RANK - 1,
    }
    flag: Schema = {"type": "integer", "minimum": 0, "maximum": 1}
    if parameter.name == "axes":
        words = f"{parameter.description} Each lies in {parameter.accepted}, where r is the rank of data."
        return {"type": "array", "items": axis, "maxItems": MAX_RANK, "description": words}
    if parameter.name == "axis":
        words = f"{parameter.description} It lies in {parameter.accepted}, where r is the rank of data."
        return {**axis, "default": parameter.default, "description": words}
    return {**flag, "default": parameter.default, "description": parameter.description}


def _without_titles(schema: Schema) -> Schema:
    """The schema without the titles that pydantic derives from attribute names."""
    properties = {
        name: {key: value for key, value in field.items() if key != "title"}
        for name, field in schema["properties"].items()
    }
    return {key: value for key, value in schema.items() if key != "title"} | {"properties": properties}


GIVEN_ELEMENTS: Schema = {
    "type": "array",
    "items": {},
    "description": "The elements, nested, or flat in row-major order with a shape beside them. NaN and infinities are "
    '"NaN", "Infinity" and "-Infinity"; 64-bit integers may be text.',
}

ANSWERED_ELEMENTS: Schema = {
    "description": "The elements, nested as the shape says, or a bare element where it is []. NaN and infinities are "
    '"NaN", "Infinity" and "-Infinity"; 64-bit integers are numbers, or text where that was asked for.',
}

ANSWER_OPTIONS = _object(
    "How the answer is to be written.",
    {
        "encoding": {
            "type": "string",
            "enum": ["values", "base64"],
            "description": "How its elements are written; if not given, as those of the request.",
        },
        "integers": {
            "type": "string",
            "enum": ["number", "string"],
            "default": "number",
            "description": "How 64-bit integers are written among values; string where numbers are doubles.",
        },
    },
    required=(),
    closed=True,
)

PROBLEM = _object(
    "Why a request was not answered (RFC 9457).",
    {
        "type": {"type": "string", "format": "uri-reference", "description": "What went wrong; stable."},
        "title": {"type": "string", "description": "The type in words."},
        "status": {"type": "integer", "description": "The HTTP status."},
        "detail": {"type": "string", "description": "The value, the rule and what would be accepted."},
        "place": {"type": "string", "description": "A JSON pointer to where it stands in the request."},
    },
    required=("type", "title", "status", "detail"),
)

HEALTH = _object("How the service is.", {"status": {"type": "string"}}, required=("status",))

VERSION = _object("What is running.", {"version": {"type": "string"}}, required=("version",))
