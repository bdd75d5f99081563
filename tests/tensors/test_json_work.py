"""How much of a hostile body is read element by element: a bounded part, whatever its length."""

from typing import Any

import numpy as np
import pytest

from app import errors
from app.blocks import NUMPY_DTYPES
from app.errors import Refusal
from app.tensors import conversion, literal, narrowing, plain
from app.tensors.json_body import decode
from tests.tensors.reading import body, refusal, tensor

MANY = 200_000

BODIES: dict[str, tuple[bytes, type[Refusal], str]] = {
    "a shorter row": (
        body("float32", f"[{'[0.5, 1.25], ' * MANY}[1]]"),
        errors.RaggedNesting,
        f"/data/values/{MANY}",
    ),
    "a longer row": (body("int8", f"[{'[1], ' * MANY}[1, 2]]"), errors.RaggedNesting, f"/data/values/{MANY}"),
    "a row that is not empty": (
        body("int8", f"[{'[], ' * MANY}[1]]"),
        errors.RaggedNesting,
        f"/data/values/{MANY}",
    ),
    "a number among rows": (body("int8", f"[{'[1, 2], ' * MANY}3]"), errors.RaggedNesting, f"/data/values/{MANY}"),
    "a row among numbers": (body("int8", f"[{'1, ' * MANY}[3]]"), errors.RaggedNesting, f"/data/values/{MANY}"),
    "a shorter row of a matrix": (
        body("int8", f"[{'[[1, 2], [3, 4]], ' * MANY}[[1, 2], [3]]]"),
        errors.RaggedNesting,
        f"/data/values/{MANY}/1",
    ),
    "a null": (body("float32", f"[{'1.5, ' * MANY}null]"), errors.InvalidElement, f"/data/values/{MANY}"),
    "an object": (body("float32", f"[{'1.5, ' * MANY}{{}}]"), errors.InvalidElement, f"/data/values/{MANY}"),
    "a number among bools": (body("bool", f"[{'true, ' * MANY}1]"), errors.InvalidElement, f"/data/values/{MANY}"),
    "out of range": (body("int8", f"[{'1, ' * MANY}300]"), errors.InvalidElement, f"/data/values/{MANY}"),
    "a number too large": (body("float32", f"[{'1, ' * MANY}1e39]"), errors.InvalidElement, f"/data/values/{MANY}"),
    "zeros in front": (
        body("int64", "[" + '"12", ' * MANY + '"01"]'),
        errors.InvalidElement,
        f"/data/values/{MANY}",
    ),
    "objects": (body("float32", f"[{'{}, ' * MANY}1]"), errors.InvalidElement, "/data/values/0"),
    "texts": (body("float32", "[" + '"a", ' * MANY + "1]"), errors.InvalidElement, "/data/values/0"),
}


@pytest.mark.parametrize("kind", BODIES)
def test_little_is_read_element_by_element(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content, error, place = BODIES[kind]
    elements: list[object] = []
    convert = conversion.convert

    def convert_and_note(some: list[object], *rest: object) -> object:
        elements.extend(some)
        return convert(some, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(literal, "convert", convert_and_note)
    refused = refusal(content)
    assert type(refused) is error
    assert refused.place == place
    assert len(elements) <= max(2 * literal.LEAST_PIECE, literal.BATCH)
    assert len(content) > plain.PIECE


@pytest.mark.parametrize(("dtype", "tie"), [("float16", "2049"), ("bfloat16", "257"), ("float32", "16777217")])
def test_ties_of_whole_numbers_are_not_looked_at_again(dtype: str, tie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def narrow_and_note(texts: list[str], *rest: Any) -> Any:
        looked.extend(texts)
        return narrowing.narrow_texts(texts, *rest)

    monkeypatch.setattr(plain, "narrow_texts", narrow_and_note)
    expected = np.array([float(tie), 0.25, float(tie)]).astype(NUMPY_DTYPES[dtype])
    read = tensor(decode(body(dtype, f"[{f'{tie}, 0.25, {tie}.000000000000000001, ' * 3000}0]")))
    assert read[:2].tolist() == expected[:2].tolist()
    assert float(read[2]) > float(tie)
    assert looked == [f"{tie}.000000000000000001"] * 3000


def test_numbers_beyond_the_step_to_infinity_are_refused_among_ties() -> None:
    for beyond in ("3.4028235677973366e38", "339617752923046005526922703901628039168"):
        refused = refusal(body("bfloat16", f"[{'257, 1.00390625, ' * 1000}{beyond}, 1.00390625]"))
        assert type(refused) is errors.InvalidElement
        assert refused.place == "/data/values/2000"
