"""Names that are not known are quoted, and the one that was meant is named."""

from collections.abc import Callable

import pytest

from app.names import nearest, pointer, quoted, shown
from app.spec.operators import OPERATORS, SERVING, meant_operator
from app.tensors.conversion import Integer
from app.tensors.skeleton import NotFinite


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mean", '"mean"'),
        ("größe", '"größe"'),
        ('a"b', '"a\\"b"'),
        ("a\n\x1b[31m\x7f", '"a\\n\\u001b[31m\\u007f"'),
        ("a\u202eb", '"a\\u202eb"'),
        ("\ud800", '"\\ud800"'),
        ("x" * 40, f'"{"x" * 40}"'),
        ("x" * 41, f'"{"x" * 40}…"'),
        ("\0" * 10_000, f'"{chr(92)}u0000{(chr(92) + "u0000") * 39}…"'),
    ],
    ids=repr,
)
def test_a_name_is_quoted_cut_and_visible(name: str, text: str) -> None:
    assert quoted(name) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.5, "1.5"),
        (float("nan"), "NaN"),
        (-3, "-3"),
        (2**128 - 1, str(2**128 - 1)),
        (1 - 2**128, str(1 - 2**128)),
        (2**128, "an integer beyond 128 bits"),
        (10**5000, "an integer beyond 128 bits"),
        ("x" * 41, f'"{"x" * 40}…" (41 characters)'),
        (Integer("7" * 41), f"{'7' * 40}… (41 characters)"),
        (NotFinite.of("-1e999"), "-1e999"),
        ({"a": 1}, "an object"),
        ([1], "a list"),
        ((1,), "a list"),
        (b"x", "of the type bytes"),
    ],
    ids=range(16),
)
def test_a_value_is_shown_as_json_has_it(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_pointer_has_no_long_names() -> None:
    assert pointer("a/b~", 3) == "/a~1b~0/3"
    assert pointer("x" * 40) == f"/{'x' * 40}"
    assert pointer("x" * 41, 3) == ""


def test_onnx_names_lead_to_those_of_paths() -> None:
    for operator in OPERATORS:
        assert nearest(operator.name, SERVING) == f" (did you mean {operator.path_name}?)"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("reduce_mni", "reduce_min"),
        ("reduce_mn", "reduce_min"),
        ("reduce-min", "reduce_min"),
        ("ReduceMin", "reduce_min"),
        ("reducemax", "reduce_max"),
        ("argmin", "arg_min"),
        ("argmax", "arg_max"),
        ("reduce-l2", "reduce_l2"),
        ("reduce_sumsqaure", "reduce_sum_square"),
    ],
)
def test_a_slip_leads_to_what_was_meant(name: str, meant: str) -> None:
    assert nearest(name, SERVING) == f" (did you mean {meant}?)"


@pytest.mark.parametrize(
    "spelled", [str, str.upper, lambda name: name.replace("_", ""), lambda name: name.replace("_", "-")]
)
def test_operators_may_lack_what_most_begin_with(spelled: Callable[[str], str]) -> None:
    for operator in SERVING:
        assert meant_operator(spelled(operator)) == operator
        assert meant_operator(spelled(operator.removeprefix("reduce_"))) == operator


@pytest.mark.parametrize(
    "name", ["", "softmax", "sin", "mix", "std", "var", "any", "median", "l3", "reduce_", "x" * 9999]
)
def test_what_is_no_operator_without_it_leads_to_none(name: str) -> None:
    assert meant_operator(name) == ""


@pytest.mark.parametrize(
    "name", ["", "softmax", "reduce_var", "reduce_std", "reduce_all", "x" * 40, "reduce_min" * 1000]
)
def test_what_is_far_from_all_leads_to_none(name: str) -> None:
    assert nearest(name, SERVING) == ""
