"""The shape of a JSON tensor: from its nesting, or beside it."""

import pytest

from app import errors
from app.errors import Refusal
from app.tensors.json_body import decode
from tests.tensors.reading import body, refusal, tensor


@pytest.mark.parametrize(
    ("values", "shape", "expected"),
    [
        ("[[3, 1, 2], [9, 7, 8]]", None, (2, 3)),
        ("[[3, 1, 2], [9, 7, 8]]", "[2, 3]", (2, 3)),
        ("[3, 1, 2, 9, 7, 8]", "[2, 3]", (2, 3)),
        ("[3, 1]", None, (2,)),
        ("[3, 1]", "[1, 2, 1]", (1, 2, 1)),
        ("[[[3]]]", None, (1, 1, 1)),
        ("3", None, ()),
        ("3", "[]", ()),
        ("[3]", "[]", ()),
        ("[3]", None, (1,)),
        ("[]", None, (0,)),
        ("[]", "[0, 3]", (0, 3)),
        ("[]", "[3, 0]", (3, 0)),
        ("[[], [], []]", "[3, 0]", (3, 0)),
        ("[[], []]", None, (2, 0)),
        ("[[[]]]", None, (1, 1, 0)),
        ("[[]]", "[1, 0, 5]", (1, 0, 5)),
        ("[]", "[0, 4611686018427387904]", (0, 2**62)),
        ("[[3, 1]]", "null", (1, 2)),
        ("[" * 64 + "1" + "]" * 64, None, (1,) * 64),
        ("[1]", "[" + "1," * 63 + "1]", (1,) * 64),
        ("[\n[\t3 ,1],\r\n[ 2,4 ]  ]", None, (2, 2)),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int64", "float64", "uint8"])
def test_shape_comes_from_nesting_or_stands_beside_flat_values(
    dtype: str, values: str, shape: str | None, expected: tuple[int, ...]
) -> None:
    request = decode(body(dtype, values, shape))
    assert request.header.shape == expected
    assert request.header.dtype == dtype
    if 2**62 not in expected:
        flat = [int(digit) for digit in values if digit.isdigit()]
        assert tensor(request).reshape(-1).tolist() == flat


@pytest.mark.parametrize(
    ("values", "shape", "error", "place"),
    [
        ("[[1, 2], [3]]", None, errors.RaggedNesting, "/data/values/1"),
        ("[[1, 2], 3]", None, errors.RaggedNesting, "/data/values/1"),
        ("[1, [2]]", None, errors.RaggedNesting, "/data/values/1"),
        ("[[[1], [2]], [[3], 4]]", None, errors.RaggedNesting, "/data/values/1/1"),
        ("[[], [1]]", None, errors.RaggedNesting, "/data/values/1"),
        ("[[1, 2], [3]]", "[3]", errors.RaggedNesting, "/data/values/1"),
        ("[[1, 2]]", "[2]", errors.ShapeMismatch, "/data/shape"),
        ("[[1, 2]]", "[2, 1]", errors.ShapeMismatch, "/data/shape"),
        ("[1, 2]", "[3]", errors.ShapeMismatch, "/data/shape"),
        ("[]", "[1]", errors.ShapeMismatch, "/data/shape"),
        ("[]", "[]", errors.ShapeMismatch, "/data/shape"),
        ("[1, 2]", "[]", errors.ShapeMismatch, "/data/shape"),
        ("1", "[1]", errors.ShapeMismatch, "/data/shape"),
        ("[1]", "[9223372036854775807, 9223372036854775807]", errors.ShapeMismatch, "/data/shape"),
        ("[1]", "[true]", errors.InvalidShape, "/data/shape/0"),
        ("[1]", "[1, 1.0]", errors.InvalidShape, "/data/shape/1"),
        ("[1]", "[-1]", errors.InvalidShape, "/data/shape/0"),
        ("[1]", '["1"]', errors.InvalidShape, "/data/shape/0"),
        ("[1]", "[null]", errors.InvalidShape, "/data/shape/0"),
        ("[1]", "[[1]]", errors.InvalidShape, "/data/shape/0"),
        ("[1]", "[NaN]", errors.InvalidShape, "/data/shape/0"),
        ("[]", "[0, 9223372036854775808]", errors.InvalidShape, "/data/shape/1"),
        ("[]", "[0, 1" + "0" * 5000 + "]", errors.InvalidShape, "/data/shape/1"),
        ("[1]", "1", errors.InvalidShape, "/data/shape"),
        ("[1]", "{}", errors.InvalidShape, "/data/shape"),
        ("[1]", "[" + "1," * 64 + "1]", errors.InvalidShape, "/data/shape"),
        ("[" * 65 + "1" + "]" * 65, None, errors.InvalidShape, "/data/values"),
        ("[" * 900 + "]" * 900, None, errors.InvalidShape, "/data/values"),
        ("[" * 100_000 + "]" * 100_000, None, errors.InvalidShape, "/data/values"),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_shapes_that_are_none_are_refused(
    dtype: str, values: str, shape: str | None, error: type[Refusal], place: str
) -> None:
    refused = refusal(body(dtype, values, shape))
    assert type(refused) is error
    assert refused.place == place
