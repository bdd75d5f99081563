"""What docs/guide.md checks engines with measures right, whatever the engine."""

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.snippets import ADDRESS, BLOCKS

(CHECK,) = (block.text for block in BLOCKS if block.page == "docs/guide.md" and "def distance" in block.text)


@pytest.fixture(scope="module")
def check(server: str) -> dict[str, Any]:
    """The names of the script, which has run."""
    names: dict[str, Any] = {}
    exec(CHECK.replace(f"http://{ADDRESS}", server), names)
    return names


def test_a_right_engine_is_said_to_be_right(check: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    x = check["x"]
    check["report"]("right", x.sum(axis=0, dtype="float64").astype("float16"), _exact(check))
    check["report"]("wrong", x.sum(axis=0), _exact(check))
    right, wrong = capsys.readouterr().out.splitlines()[-2:]
    assert right == "right: 0 of 50 are off, by up to 0 units in the last place"
    assert re.fullmatch(r"wrong: [1-9]\d* of 50 are off, by up to [1-9]\d* units in the last place", wrong)


def _exact(check: dict[str, Any]) -> NDArray[Any]:
    right: NDArray[Any] = check["exact"]("/v13/reduce_sum", check["x"], axes=[0], keepdims=0)
    return right


@pytest.mark.parametrize("dtype", ["float16", ml_dtypes.bfloat16, "float32", "float64"])
def test_a_distance_is_counted_in_floats(check: dict[str, Any], dtype: Any) -> None:
    whole = f"u{np.dtype(dtype).itemsize}"
    one, inf = (int(bits) for bits in np.array([1, np.inf], dtype).view(whole))

    def floats(*bits: int, sign: int = 1) -> NDArray[Any]:
        return sign * np.array(bits, whole).view(dtype)

    def distance(a: NDArray[Any], b: NDArray[Any]) -> list[Any]:
        found: list[Any] = check["distance"](a, b).tolist()
        return found

    ascending = floats(0, 1, one, inf - 1, inf)
    for sign in (1, -1):
        assert distance(sign * ascending, sign * ascending) == [0] * 5
        assert distance(sign * ascending, floats(1, 0, one + 2, inf, 0, sign=sign)) == [1, 1, 2, 1, inf]
    assert distance(ascending, -ascending) == [0, 2, 2 * one, 2 * (inf - 1), 2 * inf]
    nan = np.array([np.nan, np.nan, 1, -np.nan, np.inf], dtype)
    assert distance(nan, np.array([-np.nan, 1, np.nan, np.inf, np.nan], dtype)) == [0] + [np.inf] * 4
