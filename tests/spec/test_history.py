"""The differences between versions, derived from the table."""

from app.spec.history import changes, dtype_refusal
from app.spec.operators import OPERATORS, Operator, resolve


def breaking_versions(path_name: str) -> list[int]:
    rows = [operator for operator in OPERATORS if operator.path_name == path_name]
    return [row.version for row in rows if (found := changes(row)) is not None and found.breaking]


def test_a_first_version_has_no_differences() -> None:
    assert {operator.version for operator in OPERATORS if changes(operator) is None} == {1}


def test_every_later_version_has_some() -> None:
    for operator in OPERATORS:
        found = changes(operator)
        if found is not None:
            assert found.new_version == operator.version > found.old_version
            assert (
                found.dtypes_added
                or found.dtypes_removed
                or found.parameters_added
                or found.parameters_changed
                or found.rules_changed
            )


def test_reduce_min_12_adds_bytes_and_nothing_else() -> None:
    found = changes(resolve("reduce_min", 12))
    assert found is not None
    assert (found.old_version, found.new_version, found.breaking) == (11, 12, False)
    assert found.dtypes_added == ("int8", "uint8")
    parameters = (found.parameters_added, found.parameters_changed, found.parameters_removed)
    assert (found.dtypes_removed, parameters) == ((), ((), (), ()))


def test_reduce_sum_11_allows_negative_axes_and_adds_the_flag() -> None:
    found = changes(resolve("reduce_sum", 11))
    assert found is not None
    assert [parameter.name for parameter in found.parameters_added] == ["noop_with_empty_axes"]
    assert [(c.old.accepted, c.new.accepted) for c in found.parameters_changed] == [("[0, r-1]", "[-r, r-1]")]
    assert not found.breaking


def test_arg_min_12_adds_select_last_index_and_takes_empty_tensors() -> None:
    found = changes(resolve("arg_min", 12))
    assert found is not None
    assert [parameter.name for parameter in found.parameters_added] == ["select_last_index"]
    assert found.rules_changed
    assert not found.breaking


def test_versions_break_where_axes_became_an_input_dtypes_went_or_a_rule_is_stricter() -> None:
    assert breaking_versions("reduce_min") == [18]
    assert breaking_versions("reduce_sum") == [13]
    assert breaking_versions("reduce_log_sum") == [18, 28]
    assert breaking_versions("arg_min") == breaking_versions("arg_max") == [11]


def test_why_a_version_breaks_is_said() -> None:
    def words(path_name: str, version: int) -> tuple[str, ...]:
        found = changes(resolve(path_name, version))
        assert found is not None
        return found.breaking_because

    assert words("reduce_min", 18) == ("axes became an input: models must change, requests here do not",)
    assert words("reduce_log_sum", 28) == ("int32, int64, uint32, uint64: no longer accepted",)
    assert words("arg_min", 11) == ("a tensor without elements is refused, whichever dimension has size 0",)
    assert words("arg_min", 12) == ()


def test_axes_that_became_an_input_break_models_alone() -> None:
    broken = {operator.path: found.breaking_for for operator in OPERATORS if (found := changes(operator)) is not None}
    assert broken["/v18/reduce_min"] == broken["/v13/reduce_sum"] == ("models",)
    assert broken["/v28/reduce_log_sum"] == broken["/v11/arg_min"] == ("models", "requests")
    assert broken["/v12/arg_min"] == broken["/v12/reduce_min"] == ()


def test_a_refused_dtype_is_told_since_or_until_when_it_is_accepted() -> None:
    def words(path_name: str, opset: int, dtype: str) -> str:
        operator: Operator = resolve(path_name, opset)
        assert dtype not in operator.dtypes
        return dtype_refusal(operator, dtype)

    assert words("reduce_min", 11, "int8").endswith("int8 is accepted since version 12")
    assert words("reduce_min", 18, "bool").endswith("bool is accepted since version 20")
    assert words("reduce_log_sum", 28, "int32").endswith(
        "int32 is accepted until version 18, which serves opsets up to 27"
    )
    assert "no version does; this one accepts float16, float32, " in words("reduce_sum", 13, "int16")
