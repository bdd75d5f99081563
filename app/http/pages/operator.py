"""The page of an operator version: everything the table says about it, for programs and for readers."""

from functools import cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from app.spec.definitions import DEFINITIONS, description
from app.spec.dtypes import ONNX_NAMES
from app.spec.history import Changes, ParameterChange, Written, changes
from app.spec.operators import OPERATORS, SERVING, Operator, versions_of
from app.spec.parameters import Parameter

Fact = Literal["role", "type", "default", "range"]


class Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class Input(Part):
    """`in_request`: what stands for it in a JSON request, where `type` is that of a model."""

    name: str
    type: str
    in_request: str
    optional: bool
    range: str | None
    description: str


class Output(Part):
    name: str
    type: str
    description: str


class Attribute(Part):
    """`default` is None where an absent attribute means more than a value could say: all axes."""

    name: str
    type: str
    default: int | None
    range: str
    description: str


class TypeConstraint(Part):
    """What a type letter stands for: `types` as ONNX spells them, `dtypes` in the same order as requests do."""

    name: str
    description: str
    types: tuple[str, ...]
    dtypes: tuple[str, ...]


class Difference(Part):
    """One declared fact of a parameter that is not what it was."""

    parameter: str
    fact: Fact
    old: str
    new: str


class Differences(Part):
    """Differences from the previous version."""

    old_version: int
    new_version: int
    # Something that was accepted is refused, or axes became an input: which, and whether it concerns requests too.
    breaking: bool
    breaking_because: tuple[str, ...]
    breaking_for: tuple[Written, ...]
    types_added: tuple[str, ...]
    types_removed: tuple[str, ...]
    dtypes_added: tuple[str, ...]
    dtypes_removed: tuple[str, ...]
    parameters_added: tuple[str, ...]
    parameters_removed: tuple[str, ...]
    parameters_changed: tuple[Difference, ...]
    rules_changed: tuple[str, ...]


class Opsets(Part):
    """The first and the last opset a version serves."""

    first: int
    last: int


class OperatorPage(Part):
    """Everything about an operator version."""

    domain: str
    name: str
    since_version: int
    latest_version: int
    versions: tuple[int, ...]
    opsets: Opsets
    path: str
    summary: str
    description: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    attributes: tuple[Attribute, ...]
    type_constraints: tuple[TypeConstraint, ...]
    differences: Differences | None


class OperatorsIndex(Part):
    """The whole table."""

    operators: tuple[OperatorPage, ...]


DATA = Input(
    name="data",
    type="T",
    in_request="an object with dtype, shape, and values or base64",
    optional=False,
    range=None,
    description="The tensor to reduce.",
)


@cache
def operator_page(operator: Operator) -> OperatorPage:
    """The page of one row of the table."""
    versions = tuple(row.version for row in versions_of(operator.name))
    parameters = operator.parameters.described()
    found = changes(operator)
    return OperatorPage(
        domain="ai.onnx",
        name=operator.name,
        since_version=operator.version,
        latest_version=versions[-1],
        versions=versions,
        opsets=_opsets(operator),
        path=operator.path,
        summary=DEFINITIONS[operator.name].summary,
        description="\n\n".join(description(operator)),
        inputs=(
            DATA,
            *(_input(parameter) for parameter in parameters if parameter.role == "input"),
        ),
        outputs=(_output(operator),),
        attributes=tuple(_attribute(parameter) for parameter in parameters if parameter.role == "attribute"),
        type_constraints=(_type_constraint(operator),),
        differences=None if found is None else _differences(found),
    )


@cache
def operators_index() -> OperatorsIndex:
    """The pages of all rows, in the order of the table."""
    return OperatorsIndex(operators=tuple(operator_page(operator) for operator in OPERATORS))


def _opsets(operator: Operator) -> Opsets:
    served = [opset for opset, row in SERVING[operator.path_name].items() if row is operator]
    return Opsets(first=served[0], last=served[-1])


def _input(parameter: Parameter) -> Input:
    return Input(
        name=parameter.name,
        type=parameter.type,
        in_request="a list of integers",
        optional=True,
        range=parameter.accepted,
        description=parameter.description,
    )


def _output(operator: Operator) -> Output:
    positions = operator.output != "T"
    words = "The positions found, counted from 0 along the axis." if positions else "The reduced tensor."
    return Output(name="reduced", type=ONNX_NAMES[operator.output] if positions else "T", description=words)


def _attribute(parameter: Parameter) -> Attribute:
    return Attribute(
        name=parameter.name,
        type=parameter.type,
        default=parameter.default,
        range=parameter.accepted,
        description=parameter.description,
    )


def _type_constraint(operator: Operator) -> TypeConstraint:
    dtypes = sorted(operator.dtypes, key=lambda dtype: ONNX_NAMES[dtype])
    whose = "data and of the answer" if operator.output == "T" else "data"
    return TypeConstraint(
        name="T",
        description=f"The element type of {whose}.",
        types=tuple(ONNX_NAMES[dtype] for dtype in dtypes),
        dtypes=tuple(dtypes),
    )


def _differences(found: Changes) -> Differences:
    return Differences(
        old_version=found.old_version,
        new_version=found.new_version,
        breaking=found.breaking,
        breaking_because=found.breaking_because,
        breaking_for=found.breaking_for,
        types_added=tuple(ONNX_NAMES[dtype] for dtype in found.dtypes_added),
        types_removed=tuple(ONNX_NAMES[dtype] for dtype in found.dtypes_removed),
        dtypes_added=found.dtypes_added,
        dtypes_removed=found.dtypes_removed,
        parameters_added=tuple(parameter.name for parameter in found.parameters_added),
        parameters_removed=tuple(parameter.name for parameter in found.parameters_removed),
        parameters_changed=tuple(fact for change in found.parameters_changed for fact in _facts(change)),
        rules_changed=tuple(rule.words for rule in found.rules_changed),
    )


def _facts(change: ParameterChange) -> list[Difference]:
    old, new = change.old, change.new
    facts: dict[Fact, tuple[str, str]] = {
        "role": (old.role, new.role),
        "type": (old.type, new.type),
        "default": (_default(old), _default(new)),
        "range": (old.accepted, new.accepted),
    }
    return [
        Difference(parameter=new.name, fact=fact, old=before, new=after)
        for fact, (before, after) in facts.items()
        if before != after
    ]


def _default(parameter: Parameter) -> str:
    return "none" if parameter.default is None else str(parameter.default)
