"""Names that are not known are quoted, and the one that was meant is named."""

from collections.abc import Callable

import pytest

from app.names import nearest, quoted
from app.spec.operators import OPERATORS, SERVING, meant_operator


@pytest.mark.parametrize(
    ("name", "shown"),
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
def test_a_name_is_quoted_cut_and_visible(name: str, shown: str) -> None:
    assert quoted(name) == shown


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
