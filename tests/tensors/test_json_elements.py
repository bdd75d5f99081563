"""Elements of JSON tensors: what is accepted, to the bit, and what is refused, with its place."""

import json
from base64 import b64encode

import numpy as np
import pytest

from app import errors
from app.blocks import NUMPY_DTYPES
from app.errors import Refusal
from app.tensors.json_body import decode
from app.tensors.request import AnswerOptions
from tests.tensors.reading import bits, body, refusal, tensor

INF = "Infinity"
NAN = "NaN"
HALF_LEAST_BFLOAT16 = (
    "4.591774807899560578002877098524397178979162331140966880893561352650067419745028018951416015625e-41"
)
INTEGERS = [dtype for dtype, kind in NUMPY_DTYPES.items() if kind.kind in "iu"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_exact_over_their_whole_range(dtype: str) -> None:
    info = np.iinfo(NUMPY_DTYPES[dtype])
    values = [int(info.min), int(info.max), 0, 1, int(info.max) - 1, int(info.min) + 1]
    assert tensor(decode(body(dtype, str(values)))).tolist() == values
    outside = (int(info.min) - 1, int(info.max) + 1, 2**64, -(2**63) - 1, 10**20, 10**400)
    for wrong in (*map(str, outside), "-1" + "0" * 5000):
        refused = refusal(body(dtype, f"[[0, 1], [2, {wrong}]]"))
        assert type(refused) is errors.InvalidElement
        assert refused.place == "/data/values/1/1"
        assert len(str(refused)) < 200


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    "wrong",
    ["1.5", "1.0", "1e2", "1E2", "-0.0", "true", "false", "null", NAN, INF, f"-{INF}", f'"{NAN}"', '"x"', '""', "{}"],
)
def test_what_is_no_integer_is_refused_with_its_place(dtype: str, wrong: str) -> None:
    for values, place in ((f"[1, {wrong}]", "/data/values/1"), (f"[[{wrong}, 1]]", "/data/values/0/0")):
        refused = refusal(body(dtype, values))
        assert type(refused) is errors.InvalidElement
        assert refused.place == place
    if wrong != "null":
        assert refusal(body(dtype, wrong)).place == "/data/values"


def test_whole_numbers_are_told_how_to_be_written() -> None:
    rule = ", written without fraction or exponent"
    for wrong, how in (("1.0", rule), ("1e2", rule), ("1e309", rule), ("0e99999999999999999999", rule)):
        assert str(refusal(body("int32", f"[{wrong}]"))).startswith(f"int32 takes only integers{how}; got {wrong}")
    for wrong, how in (("1.5", ""), ("1e-2", ""), ("1.0000000000000000001", ""), ("1e-99999999999999999999", "")):
        assert str(refusal(body("int32", f"[{wrong}]"))).startswith(f"int32 takes only integers{how}; got {wrong}")


@pytest.mark.parametrize("others", ["", ", 0" * 300, ", 0" * 3000, ", 100000000000000000000" * 40])
@pytest.mark.parametrize("zeros", [0, 330, 700, 760, 3000])
@pytest.mark.parametrize("simdjson", [True, False])
def test_every_digit_of_a_number_counts(
    simdjson: bool, zeros: int, others: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not simdjson:
        monkeypatch.setattr("app.tensors.numerals.simdjson", None)
    tie = "1." + str(5**53).rjust(53, "0") + "0" * zeros  # 1 + 2^-53, half way to the next float64
    least = str(5**1075) + "0" * zeros + f"e-{1075 + zeros}"  # half of the smallest float64
    for number, exact in ((tie, 1.0), (f"{tie}1", np.nextafter(1, 2)), (least, 0.0), (f"-{tie}", -1.0)):
        assert tensor(decode(body("float64", f"[{number}{others}]")))[0] == exact
        assert tensor(decode(body("float64", f"[0.5, {number}{others}]")))[1] == exact


@pytest.mark.parametrize("dtype", INTEGERS)
def test_digits_as_text_are_read_for_64_bit_integers_alone(dtype: str) -> None:
    if dtype in ("int64", "uint64"):
        largest = int(np.iinfo(dtype).max)
        assert tensor(decode(body(dtype, f'["{largest}", 1, "0"]'))).tolist() == [largest, 1, 0]
        for wrong in (" 1", "1 ", "+1", "01", "1.0", "0x1", "1_0", "", "-", "٣", str(2**64)):
            assert type(refusal(body(dtype, json.dumps([wrong])))) is errors.InvalidElement
    else:
        assert type(refusal(body(dtype, '["1"]'))) is errors.InvalidElement


def test_minus_zero() -> None:
    for dtype in FLOATS:
        for zero in ("-0", "-0.0", "-0e5", "-0.0e-7"):
            for values in (f"[{zero}, 1]", f"[1,{zero}]", f"[[1, {zero} ]]", f"{zero}", f"[{zero}, {NAN}]"):
                read = tensor(decode(body(dtype, values))).reshape(-1)
                assert np.signbit(read[read == 0].astype(float)).all()
        assert not np.signbit(tensor(decode(body(dtype, "[0, 1, -0.5]"))).astype(float)[0])
    for dtype in INTEGERS:
        assert tensor(decode(body(dtype, "[-0, 1]"))).tolist() == [0, 1]


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_that_are_not_finite_have_names(dtype: str) -> None:
    for quote in ("", '"'):
        values = f"[{quote}NaN{quote}, {quote}Infinity{quote}, {quote}-Infinity{quote}, 1]"
        read = tensor(decode(body(dtype, values))).astype(np.float64)
        np.testing.assert_array_equal(read, [np.nan, np.inf, -np.inf, 1])
    scalar = tensor(decode(body(dtype, '"NaN"', "[]")))
    assert scalar.shape == ()
    assert scalar != scalar


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "wrong", ["true", "false", "null", '"1"', '"nan"', '"inf"', '"+Infinity"', '""', "{}", '" NaN"']
)
def test_what_is_no_float_is_refused_with_its_place(dtype: str, wrong: str) -> None:
    refused = refusal(body(dtype, f"[[1, 2.5], [{wrong}, 3]]"))
    assert type(refused) is errors.InvalidElement
    assert refused.place == "/data/values/1/0"


@pytest.mark.parametrize(
    ("dtype", "text", "expected"),
    [
        ("float16", "0.1", 0x2E66),
        ("float16", "65504", 0x7BFF),
        ("float16", "65519.99", 0x7BFF),
        ("float16", "65519.999999999999999999999999999", 0x7BFF),
        ("float16", "-65519.999999999999999999999999999", 0xFBFF),
        ("float16", "2049", 0x6800),
        ("float16", "2049.0000000000000000000000000001", 0x6801),
        ("float16", "2051", 0x6802),
        ("float16", "2050.9999999999999999999999999999", 0x6801),
        ("float16", "2.98023223876953125e-8", 0x0000),
        ("float16", "2.980232238769531250000000000001e-8", 0x0001),
        ("float16", "5.960464477539063e-8", 0x0001),
        ("float16", "1e-400", 0x0000),
        ("bfloat16", "0.1", 0x3DCD),
        ("bfloat16", "1.00390625", 0x3F80),
        ("bfloat16", "1.0039062500000000000000000001", 0x3F81),
        ("bfloat16", "1.0039062500001", 0x3F81),
        ("bfloat16", "1.01171875", 0x3F82),
        ("bfloat16", "1.0117187499999", 0x3F81),
        ("bfloat16", "1.0117187499999999999999999999999", 0x3F81),
        ("bfloat16", "3.3895313892515355e38", 0x7F7F),
        ("bfloat16", "339617752923046005526922703901628039167", 0x7F7F),
        ("bfloat16", HALF_LEAST_BFLOAT16, 0x0000),
        ("bfloat16", f"{HALF_LEAST_BFLOAT16.removesuffix('e-41')}1e-41", 0x0001),
        ("float32", "0.1", 0x3DCCCCCD),
        ("float32", "16777217", 0x4B800000),
        ("float32", "16777217.000000000000001", 0x4B800001),
        ("float32", "1.00000005960464477539062500000000000000000000001", 0x3F800001),
        ("float32", "1.00000005960464477539062499999999999999999999999", 0x3F800000),
        ("float32", "1.000000178813934326171875", 0x3F800002),
        ("float32", "1.0000001788139343261718749999999999999999999999", 0x3F800001),
        ("float32", "340282356779733661637539395458142568447", 0x7F7FFFFF),
        ("float32", "340282346638528859811704183484516925440", 0x7F7FFFFF),
        ("float32", "7.006492321624085e-46", 0x00000000),
        ("float32", "7.0064923216240853546186479164495806564013097093825788587853e-46", 0x00000000),
        ("float32", "7.0064923216240853546186479164495806564013097093825788587854e-46", 0x00000001),
        ("float32", "9007199254740993", 0x5A000000),
        ("float64", "9007199254740993", 0x4340000000000000),
        ("float64", "9007199254740993.0000000000000000000001", 0x4340000000000001),
        ("float64", "18446744073709551617", 0x43F0000000000000),
        ("float64", "1" + "0" * 308, 0x7FE1CCF385EBC8A0),
        ("float64", "5e-324", 0x0000000000000001),
        ("float64", "1.7976931348623158e308", 0x7FEFFFFFFFFFFFFF),
        ("float64", "0." + "0" * 5000 + "1e5001", 0x3FF0000000000000),
    ],
)
def test_a_number_is_rounded_once(dtype: str, text: str, expected: int) -> None:
    assert bits(tensor(decode(body(dtype, f"[{text}]")))) == [expected]
    assert bits(tensor(decode(body(dtype, text)))) == [expected]
    assert bits(tensor(decode(body(dtype, f"[[0.5, {text}], [{text}, 0]]"))))[1:3] == [expected] * 2
    assert bits(tensor(decode(body(dtype, f'[[0.5, {text}], [{text}, "NaN"]]'))))[1:3] == [expected] * 2


@pytest.mark.parametrize(
    ("dtype", "text"),
    [
        ("float16", "65520"),
        ("float16", "70000"),
        ("float16", "-65520.0"),
        ("float16", "1e39"),
        ("bfloat16", "339617752923046005526922703901628039168"),
        ("bfloat16", "3.4e38"),
        ("float32", "1e39"),
        ("float32", "340282356779733661637539395458142568448"),
        ("float32", "-3.4028235677973366163753939545814256844800000001e38"),
        ("float64", "1e400"),
        ("float64", "-1e999999999999999999999"),
        ("float64", "1" + "0" * 400),
        ("float64", "1" + "0" * 5000),
        ("float64", "1.7976931348623159e308"),
        ("float32", "1" + "0" * 5000),
    ],
)
def test_a_number_that_would_round_to_infinity_is_refused(dtype: str, text: str) -> None:
    for values in (f"[[1, 2], [{text}, 3]]", f'[[1, "NaN"], [{text}, 3]]'):
        refused = refusal(body(dtype, values))
        assert type(refused) is errors.InvalidElement
        assert refused.place == "/data/values/1/0"
        assert len(str(refused)) < 200


def test_bools() -> None:
    assert tensor(decode(body("bool", "[[true, false], [false, true]]"))).tolist() == [[True, False], [False, True]]
    assert tensor(decode(body("bool", "true"))).tolist() is True
    assert tensor(decode(body("bool", "[]", "[0, 2]"))).shape == (0, 2)
    for wrong in ("0", "1", "1.0", "null", '"true"', "NaN"):
        refused = refusal(body("bool", f"[true, {wrong}]"))
        assert type(refused) is errors.InvalidElement
        assert refused.place == "/data/values/1"


@pytest.mark.parametrize("dtype", NUMPY_DTYPES)
def test_base64_is_the_bytes_of_the_elements(dtype: str) -> None:
    raw = bytes([0, 1] * 12) if dtype == "bool" else bytes(range(3, 27))
    size = 24 // NUMPY_DTYPES[dtype].itemsize
    text = b64encode(raw).decode()
    content = f'{{"data": {{"dtype": "{dtype}", "shape": [1, {size}], "base64": "{text}"}}, "keepdims": 0}}'
    request = decode(content.encode())
    assert tensor(request).tobytes() == raw
    assert request.header.shape == (1, size)
    assert request.answer == AnswerOptions("base64", "number")
    assert request.parameters == {"keepdims": 0}
    assert tensor(decode(content.replace("/", "\\/").replace('"base64"', '"base\\u00364"').encode())).tobytes() == raw


@pytest.mark.parametrize(
    ("dtype", "shape", "text", "error"),
    [
        ("float32", "[1]", "AAAA", errors.InvalidBase64),
        ("float32", "[1]", "AAAAAAAAAA==", errors.InvalidBase64),
        ("float32", "[]", "", errors.InvalidBase64),
        ("float32", "[2147483648, 4294967296]", "AAAAAA==", errors.InvalidBase64),
        ("float32", "[1]", "AAAAAA", errors.InvalidBase64),
        ("float32", "[1]", "AAAAAA=", errors.InvalidBase64),
        ("float32", "[1]", "AAAAAA===", errors.InvalidBase64),
        ("float32", "[1]", "AAAA\\nAA==", errors.InvalidBase64),
        ("float32", "[1]", "AAAA AA==", errors.InvalidBase64),
        ("float32", "[1]", "AAAA-_==", errors.InvalidBase64),
        ("float32", "[1]", "AAAAAé==", errors.InvalidBase64),
        ("float32", "[1]", "AAAAAB==", errors.InvalidBase64),
        ("bool", "[3]", "AAEC", errors.InvalidElement),
    ],
)
def test_base64_is_strict(dtype: str, shape: str, text: str, error: type[Refusal]) -> None:
    content = f'{{"data": {{"dtype": "{dtype}", "shape": {shape}, "base64": "{text}"}}}}'
    refused = refusal(content.encode())
    assert type(refused) is error
    assert refused.place == "/data/base64"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("AAAAAA", "; its padding is missing"),
        ("AAAAAAA", "; its padding is missing"),
        ("A" * 3_000_002, "; its padding is missing"),
        ("AAAAA", ""),
        ("AAAAAA=", ""),
        ("AA==AA", ""),
        ("AAAA-_==", "; write + and / for the - and _ of the URL-safe alphabet"),
        ("AAAA_A", "; write + and / for the - and _ of the URL-safe alphabet"),
        ("A" * 3_000_000 + "-AA=", "; write + and / for the - and _ of the URL-safe alphabet"),
        ("AAAA\\nAA==", "; leave out its line breaks and blanks"),
        ("AAAA\\r\\n AA==", "; leave out its line breaks and blanks"),
        ("AAA\\n-A==", ""),
        ("AAAAé===", ""),
        ("data:application/octet-stream;base64,AAAAAA==", ""),
    ],
    ids=lambda text: text[-20:],
)
def test_what_is_wrong_with_a_base64_text_is_told(text: str, hint: str) -> None:
    refused = refusal(f'{{"data": {{"dtype": "float32", "shape": [1], "base64": "{text}"}}}}'.encode())
    assert str(refused) == f"the text is not valid base64 (standard alphabet, with padding){hint}"
