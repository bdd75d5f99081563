"""How answers are spelled."""

from json import loads
from math import prod
from typing import Any

import numpy as np
import pytest

from app.blocks import NUMPY_DTYPES, Header, Tensor
from app.tensors.json_answer import encode
from app.tensors.request import AnswerOptions

NAN, INF = float("nan"), float("inf")
NUMBERS = AnswerOptions()


def spelled(dtype: str, values: Any, answer: AnswerOptions = NUMBERS) -> str:
    array = np.array(values, NUMPY_DTYPES[dtype])
    text = encode(Tensor(Header(dtype, array.shape), array), answer).decode()
    opening = f'{{"reduced":{{"dtype":"{dtype}","shape":{str(list(array.shape)).replace(" ", "")},"{answer.encoding}":'
    assert text.startswith(opening)
    return text.removeprefix(opening).removesuffix("}}")


@pytest.mark.parametrize(
    ("dtype", "values", "text"),
    [
        ("float32", [[0.1, 1], [-0.0, 1e-45]], "[[0.1,1.0],[-0.0,1e-45]]"),
        ("float32", 3.4028235e38, "3.4028235e+38"),
        ("float64", [0.1, 5e-324, 1e16], "[0.1,5e-324,1e+16]"),
        ("float16", [1.5, 65504, -0.0], "[1.5,65504.0,-0.0]"),
        ("bfloat16", [[1.5], [-0.0]], "[[1.5],[-0.0]]"),
        ("float32", [[NAN, 1], [INF, -INF]], '[["NaN",1.0],["Infinity","-Infinity"]]'),
        ("float64", NAN, '"NaN"'),
        ("float16", [INF], '["Infinity"]'),
        ("bfloat16", -INF, '"-Infinity"'),
        ("int64", [2**63 - 1, -(2**63)], "[9223372036854775807,-9223372036854775808]"),
        ("uint64", 2**64 - 1, "18446744073709551615"),
        ("uint8", [[255]], "[[255]]"),
        ("bool", [True, False], "[true,false]"),
        ("bool", True, "true"),
        ("float32", np.zeros((0, 3)), "[]"),
        ("float32", np.zeros((2, 0)), "[[],[]]"),
        ("float32", np.zeros((1,) * 64), "[" * 64 + "0.0" + "]" * 64),
        ("int32", np.arange(6).reshape(3, 2).T, "[[0,2,4],[1,3,5]]"),
    ],
)
def test_values(dtype: str, values: Any, text: str) -> None:
    assert spelled(dtype, values) == text


@pytest.mark.parametrize(
    ("dtype", "values", "text"),
    [
        ("int64", [[-5, 10]], '[["-5","10"]]'),
        ("uint64", 2**64 - 1, '"18446744073709551615"'),
        ("int32", [1], "[1]"),
        ("float64", [1], "[1.0]"),
    ],
)
def test_64_bit_integers_are_text_where_asked_for(dtype: str, values: Any, text: str) -> None:
    assert spelled(dtype, values, AnswerOptions("values", "string")) == text


@pytest.mark.parametrize(
    ("dtype", "values", "text"),
    [
        ("float32", [3, 1], '"AABAQAAAgD8="'),
        ("float32", [[3], [1]], '"AABAQAAAgD8="'),
        ("bfloat16", 1, '"gD8="'),
        ("bool", [True, False], '"AQA="'),
        ("int64", np.zeros((0, 3)), '""'),
    ],
)
def test_base64(dtype: str, values: Any, text: str) -> None:
    assert spelled(dtype, values, AnswerOptions("base64")) == text


@pytest.mark.parametrize("shape", [(40_000, 1, 1), (3, 20_000, 1, 0), (1, 1, 50_000, 2), (20_000, *(1,) * 20, 0)])
def test_many_small_lists_are_written_as_any_others(shape: tuple[int, ...]) -> None:
    values = np.arange(prod(shape), dtype=np.int32).reshape(shape)
    answer = loads(encode(Tensor(Header("int32", shape), values), AnswerOptions()))
    assert answer["reduced"]["values"] == values.tolist()
