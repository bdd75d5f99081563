"""A body in pieces, cut anywhere and read as it comes, is answered and refused as the whole of it is."""

import json
import tracemalloc
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.errors import Refusal
from app.tensors import ahead, json_body, plain
from app.tensors.json_body import arrival, decode
from app.tensors.request import Request
from app.tensors.skeleton import Unusual
from tests.tensors.reading import bits, body, tensor
from tests.tensors.test_json_pieces import CONTENTS, lists, pieces_of


def said(answer: Request | Refusal) -> object:
    if isinstance(answer, Refusal):
        return type(answer), str(answer), answer.place
    return answer.header, bits(tensor(answer)), repr(answer.parameters), answer.answer


def whole(content: bytes, query: str = "") -> Request | Refusal:
    try:
        return decode(content, query)
    except Refusal as refusal:
        return refusal


def arrived(content: bytes, cuts: list[int], together: int = 1, query: str = "") -> Request | Refusal:
    """`together`: pieces that are handed over at once."""
    places = [0, *sorted(cut % (len(content) + 1) for cut in cuts), len(content)]
    pieces = [content[start:end] for start, end in pairwise(places)]
    coming = arrival()
    for at in range(0, len(pieces), together):
        coming.feed(pieces[at : at + together])
    try:
        return coming.finish(query)
    except Refusal as refusal:
        return refusal


ROWS = "[[1, -0, 2.5e1], [NaN, -Infinity, 0.1], [16777217, 1e-50, 3]]"
VALUES = [
    ROWS,
    ROWS.replace("NaN", '"NaN"').replace("-Infinity", '"-Infinity"'),
    "[1.5, 2.5, 3.5, 4.5, 5.5, 6.5]",
    "[1, 2, 3, 4, 5, 6]",
    '["1", "2", 3, "-4", 5, "6"]',
    "[true, false, true, true]",
    "[1, 2, 3]]",
    "[[1, 2], [3]]",
    "[[1, 2], 3]",
    "[1, 2, 3",
    "[1, 2,, 3]",
    "[1, 2, 3,]",
    "[1, 2], [3, 4]",
    "[[1, 2]] [3, 4]",
    "[1, 300, 1e999]",
    "[1, null, 3]",
    '[1, {"values": [2, 3]}, 4]',
    "[[], []]",
    "[]",
    "[" * 70,
    "null",
    "7",
]
MEMBERS = [
    '"dtype": "float32"',
    '"dtype": "float64"',
    '"dtype": "int8"',
    '"dtype": "int64"',
    '"dtype": "bool"',
    '"dtype": "complex64"',
    '"dtyp\\u0065": "float16"',
    '"shape": [3, 3]',
    '"shape": [6]',
    '"shape": null',
    '"base64": "AACAPwAAAEA="',
    '"base64": null',
    '"more": [1, 2]',
    '"a\\"values": [1, 2]',
    '"values"',
    *(f'"values": {values}' for values in VALUES),
    *(f'"v\\u0061lues": {values}' for values in VALUES[:2]),
]
AROUND = [
    '"axes": [0, 1]',
    '"axes": [NaN]',
    '"keepdims": 0',
    '"x, y": "], [,"',
    '"values": [1, 2, 3]',
    '"dtype": "uint8"',
    '"answer": {"encoding": "base64"}',
]

usual = st.tuples(st.sampled_from(MEMBERS[:5]), st.sampled_from(VALUES)).map(
    lambda parts: [parts[0], f'"values": {parts[1]}']
)
data = usual | st.lists(st.sampled_from(MEMBERS), max_size=4)
around = st.lists(st.sampled_from(AROUND), max_size=2)
ends = st.sampled_from(["}", "}", "}", "", "} ", "}}", "},", "\xff"])


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    before, after = draw(around), draw(around)
    members = [*before, f'"data": {{{", ".join(draw(data))}}}', *after]
    return f"{{{', '.join(members)}{draw(ends)}".encode("latin-1")


cuts = st.lists(st.integers(0, 400), max_size=8)
sizes = st.sampled_from([1, 5, 20, 1 << 18])
many = settings(max_examples=600)


@many
@given(content=bodies(), cuts=cuts, size=sizes, together=st.integers(1, 3), simdjson=st.booleans())
def test_a_body_cut_anywhere_is_read_as_the_whole_of_it(
    content: bytes, cuts: list[int], size: int, together: int, simdjson: bool
) -> None:
    with pieces_of(size, simdjson):
        assert said(arrived(content, cuts, together)) == said(whole(content))


@many
@given(inner=st.lists(lists, max_size=5), dtype=st.sampled_from(["float32", "int8", "int64"]), cuts=cuts, size=sizes)
def test_any_list_cut_anywhere_is_read_as_the_whole_of_it(
    inner: list[str], dtype: str, cuts: list[int], size: int
) -> None:
    content = body(dtype, f"[{', '.join(inner)}]", rest=', "axes": [0, 1]')
    with pieces_of(size, simdjson=True):
        assert said(arrived(content, cuts)) == said(whole(content))


@settings(max_examples=20)
@given(values=st.sampled_from(VALUES), dtype=st.sampled_from(["float32", "int64", "bool"]))
@example(values=ROWS, dtype="float32")
def test_every_single_cut_is_as_good(values: str, dtype: str) -> None:
    content = body(dtype, values, rest=', "axes": [0, 1], "keepdims": 0')
    with pieces_of(5, simdjson=True):
        expected = said(whole(content))
        for cut in range(len(content) + 1):
            assert said(arrived(content, [cut])) == expected


def test_a_query_is_refused_beside_a_body_in_pieces() -> None:
    content = body("float32", ROWS)
    assert said(arrived(content, [40, 60], query="axes=1")) == said(whole(content, "axes=1"))


LONG = [[0.5, 1e-3, -7.0], [1.0, 2.0, 3.0]] * 400


@pytest.mark.parametrize(
    ("content", "used"),
    [
        (body("float32", json.dumps(LONG)), True),
        (body("float32", json.dumps(LONG), "[800, 3]", ', "axes": [0, 1], "keepdims": 0'), True),
        (f'{{"axes": [0], "data": {{"dtype": "int16", "values": {[1, 2] * 999}, "shape": [2, 999]}}}}'.encode(), True),
        (f'{{"data": {{"values": {[1, 2] * 999}, "dtype": "int16"}}}}'.encode(), False),
        (f'{{"data": {{"dtype": "int16", "values": {[1, 2] * 999}, "dtype": null}}}}'.encode(), False),
        (f'{{"dtype": "int8", "data": {{"values": {[1, 2] * 999}, "dtype": "int16"}}}}'.encode(), False),
    ],
)
def test_what_was_read_ahead_is_used_if_it_was_guessed_well(
    content: bytes, used: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = said(whole(content))
    decoded: list[bytes] = []

    def decode_and_note(content: bytes, query: str) -> Request:
        decoded.append(content)
        return decode(content, query)

    monkeypatch.setattr(json_body, "decode", decode_and_note)
    with pieces_of(100, simdjson=True):
        assert said(arrived(content, list(range(0, len(content), 300)))) == expected
    assert decoded == ([] if used else [content])


@pytest.mark.parametrize("name", CONTENTS)
def test_reading_ahead_takes_no_more_than_reading(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "MOST", 1 << 15)
    dtype, values = CONTENTS[name]
    content = body(dtype, json.dumps(values))
    coming = arrival()
    peaks: list[Any] = []
    with pieces_of(1 << 14, simdjson=True):
        tracemalloc.start()
        for start in range(0, len(content), 1 << 14):
            coming.feed([content[start : start + (1 << 14)]])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < 4 * len(content) + 2**19


@pytest.mark.parametrize("text", [b" ", b"1", b"[", b'"', b"],", b"{"])
@pytest.mark.parametrize("start", [b"", b'{"data": {"dtype": "float32", "values": ['])
def test_a_text_without_a_piece_is_not_looked_at_again_and_again(start: bytes, text: bytes) -> None:
    coming = ahead.Ahead()
    coming.feed([start])

    def flood() -> None:
        for _ in range(100):
            coming.feed([text * 8000])

    with pytest.raises(Unusual):
        flood()


def test_single_bytes_are_looked_at_together(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    feed = ahead.Ahead.feed

    def feed_and_note(self: ahead.Ahead, pieces: list[bytes]) -> None:
        looks.append(sum(map(len, pieces)))
        feed(self, pieces)

    monkeypatch.setattr(ahead.Ahead, "feed", feed_and_note)
    content = body("float32", json.dumps(LONG * 30))
    assert said(arrived(content, list(range(len(content))))) == said(whole(content))
    assert sum(looks) == len(content)
    assert min(looks[:-1]) >= plain.PIECE // 2
