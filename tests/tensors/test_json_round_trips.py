"""Bits → text → bits, for every dtype; and both ways of reading against exact arithmetic and against each other."""

from decimal import Decimal
from fractions import Fraction
from math import inf, prod
from typing import Any

import ml_dtypes
import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES, Header, Tensor
from app.errors import InvalidElement
from app.tensors import literal, plain
from app.tensors.json_body import decode, encode
from app.tensors.request import AnswerOptions
from app.tensors.skeleton import Unusual
from tests.strategies import tensors
from tests.tensors.reading import bits, body, refusal, tensor

FLOATS = ("float16", "bfloat16", "float32", "float64")

every_dtype = pytest.mark.parametrize("dtype", NUMPY_DTYPES)
every_float = pytest.mark.parametrize("dtype", FLOATS)
answers = st.builds(AnswerOptions, st.sampled_from(["values", "base64"]), st.sampled_from(["number", "string"]))


@every_dtype
@given(data=st.data(), answer=answers)
def test_an_answer_sent_back_is_the_same_tensor(dtype: str, data: st.DataObject, answer: AnswerOptions) -> None:
    given_values = canonical(data.draw(tensors(dtype, most=60)))
    header = Header(dtype, given_values.shape)
    reduced = orjson.loads(encode(Tensor(header, given_values), answer))["reduced"]
    assert set(reduced) == {"dtype", "shape", answer.encoding}
    read = decode(orjson.dumps({"data": reduced}))
    assert read.header == header
    assert bits(tensor(read)) == bits(given_values)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_every_16_bit_float_survives(dtype: str) -> None:
    everything = canonical(np.arange(2**16, dtype=np.uint16).view(NUMPY_DTYPES[dtype]))
    text = encode(Tensor(Header(dtype, everything.shape), everything), AnswerOptions())
    assert bits(tensor(decode(text.replace(b"reduced", b"data")))) == bits(everything)


def canonical(values: NDArray[Any]) -> NDArray[Any]:
    """The same with one NaN for all: JSON has a single one."""
    if values.dtype.kind in "iub":
        return values
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(values), np.array(np.nan, values.dtype), values)


@st.composite
def decimals(draw: st.DrawFn, dtype: str) -> str:
    """Numbers near values of a dtype and near the middles between them, exactly there or a hair beside."""
    kind = NUMPY_DTYPES[dtype]
    size = 8 * kind.itemsize
    low = draw(st.integers(0, 2**size - 1))
    pair = np.array([low, min(low + 1, 2**size - 1)], f"u{kind.itemsize}").view(kind)
    values = [Fraction(float(value)) for value in pair if np.isfinite(value)]
    middle = Decimal(0)
    if values:
        exact = sum(values, Fraction()) / 2 if draw(st.booleans()) else values[0]
        digits = exact.numerator * 10**1200 // exact.denominator
        middle = Decimal(digits).scaleb(-1200)
        assert Fraction(digits, 10**1200) == exact
    text = f"{middle:f}" if draw(st.booleans()) else f"{middle:e}"
    if draw(st.booleans()):
        return text
    mantissa, _, exponent = text.partition("e")
    if draw(st.booleans()):
        mantissa = mantissa[: draw(st.integers(2, 40))].rstrip(".-") or "0"
    elif "." in mantissa:
        mantissa += "0" * draw(st.integers(0, 30)) + "1"
    return f"{mantissa}e{exponent}" if exponent else mantissa


def nearest(text: str, dtype: str) -> float:
    """The value nearest to a decimal text, ties to even, in rational arithmetic; infinite beyond the range."""
    finfo = ml_dtypes.finfo(NUMPY_DTYPES[dtype])
    exact = Fraction(text)
    digits = finfo.nmant + 1
    exponent = max(_magnitude(exact), finfo.minexp) - digits + 1
    rounded = round(exact / Fraction(2) ** exponent) * Fraction(2) ** exponent
    if abs(rounded) > Fraction(float(finfo.max)):
        return inf if rounded > 0 else -inf
    return float(rounded) if rounded else (-0.0 if text.startswith("-") else 0.0)


def _magnitude(value: Fraction) -> int:
    """floor(log2 |value|), very small for 0."""
    if not value:
        return -(10**6)
    guess = abs(value.numerator).bit_length() - value.denominator.bit_length()
    return guess if abs(value) >= Fraction(2) ** guess else guess - 1


@every_float
@given(data=st.data())
def test_a_text_is_rounded_once_to_the_nearest(dtype: str, data: st.DataObject) -> None:
    texts = data.draw(st.lists(decimals(dtype), min_size=1, max_size=6))
    expected = [nearest(text, dtype) for text in texts]
    for content in (body(dtype, f"[{','.join(texts)}]"), body(dtype, f'["Infinity",{",".join(texts)}]')):
        if np.isinf(expected).any():
            assert type(refusal(content)) is InvalidElement
        else:
            read = tensor(decode(content))[-len(texts) :]
            assert bits(read) == bits(np.array(expected, np.float64).astype(NUMPY_DTYPES[dtype]))


TOKENS = ("0", "-0", "1", "-1", "3.5", "-0.0", "1e2", "255", "256", "32768", "65504", "65520", "2147483648", "1e39")
LARGE = ("9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e400")
OTHERS = ("true", "false", "null", "NaN", "-Infinity", "[]", "[1]", "[1, 2]", "[[1]]", " 7 ")

lists = st.recursive(
    st.sampled_from(TOKENS) | st.sampled_from(TOKENS + LARGE + OTHERS),
    lambda inner: st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=12,
)


@every_dtype
@given(inner=st.lists(lists, max_size=4), repeat=st.booleans())
def test_the_quick_reading_agrees_with_the_exact_one_or_declines(dtype: str, inner: list[str], repeat: bool) -> None:
    text = f"[{', '.join(inner)}]"
    if repeat:
        text = f"[{text}, {text}]"
    content = text.encode()
    try:
        quick = plain.read(content, 0, len(content), dtype)
    except Unusual:
        return
    exact = literal.read(content, 0, len(content), dtype)
    assert quick.shape == exact.shape
    assert quick.size == prod(exact.shape)
    assert bits(quick) == bits(exact)
