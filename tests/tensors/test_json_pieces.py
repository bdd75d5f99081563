"""Long bodies are read in pieces, with or without simdjson, as short ones are and as the exact reading reads them."""

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import errors
from app.blocks import NUMPY_DTYPES
from app.errors import Refusal
from app.tensors import enclosed, literal, numerals, plain, short
from app.tensors.json_body import decode
from app.tensors.skeleton import Unusual
from tests.tensors.reading import bits, body, refusal, tensor
from tests.tensors.test_json_round_trips import FLOATS, decimals, nearest


@contextmanager
def pieces_of(size: int, simdjson: bool) -> Iterator[None]:
    """No body is short, pieces have about so many bytes, and numbers are read by simdjson or without it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(short, "SHORT", 0)
        patch.setattr(plain, "PIECE", size)
        patch.setattr(literal, "LEAST_PIECE", size)
        patch.setattr(enclosed, "WINDOW", size)
        if not simdjson:
            patch.setattr(numerals, "simdjson", None)
        yield


sizes = st.sampled_from([1, 9, 40, 1 << 18])
fewer = settings(max_examples=40)
either = st.booleans()


@pytest.mark.parametrize("dtype", FLOATS)
@fewer
@given(data=st.data(), size=sizes, simdjson=either)
def test_numbers_in_pieces_are_rounded_once(dtype: str, data: st.DataObject, size: int, simdjson: bool) -> None:
    texts = data.draw(st.lists(decimals(dtype), min_size=1, max_size=6))
    expected = np.array([nearest(text, dtype) for text in texts])
    content = body(dtype, f"[{', '.join(texts)}]")
    with pieces_of(size, simdjson):
        if np.isinf(expected).any():
            refused = refusal(content)
            assert type(refused) is errors.InvalidElement
            assert refused.place == f"/data/values/{np.flatnonzero(np.isinf(expected))[0]}"
        else:
            assert bits(tensor(decode(content))) == bits(expected.astype(NUMPY_DTYPES[dtype]))


NAMES = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf}
TOKENS = {"1": 1.0, "-0": -0.0, "-0.0": -0.0, "0": 0.0, "-0e-0": -0.0, "0e-0": 0.0, "-2.5e-1": -0.25, " 7\t": 7.0}
TOKENS |= {f"{quote}{name}{quote}": value for name, value in NAMES.items() for quote in ("", '"')}


@pytest.mark.parametrize("dtype", FLOATS)
@fewer
@given(
    texts=st.lists(st.sampled_from(list(TOKENS)), min_size=1, max_size=30),
    width=st.integers(1, 5),
    size=sizes,
    simdjson=either,
)
def test_names_and_minus_zeros_may_stand_anywhere(
    dtype: str, texts: list[str], width: int, size: int, simdjson: bool
) -> None:
    texts += ["1"] * (-len(texts) % width)
    rows = [f"[{','.join(texts[at : at + width])} ]" for at in range(0, len(texts), width)]
    expected = np.array([TOKENS[text] for text in texts]).astype(NUMPY_DTYPES[dtype]).reshape(-1, width)
    with pieces_of(size, simdjson):
        content = f"[{', '.join(rows)}]".encode()
        read = plain.read(content, 0, len(content), dtype)
    assert read.shape == expected.shape
    assert bits(read) == bits(expected)


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64"])
@fewer
@given(data=st.data(), size=sizes, simdjson=either)
def test_integers_in_pieces_are_exact_or_refused(dtype: str, data: st.DataObject, size: int, simdjson: bool) -> None:
    info = np.iinfo(dtype)
    edges = st.sampled_from([int(info.min), int(info.max), 2**53 + 1, 0, -(2**63), 2**64 - 1, 2**64, -(2**63) - 1])
    values = data.draw(st.lists(edges | st.integers(int(info.min), int(info.max)), min_size=1, max_size=9))
    texts = [f'"{value}"' if info.bits == 64 and data.draw(either) else str(value) for value in values]
    outside = [index for index, value in enumerate(values) if not info.min <= value <= info.max]
    with pieces_of(size, simdjson):
        if outside:
            refused = refusal(body(dtype, f"[{','.join(texts)}]"))
            assert type(refused) is errors.InvalidElement
            assert refused.place == f"/data/values/{outside[0]}"
            assert str(values[outside[0]]) in str(refused)
        else:
            assert tensor(decode(body(dtype, f"[{','.join(texts)}]"))).tolist() == values


OTHERS = ("true", "null", '"x,y"', '"]"', '"1"', "{}", "[]", "[1]", "[[1]]", "1.5", "2e1", "300", "NaN", '"NaN"')

lists = st.recursive(
    st.sampled_from(["1", "2", "-0"]) | st.sampled_from(OTHERS),
    lambda inner: st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=12,
)


@pytest.mark.parametrize("dtype", ["float32", "int8", "int64", "bool"])
@fewer
@given(inner=st.lists(lists, max_size=4), size=sizes, simdjson=either)
def test_pieces_agree_with_the_exact_reading_or_are_declined(
    dtype: str, inner: list[str], size: int, simdjson: bool
) -> None:
    content = f"[{', '.join(inner)}]".encode()
    try:
        exact = literal.read(content, 0, len(content), dtype)
    except Refusal:
        exact = None
    with pieces_of(size, simdjson):
        if exact is None:
            with pytest.raises(Unusual):
                plain.read(content, 0, len(content), dtype)
        else:
            read = plain.read(content, 0, len(content), dtype)
            assert read.shape == exact.shape
            assert bits(read) == bits(exact)


@fewer
@given(data=st.data(), shape=st.lists(st.integers(1, 4), min_size=2, max_size=4), size=sizes, simdjson=either)
def test_one_list_of_another_length_is_found_wherever_it_is(
    data: st.DataObject, shape: list[int], size: int, simdjson: bool
) -> None:
    nested: list[Any] = np.ones(shape).tolist()
    steps = [data.draw(st.integers(0, size - 1)) for size in shape[: data.draw(st.integers(1, len(shape) - 1))]]
    changed: list[Any] = nested
    for step in steps:
        changed = changed[step]
    changed.append(changed[0])
    with pieces_of(size, simdjson):
        if all(step == 0 for step in steps) and all(shape[axis] == 1 for axis in range(len(steps))):
            assert tensor(decode(body("float64", json.dumps(nested)))).size > 0
        else:
            assert type(refusal(body("float64", json.dumps(nested)))) is errors.RaggedNesting


MANY = 20_000
CONTENTS = {
    "numbers": ("float32", [0.1] * MANY),
    "a NaN": ("float32", [0.1] * MANY + [float("nan")]),
    "NaNs": ("float32", ["NaN"] * MANY),
    "digits as text": ("int64", ["123456"] * MANY),
    "rows": ("float64", [[0.1]] * MANY),
    "empty rows": ("float64", [[]] * MANY),
    "a null": ("float32", [0.1] * MANY + [None]),
    "a longer row": ("float32", [[0.1]] * MANY + [[1, 2]]),
    "objects": ("float32", [{}] * MANY),
    "texts": ("float32", ["a\n"] * MANY),
}
REFUSED = {"a null", "a longer row", "objects", "texts"}


@pytest.mark.parametrize("simdjson", [True, False])
@pytest.mark.parametrize("name", CONTENTS)
def test_reading_takes_a_few_times_the_text(name: str, simdjson: bool) -> None:
    dtype, values = CONTENTS[name]
    content = body(dtype, json.dumps(values))
    with pieces_of(1 << 14, simdjson), pytest.MonkeyPatch.context() as patch:
        patch.setattr(literal, "BATCH", 1 << 10)
        tracemalloc.start()
        if name in REFUSED:
            refusal(content)
        else:
            decode(content)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 6 * len(content) + 2**19


def test_deep_nesting_takes_a_few_times_the_text() -> None:
    for values in ("[" * 2**14, "[" * 2**14 + "]" * 2**14):
        content = body("float32", values)
        with pieces_of(1 << 12, simdjson=True):
            tracemalloc.start()
            assert isinstance(refusal(content), errors.InvalidShape | errors.MalformedBody)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 10 * len(content) + 2**19
