"""Lists and objects of any size are JSON or are not, wherever they are looked at in windows; names come once."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.errors import DuplicateKey, MalformedBody
from app.tensors import enclosed, numerals
from app.tensors.enclosed import end_of
from app.tensors.tokens import TOKEN


@contextmanager
def windows_of(size: int, few: int = 0, simdjson: bool = True) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(enclosed, "WINDOW", size)
        patch.setattr(enclosed, "NARROW", min(size, enclosed.NARROW))
        patch.setattr(enclosed, "FEW", few)
        if not simdjson:
            patch.setattr(numerals, "simdjson", None)
        yield


def said(text: bytes) -> Any:
    """The end and the depth of a list or an object, or the refusal of it."""
    try:
        return end_of(text, 0)
    except (MalformedBody, DuplicateKey) as refusal:
        return type(refusal), str(refusal)


class Twice(Exception):
    """A name that came twice."""


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise Twice
    return dict(pairs)


def expected(text: bytes) -> type[Exception] | None:
    """What Python's own reader, and the rules beside it, say of a text."""
    try:
        json.dumps(json.loads(text, object_pairs_hook=list), ensure_ascii=False).encode()
    except ValueError:
        return MalformedBody
    try:
        json.loads(text, object_pairs_hook=once)
    except Twice:
        return DuplicateKey
    return None


TOKENS = [
    *("[", "]", "{", "}", ",", ":", '"a"', '"b"', '"\\u0061"', '"],["', '"a\\"{"', '"\\\\"', "1", "-0.5e-7", "1e999"),
    *("true", "null", "NaN", "-Infinity", "9" * 25, "0" * 25, "1e0005", " ", "\n", '"', "\\", "x", "01", "é", '"é"'),
    *('"NaN"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\t"', "[[", "]]", '{"a":', '{"b":[', ",,"),
]

scalars = st.sampled_from(["1", '"a"', '"x,]"', "null", "NaN", '"\\"}"', "1e999", "[]", "{}", " 7 ", '"é"'])
names = st.sampled_from(['"a"', '"b"', '"c"', '"\\u0061"', '"a,"', '"a:b"', '"\\\\"', '"é"', '" "'])
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]")
        | st.lists(st.tuples(names, inner), max_size=3, unique_by=lambda pair: pair[0]).map(
            lambda pairs: f"{{{','.join(f'{name} : {item}' for name, item in pairs)}}}"
        )
    ),
    max_leaves=25,
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Mostly JSON: some of it with a token put in, taken out or put in another's place."""
    text = f"[{','.join(draw(st.lists(values, min_size=1, max_size=5)))}]"
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(1, len(text)))
        text = text[:at] + draw(st.sampled_from(TOKENS)) + text[at + draw(st.integers(0, 2)) :]
    return text


@settings(max_examples=1500, deadline=None)
@given(text=texts() | st.lists(st.sampled_from(TOKENS), max_size=20).map(lambda tokens: "[" + "".join(tokens)))
@example('[{"a":1,"b":[{"a":1}],"a":2}]')
@example('[{"a":{},"\\u0061":2}]')
@example("[1,[,2]]")
def test_windows_of_any_size_say_what_a_walk_says(text: str) -> None:
    content = text.encode()
    with windows_of(1 << 16, few=1 << 16):
        walked = said(content)
    rest = content[walked.at :] if isinstance(walked, enclosed.End) else b""
    error = expected(content[: len(content) - len(rest)])
    assert walked[0] == error if error else isinstance(walked, enclosed.End)
    for size in (1, 3, 9, 20, 64, 1 << 16):
        for simdjson in (True, False):
            with windows_of(size, simdjson=simdjson):
                found = said(content)
            if isinstance(walked, enclosed.End) or walked[0] is MalformedBody:
                assert found == walked or (walked[0] is MalformedBody and found[0] is DuplicateKey)
            else:
                assert isinstance(found, tuple)
                assert found[0] in (MalformedBody, DuplicateKey)


NESTS = [("[", "", "]"), ('{"a":', "1", "}"), ('[{"a":', "1", "}]"), ('{"a":1,"b":', "[]", "}"), ("[ ", "", " ]")]


@pytest.mark.parametrize("depth", [900, 1100, 5000, 50_000])
@pytest.mark.parametrize(("opening", "inside", "closing"), NESTS)
def test_lists_and_objects_may_nest_as_deep_as_they_like(opening: str, inside: str, closing: str, depth: int) -> None:
    brackets = opening.count("[") + opening.count("{")
    text = f"{opening * depth}{inside}{closing * depth} and more"
    found = end_of(text.encode(), 0)
    assert found == (text.index(" and more"), brackets * depth + (inside == "[]"))
    assert said(text[: -len(" and more") - 1].encode())[0] is MalformedBody


HOSTILE = {
    "opened lists": "[",
    "opened objects": '{"a":',
    "objects": "[{},",
    "members": '{"a":[1,2],"b":{"c":null}},',
    "texts with brackets": '"],[{",',
    "escaped texts": r'"\u0041\"",',
    "large numbers": "1e999,123456789012345678901234567890,",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_few_tokens_are_looked_at_one_by_one(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: set[int] = set()

    class Counted:
        """What finds a token, and where it was asked for one."""

        @staticmethod
        def match(body: bytes, at: int) -> re.Match[bytes] | None:
            looked.add(at)
            return TOKEN.match(body, at)

    text = ("[" + HOSTILE[kind] * (1_000_000 // len(HOSTILE[kind])) + "]").encode()
    monkeypatch.setattr(enclosed, "TOKEN", Counted)
    with windows_of(enclosed.WINDOW, few=len(text)):
        walked = said(text)
    everything = len(looked)
    looked.clear()
    assert said(text) == walked
    assert 0 < len(looked) < everything / 5


def test_names_that_come_twice_are_found_however_far_apart() -> None:
    members = ",".join(f'"{name}":[{{"a":1,"b":2}}]' for name in range(20_000))
    assert end_of(f"{{{members}}}".encode(), 0).depth == 3
    for twice, shown in (('"0"', '"0"'), ('"\\u0030"', '"0"'), ('"19999"', '"19999"')):
        found = said(f"{{{members},{twice}:1}}".encode())
        assert found == (DuplicateKey, f"the key {shown} is given more than once in one object")
