"""The table against the outside truth: every row as onnx.defs has it."""

from typing import Any

import onnx
import pytest

from app.errors import UnknownOperator, UnknownVersion
from app.spec.dtypes import ONNX_NAMES
from app.spec.operators import LAST_OPSET, OPERATORS, Operator, resolve

NAMES = {operator.name for operator in OPERATORS}
SCHEMAS: dict[tuple[str, int], Any] = {
    (schema.name, schema.since_version): schema
    for schema in onnx.defs.get_all_schemas_with_history()
    if schema.domain == "" and schema.name in NAMES
}

DEVIATIONS = {("ReduceSum", 11): {"noop_with_empty_axes": 0}}
"""Attributes a row has beyond onnx.defs: the published page of ReduceSum-11 describes noop_with_empty_axes."""

every_row = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.path)


def test_there_is_a_row_for_every_version_onnx_knows() -> None:
    assert {(operator.name, operator.version) for operator in OPERATORS} == set(SCHEMAS)
    assert len(OPERATORS) == 53


def test_the_rows_of_an_operator_stand_together_oldest_first() -> None:
    names = list(dict.fromkeys(operator.name for operator in OPERATORS))
    assert list(OPERATORS) == sorted(OPERATORS, key=lambda operator: (names.index(operator.name), operator.version))


@every_row
def test_dtypes_are_those_onnx_allows(operator: Operator) -> None:
    (constraint,) = SCHEMAS[operator.name, operator.version].type_constraints
    assert constraint.type_param_str == "T"
    assert sorted(ONNX_NAMES[dtype] for dtype in operator.dtypes) == sorted(constraint.allowed_type_strs)


@every_row
def test_attributes_and_their_defaults_are_those_of_onnx(operator: Operator) -> None:
    schema = SCHEMAS[operator.name, operator.version]
    expected = {
        name: (a.type.name, a.default_value.i if a.default_value.name else None)
        for name, a in schema.attributes.items()
    }
    extra = DEVIATIONS.get((operator.name, operator.version), {})
    expected |= {name: ("INT", default) for name, default in extra.items()}
    kinds = {"int": "INT", "int[]": "INTS"}
    described = operator.parameters.described()
    assert expected == {p.name: (kinds[p.type], p.default) for p in described if p.role == "attribute"}


@every_row
def test_inputs_and_outputs_are_those_of_onnx(operator: Operator) -> None:
    schema = SCHEMAS[operator.name, operator.version]
    inputs = [(p.name, p.type, "Optional") for p in operator.parameters.described() if p.role == "input"]
    assert [(i.name, i.type_str, i.option.name) for i in schema.inputs] == [("data", "T", "Single"), *inputs]
    output = ONNX_NAMES.get(operator.output, operator.output)
    assert [(o.name, o.type_str) for o in schema.outputs] == [("reduced", output)]


@every_row
def test_a_version_serves_every_opset_until_the_next(operator: Operator) -> None:
    serving = [opset for opset in range(1, LAST_OPSET + 1) if resolve(operator.path_name, opset) is operator]
    later = [row.version for row in OPERATORS if row.name == operator.name and row.version > operator.version]
    assert serving == list(range(operator.version, min([*later, LAST_OPSET + 1])))


def test_paths_are_the_onnx_names_in_snake_case() -> None:
    assert {operator.path_name for operator in OPERATORS} == {
        "reduce_min", "reduce_max", "reduce_sum", "reduce_mean", "reduce_prod", "reduce_l1", "reduce_l2",
        "reduce_sum_square", "reduce_log_sum", "reduce_log_sum_exp", "arg_min", "arg_max",
    }  # fmt: skip


def test_only_arg_11_demands_a_tensor_with_elements() -> None:
    demanding = {(operator.name, operator.version) for operator in OPERATORS if not operator.takes_empty}
    assert demanding == {("ArgMin", 11), ("ArgMax", 11)}


@pytest.mark.parametrize("opset", [0, -1, LAST_OPSET + 1, 10**30])
def test_an_unknown_opset_is_refused_with_what_exists(opset: int) -> None:
    with pytest.raises(
        UnknownVersion,
        match=f"no opset {opset}; opsets 1 to 28 exist; reduce_min has the versions 1, 11, 12, 13, 18, 20",
    ):
        resolve("reduce_min", opset)


def test_an_unknown_operator_is_refused_with_what_exists() -> None:
    with pytest.raises(UnknownOperator) as refused:
        resolve("ReduceMin", 12)
    said = 'there is no operator "ReduceMin" (did you mean reduce_min?); there are reduce_min, reduce_max, reduce_sum,'
    assert str(refused.value).startswith(said)
