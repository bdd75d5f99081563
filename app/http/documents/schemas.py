"""JSON schemas of what goes over the wire, made from the rows of the table.

Generated clients decide how they are written. Elements have no type: their depth is the tensor's rank, and generators
drop a schema that recurses. An answer is one object with `values` or `base64`, not a choice between two: elements of
any type leave generators nothing to choose by. Flags are 0 and 1, though true and false are read as well: of a choice
between integers and booleans, generators make classes that do not compile.
"""

from typing import Any

from pydantic.json_schema import models_json_schema

from app.http.health import Health, Version
from app.http.pages.operator import OperatorPage, OperatorsIndex
from app.spec.operators import Operator
from app.spec.parameters import Kind, Parameter
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
        f"{name}Request": _exact_object(
            f"A tensor, and the parameters of {operator.name} version {operator.version}.",
            {
                "data": {"oneOf": [reference(f"{name}Values"), reference(f"{name}Base64")]},
                **{parameter.name: parameter_schema(parameter) for parameter in operator.parameters.described()},
                "answer": reference("AnswerOptions"),
            },
            required=("data",),
        ),
        f"{name}Values": _exact_object(
            "A tensor with its elements as JSON.",
            {"dtype": dtype_schema(operator.dtypes), "shape": SHAPE, "values": GIVEN_ELEMENTS},
            required=("dtype", "values"),
        ),
        f"{name}Base64": _exact_object(
            "A tensor with its elements as bytes.",
            {"dtype": dtype_schema(operator.dtypes), "shape": SHAPE, "base64": BYTES},
            required=("dtype", "shape", "base64"),
        ),
        f"{name}Response": _object(
            f"What {operator.name} version {operator.version} answers.",
            {"reduced": reference(f"{name}Reduced")},
            required=("reduced",),
        ),
        f"{name}Reduced": _object(
            "A tensor with its elements either as values or as base64.",
            {"dtype": dtype_schema(answered), "shape": SHAPE, "values": ANSWERED_ELEMENTS, "base64": BYTES},
            required=("dtype", "shape"),
        ),
    }


def shared_schemas() -> dict[str, Schema]:
    """What all operators have in common."""
    _, answered = models_json_schema(
        [(model, "serialization") for model in (OperatorPage, OperatorsIndex, Health, Version)],
        ref_template="#/components/schemas/{model}",
    )
    return {
        "AnswerOptions": ANSWER_OPTIONS,
        "Problem": PROBLEM,
        **{name: _without_titles(schema) for name, schema in answered["$defs"].items()},
    }


def _object(description: str, properties: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(required),
    }


def _exact_object(description: str, properties: dict[str, Schema], required: tuple[str, ...]) -> Schema:
    """An object without other members, as requests are held to."""
    return _object(description, properties, required) | {"additionalProperties": False}


def dtype_schema(dtypes: tuple[str, ...]) -> Schema:
    return {"type": "string", "enum": list(dtypes), "description": "The type of every element."}


def parameter_schema(parameter: Parameter) -> Schema:
    axis: Schema = {
        "type": "integer",
        "minimum": -MAX_RANK if parameter.negative else 0,
        "maximum": MAX_RANK - 1,
    }
    match parameter.kind:
        case Kind.AXES:
            words = f"{parameter.description} Each lies in {parameter.accepted}, where r is the rank of data."
            return {"type": "array", "items": axis, "maxItems": MAX_RANK, "description": words}
        case Kind.AXIS:
            words = f"{parameter.description} It lies in {parameter.accepted}, where r is the rank of data."
            return {**axis, "default": parameter.default, "description": words}
        case Kind.FLAG:
            flag: Schema = {"type": "integer", "minimum": 0, "maximum": 1}
            return {**flag, "default": parameter.default, "description": parameter.description}


def _without_titles(schema: Schema) -> Schema:
    """The schema without the titles that pydantic derives from attribute names."""
    properties = {
        name: {key: value for key, value in field.items() if key != "title"}
        for name, field in schema["properties"].items()
    }
    return {key: value for key, value in schema.items() if key != "title"} | {"properties": properties}


SHAPE: Schema = {
    "type": "array",
    "items": {"type": "integer", "format": "int64", "minimum": 0},
    "maxItems": MAX_RANK,
    "description": "The size of every dimension, outermost first; [] is a scalar.",
}

BYTES: Schema = {
    "type": "string",
    "format": "byte",
    "description": "The elements in row-major order, little-endian, in base64 (RFC 4648, section 4).",
}

GIVEN_ELEMENTS: Schema = {
    "description": "The elements, nested, or flat in row-major order with a shape beside them, or a bare element where "
    'the shape is []. NaN and infinities are "NaN", "Infinity" and "-Infinity"; 64-bit integers may be text.',
}

ANSWERED_ELEMENTS: Schema = {
    "description": "The elements, nested as the shape says, or a bare element where it is []. NaN and infinities are "
    '"NaN", "Infinity" and "-Infinity"; 64-bit integers are numbers, or text where that was asked for.',
}

ANSWER_OPTIONS = _exact_object(
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
)

PROBLEM = _object(
    "Why a request was not answered (RFC 9457).",
    {
        "type": {"type": "string", "format": "uri-reference", "description": "What went wrong; stable."},
        "title": {"type": "string", "description": "The type in words."},
        "status": {"type": "integer", "description": "The HTTP status."},
        "detail": {"type": "string", "description": "The value, the rule and what would be accepted."},
        "place": {
            "type": "string",
            "description": "A JSON pointer into the request; a query counts as an object of its parameters.",
        },
    },
    required=("type", "title", "status", "detail"),
)
