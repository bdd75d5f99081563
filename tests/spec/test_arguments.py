"""What callers write, and what the parameter classes make of it."""

import pytest

from app.errors import AxisOutOfRange, DuplicateAxis, InvalidParameter, Refusal, UnknownParameter
from app.spec.arguments import parse_parameters
from app.spec.operators import OPERATORS, Operator, resolve
from app.spec.parameters import Reduction

every_row = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.path)


def reduction(path: str, rank: int, **fields: object) -> Reduction:
    version, name = path.removeprefix("v").split("/")
    return parse_parameters(resolve(name, int(version)), fields).reduction(rank)


@every_row
def test_null_means_not_given(operator: Operator) -> None:
    nulls = dict.fromkeys(operator.parameters.model_fields)
    assert parse_parameters(operator, nulls) == parse_parameters(operator, {})


@every_row
@pytest.mark.parametrize("value", [2, -1, 0.0, 1.0, "1", "true", [1], {}, 2**70, float("nan")], ids=repr)
def test_a_flag_is_0_or_1(operator: Operator, value: object) -> None:
    for name in operator.parameters.model_fields.keys() - {"axes", "axis"}:
        with pytest.raises(InvalidParameter, match=f"{name} must be 0 or 1") as refused:
            parse_parameters(operator, {name: value})
        assert refused.value.place == f"/{name}"


@every_row
@pytest.mark.parametrize(("value", "meaning"), [(0, False), (1, True), (False, False), (True, True)])
def test_booleans_are_flags_too(operator: Operator, value: object, meaning: bool) -> None:
    assert parse_parameters(operator, {"keepdims": value}).keepdims is meaning


@every_row
@pytest.mark.parametrize("value", [1.0, True, "1", [1], {}, float("inf")], ids=repr)
def test_an_axis_is_an_integer(operator: Operator, value: object) -> None:
    single = "axis" in operator.parameters.model_fields
    fields = {"axis": value} if single else {"axes": [0, value]}
    with pytest.raises(InvalidParameter, match="an axis must be an integer") as refused:
        parse_parameters(operator, fields)
    assert refused.value.place == ("/axis" if single else "/axes/1")


@pytest.mark.parametrize(
    ("path", "fields", "said"),
    [
        ("v12/reduce_min", {"keepdims": "0"}, 'keepdims must be 0 or 1, not "0"; write it without quotes'),
        ("v12/reduce_min", {"keepdims": "true"}, 'keepdims must be 0 or 1, not "true"; write it without quotes'),
        ("v12/reduce_min", {"keepdims": "2"}, 'keepdims must be 0 or 1, not "2"'),
        ("v12/reduce_min", {"keepdims": "True"}, 'keepdims must be 0 or 1, not "True"'),
        ("v12/reduce_min", {"axes": [0, "-1"]}, 'an axis must be an integer, not "-1"; write it without quotes'),
        ("v12/reduce_min", {"axes": ["01"]}, 'an axis must be an integer, not "01"'),
        ("v12/reduce_min", {"axes": "1"}, 'axes must be a list of integers, not "1"'),
        ("v12/arg_min", {"axis": "1"}, 'an axis must be an integer, not "1"; write it without quotes'),
        ("v12/arg_min", {"axis": "9" * 19}, f'an axis must be an integer, not "{"9" * 19}"'),
    ],
)
def test_what_is_right_but_for_its_quotes_is_told_so(path: str, fields: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        reduction(path, 2, **fields)
    assert str(refused.value) == said


@pytest.mark.parametrize("value", [0, "0", {"0": 0}, True], ids=repr)
def test_axes_are_a_list(value: object) -> None:
    with pytest.raises(InvalidParameter, match="axes must be a list of integers") as refused:
        reduction("v13/reduce_sum", 2, axes=value)
    assert refused.value.place == "/axes"


def test_no_axes_are_all_axes() -> None:
    ways: tuple[dict[str, object], ...] = ({}, {"axes": None}, {"axes": []})
    for fields in ways:
        assert reduction("v18/reduce_min", 3, **fields) == Reduction((0, 1, 2), keepdims=True)
        assert reduction("v12/reduce_min", 0, **fields) == Reduction((), keepdims=True)


def test_axes_come_out_sorted_and_from_the_front() -> None:
    assert reduction("v12/reduce_min", 3, axes=[-1, 0], keepdims=0) == Reduction((0, 2), keepdims=False)


def test_noop_with_empty_axes_needs_both_the_flag_and_no_axes() -> None:
    for path in ("v11/reduce_sum", "v13/reduce_sum", "v18/reduce_l2"):
        assert reduction(path, 2, noop_with_empty_axes=1) == Reduction((), keepdims=True, elementwise=True)
        assert reduction(path, 2, noop_with_empty_axes=1, axes=[1]) == Reduction((1,), keepdims=True)
        assert reduction(path, 2, noop_with_empty_axes=0) == Reduction((0, 1), keepdims=True)


def test_select_last_index_is_the_last_of_equals() -> None:
    assert reduction("v12/arg_min", 2, axis=-1, select_last_index=1) == Reduction((1,), keepdims=True, last=True)
    assert reduction("v12/arg_min", 2) == Reduction((0,), keepdims=True, last=False)


@pytest.mark.parametrize(
    ("path", "rank", "fields", "message", "place"),
    [
        ("v12/reduce_min", 2, {"axes": [0, 3]}, "axis 3 is outside [-2, 1] for a rank 2 tensor", "/axes/1"),
        ("v12/reduce_min", 2, {"axes": [-3]}, "axis -3 is outside [-2, 1] for a rank 2 tensor", "/axes/0"),
        ("v1/reduce_min", 2, {"axes": [-1]}, "axis -1 is outside [0, 1] for a rank 2 tensor", "/axes/0"),
        (
            "v12/reduce_min",
            2,
            {"axes": [2**40]},
            "axis 1099511627776 is outside [-2, 1] for a rank 2 tensor",
            "/axes/0",
        ),
        (
            "v12/reduce_min",
            2,
            {"axes": [-(2**64)]},
            "axis -18446744073709551616 is outside [-2, 1] for a rank 2 tensor",
            "/axes/0",
        ),
        (
            "v12/reduce_min",
            2,
            {"axes": [10**5000]},
            "axis beyond 128 bits is outside [-2, 1] for a rank 2 tensor",
            "/axes/0",
        ),
        ("v12/reduce_min", 0, {"axes": [0]}, "axis 0 does not exist in a rank 0 tensor, which has no axes", "/axes/0"),
        ("v1/arg_min", 2, {"axis": -1}, "axis -1 is outside [0, 1] for a rank 2 tensor", "/axis"),
        ("v13/arg_max", 0, {}, "axis 0 does not exist in a rank 0 tensor, which has no axes", "/axis"),
    ],
)
def test_an_axis_outside_the_tensor_is_refused_with_the_range(
    path: str, rank: int, fields: dict[str, object], message: str, place: str
) -> None:
    with pytest.raises(AxisOutOfRange) as refused:
        reduction(path, rank, **fields)
    assert (str(refused.value), refused.value.place) == (message, place)


@pytest.mark.parametrize("axes", [[1, 1], [1, -1], [-1, 1]])
def test_an_axis_named_twice_is_refused(axes: list[int]) -> None:
    said = "is listed twice" if axes[0] == axes[1] else "is axis 1, which is listed already"
    said = "is listed already, as -1" if axes[1] > axes[0] else said
    with pytest.raises(DuplicateAxis) as refused:
        reduction("v12/reduce_min", 2, axes=axes)
    accepted = "a rank 2 tensor has axes [-2, 1], each to be listed once"
    assert (str(refused.value), refused.value.place) == (f"axis {axes[1]} {said}; {accepted}", "/axes/1")


@pytest.mark.parametrize(
    ("path", "name", "message"),
    [
        ("v12/reduce_min", "noop_with_empty_axes", "noop_with_empty_axes exists since version 18 of ReduceMin"),
        ("v1/reduce_sum", "noop_with_empty_axes", "noop_with_empty_axes exists since version 11 of ReduceSum"),
        ("v11/arg_max", "select_last_index", "select_last_index exists since version 12 of ArgMax"),
        (
            "v13/arg_max",
            "axes",
            r'of ArgMax has a parameter "axes" \(did you mean axis\?\); version 13 has axis, keepdims',
        ),
        ("v20/reduce_min", "a/b~", 'no version of ReduceMin has a parameter "a/b~"; version 20 has axes'),
    ],
)
def test_an_unknown_parameter_is_refused_with_the_version_that_has_it(path: str, name: str, message: str) -> None:
    for value in (1, None):
        with pytest.raises(UnknownParameter, match=message) as refused:
            reduction(path, 2, **{name: value})
        assert refused.value.place == "/" + name.replace("~", "~0").replace("/", "~1")


def test_a_long_value_is_not_echoed() -> None:
    for value in ("x" * 10_000, [0] * 10_000, 10**5000):
        with pytest.raises(Refusal) as refused:
            reduction("v12/reduce_min", 2, keepdims=value)
        assert len(str(refused.value)) < 100
