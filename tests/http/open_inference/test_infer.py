"""What a request of the Open Inference Protocol may say, and what it may not."""

import gzip
import json
import zlib
from typing import Any

import httpx
import ml_dtypes
import numpy as np
import pytest

from tests.http.service import Client, Service
from tests.inference import LENGTH, infer_path, packed, read_answer, request, tensor

X = np.array([[3, 1, 2], [9, 7, 8]], np.float32)
MIN = infer_path("reduce_min", 18)


def data(values: Any, datatype: str = "FP32", shape: list[int] | None = None) -> dict[str, Any]:
    return {"name": "data", "shape": [len(values)] if shape is None else shape, "datatype": datatype, "data": values}


def axes(*values: Any) -> dict[str, Any]:
    return {"name": "axes", "shape": [len(values)], "datatype": "INT64", "data": list(values)}


def raw(name: str, datatype: str, shape: list[int], size: int) -> dict[str, Any]:
    return {"name": name, "datatype": datatype, "shape": shape, "parameters": {"binary_data_size": size}}


def output(service: Service, content: Any, path: str = MIN, headers: dict[str, str] | None = None) -> dict[str, Any]:
    response = service.post(path, content, headers)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    (found,) = response.json()["outputs"]
    return dict(found)


def error(service: Service, content: Any, path: str = MIN, headers: dict[str, str] | None = None) -> str:
    response = service.post(path, content, headers)
    assert response.status_code == 400, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.json().keys() == {"error"}
    assert len(response.content) < 600
    return str(response.json()["error"])


# Answers


def test_an_answer_says_which_model_answers(service: Service) -> None:
    asked = {"id": "a\u00e4", "inputs": [data([3, 1])], "parameters": {"keepdims": 0}}
    assert service.post(infer_path("reduce_min"), asked).json() == {
        "model_name": "reduce_min",
        "model_version": "20",
        "id": "a\u00e4",
        "outputs": [{"name": "reduced", "datatype": "FP32", "shape": [], "data": [1.0]}],
    }


def test_an_id_comes_back(service: Service) -> None:
    for text in ("x", "\u20ac", '"', "\\", "a long text", "\u0000", "y" * 60_000):
        assert service.post(MIN, {"id": text, "inputs": [data([3, 1])]}).json()["id"] == text
    said = "id must be a short text, not a text of more than 65536 bytes"
    assert said in error(service, {"id": "y" * 70_000, "inputs": [data([3, 1])]})
    slowly = json.dumps({"id": "a long text", "inputs": [data([3, 1])]}).encode() + b" " * 70_000
    assert service.post(MIN, slowly).json()["id"] == "a long text"


def test_an_empty_id_is_none(service: Service) -> None:
    assert "id" not in service.post(MIN, {"id": "", "inputs": [data([3, 1])]}).json()


@pytest.mark.parametrize("version", [1, 11, 12, 13, 18, 20])
def test_axes_are_an_input_at_every_version_wherever_they_stand(service: Service, version: int) -> None:
    for inputs in ([data(X.tolist(), shape=[2, 3]), axes(1)], [axes(1), data(X.reshape(-1).tolist(), shape=[2, 3])]):
        found = output(service, {"inputs": inputs}, infer_path("reduce_min", version))
        assert (found["shape"], found["data"]) == ([2, 1], [1, 7])


def test_axes_may_be_a_parameter(service: Service) -> None:
    asked = {"inputs": [data(X.tolist(), shape=[2, 3])], "parameters": {"axes": [1.0], "keepdims": False}}
    assert output(service, asked)["data"] == [1, 7]


def test_integral_floats_are_integers_everywhere(service: Service) -> None:
    asked = {
        "inputs": [
            {**data([3.0, 1e0, -0.0, 9007199254740993.0], "INT64"), "shape": [2.0, 2.0]},
            {**axes(1.0), "data": [1.0]},
        ],
        "parameters": {"keepdims": 0.0},
    }
    assert output(service, asked)["data"] == [1, 0]
    exact = b'{"inputs":[{"name":"data","datatype":"INT64","shape":[2],"data":[9007199254740993.0,9.1e18]}]}'
    assert output(service, exact)["data"] == [2**53 + 1]
    many = data([float(number) for number in range(5000, 0, -1)], "INT32")
    assert output(service, {"inputs": [many]})["data"] == [1]
    assert "1.5" in error(service, {"inputs": [data([1.5], "INT32")]})
    assert "1.5" in error(service, {"inputs": [data([1]), axes(1.5)]})
    assert "1.5" in error(service, {"inputs": [data([1])], "parameters": {"keepdims": 1.5}})


def test_zero_is_an_integer_whatever_its_exponent(service: Service) -> None:
    for zero in ("0e20", "0.0e30", "-0E+400", "0.00e-400", "0e99999999999999999999"):
        asked = b'{"inputs":[{"name":"data","datatype":"INT64","shape":[2],"data":[%b,7]}]}' % zero.encode()
        assert output(service, asked)["data"] == [0]


def test_floats_that_are_no_integers_of_a_dtype_are_told_why(service: Service) -> None:
    for text in ("1e20", "-1e20", "1e309", "-1.5e400", "1e99999999999999999999", "123456789012345678901.0"):
        asked = b'{"inputs":[{"name":"data","datatype":"INT64","shape":[1],"data":[%b]}]}' % text.encode()
        said = f"{text} is outside the range of int64, {-(2**63)} to {2**63 - 1} (at /inputs/0/data/0)"
        assert error(service, asked).startswith(said)
    for text in ("1.0000000000000000001", "1e-5", "1.5e-999999999999999999", "1e-99999999999999999999"):
        asked = b'{"inputs":[{"name":"data","datatype":"INT64","shape":[1],"data":[%b]}]}' % text.encode()
        assert error(service, asked).startswith(f"int64 takes only integers; got {text} (")


def test_nan_and_the_infinities_are_bare_tokens_both_ways(service: Service) -> None:
    body = b'{"inputs":[{"name":"data","datatype":"%b","shape":[2,2],"data":[NaN,1,-Infinity,Infinity]}, %b]}'
    along = json.dumps(axes(0)).encode()
    for datatype in (b"FP16", b"BF16", b"FP32", b"FP64"):
        for shown, name in (("[NaN,-Infinity]", "reduce_min"), ("[NaN,Infinity]", "reduce_max"), ("[NaN,0]", "")):
            if name:
                response = service.post(infer_path(name, 13), body % (datatype, along.replace(b"[0]", b"[1]")))
                assert response.status_code == 200, response.text
                found = response.json()["outputs"][0]["data"]
                assert np.isnan(found[0])
                assert found[1] == (float("-inf") if name == "reduce_min" else float("inf"))
                assert '"data":' + shown in response.text


def test_half_precision_is_taken_in_json(service: Service) -> None:
    assert output(service, {"inputs": [data([0.1, 60000], "FP16")]})["data"] == [0.099975586]
    assert output(service, {"inputs": [data([0.1, 60000], "BF16")]})["data"] == [0.100097656]


def test_64_bit_integers_stay_exact(service: Service) -> None:
    most = infer_path("reduce_max", 18)
    assert output(service, {"inputs": [data([2**53 + 1, 7], "INT64")]}, most)["data"] == [2**53 + 1]
    assert output(service, {"inputs": [data([2**64 - 1, 7], "UINT64")]}, most)["data"] == [2**64 - 1]
    assert "outside the range" in error(service, {"inputs": [data([2**64], "UINT64")]}, most)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("binary_answer", [False, True])
def test_empty_tensors(service: Service, binary: bool, binary_answer: bool) -> None:
    empty = np.empty((2, 0, 3), np.float32)
    total = infer_path("reduce_sum", 13)
    for along, shape in ((1, (2, 1, 3)), (2, (2, 0, 1))):
        body, headers = request("float32", empty, {"axes": [along]}, binary, binary_answer)
        response = service.post(total, body, headers)
        assert response.status_code == 200, response.text
        dtype, values = read_answer(response.content, response.headers)
        assert (dtype, values.shape, values.tobytes()) == ("float32", shape, bytes(values.nbytes))


def test_nothing_in_the_body_needs_a_content_type_and_none_misleads(service: Service) -> None:
    asked = {"inputs": [data([3, 1])]}
    for kind in ("application/x-www-form-urlencoded", "text/plain", "application/octet-stream"):
        assert output(service, asked, headers={"content-type": kind, "accept": "text/html"})["data"] == [1]


def test_what_clients_add_is_passed_over(service: Service) -> None:
    asked = {
        "id": None,
        "model_name": "reduce_min",
        "parameters": {"priority": 1, "timeout": 5, "sequence_id": 3, "sequence_start": True, "headers": {"a": "b"}},
        "inputs": [{**data([3, 1]), "parameters": {"content_type": "np"}}],
        "outputs": [{"name": "reduced", "parameters": {"classification": None, "content_type": "np"}}],
    }
    assert output(service, asked)["data"] == [1]


def test_a_slash_at_the_end_makes_no_difference(service: Service) -> None:
    assert output(service, {"inputs": [data([3, 1])]}, f"{MIN}/")["data"] == [1]


def test_blanks_say_nothing_however_many(service: Service) -> None:
    body = json.dumps({"inputs": [axes(0), data([3, 1])], "outputs": [], "parameters": {"keepdims": 0}}).encode()
    blanks = b" " * 70_000
    for place in (b"[", b'"shape":', b"}", b'"keepdims":'):
        assert output(service, body.replace(place, place + blanks))["data"] == [1]


# Binary tensors


def test_binary_in_and_out_in_every_combination(service: Service) -> None:
    for form in range(32):
        raw_data, raw_axes, raw_answer, data_first, inline = (bool(form >> bit & 1) for bit in range(5))
        values = X if inline else np.tile(X, (1, 3000))
        parts = [tensor("data", "float32", values, raw_data), tensor("axes", "int64", np.array([1]), raw_axes)]
        parts = parts if data_first else parts[::-1]
        outputs = [{"name": "reduced", "parameters": {"binary_data": raw_answer}}]
        body, headers = packed({"inputs": [part for part, _ in parts], "outputs": outputs}, parts)
        response = service.post(MIN, body, headers)
        assert response.status_code == 200, response.text
        assert (LENGTH in response.headers) == raw_answer
        assert read_answer(response.content, response.headers)[1].tolist() == [[1], [7]]


def test_without_outputs_binary_data_output_says_what_is_wanted(service: Service) -> None:
    for wanted in (True, False):
        response = service.post(MIN, {"inputs": [data([3, 1])], "parameters": {"binary_data_output": wanted}})
        assert (LENGTH in response.headers) == wanted
        kind = "application/octet-stream" if wanted else "application/json"
        assert response.headers["content-type"] == kind
        assert read_answer(response.content, response.headers)[1].tolist() == [1]


def test_an_output_decides_for_itself(service: Service) -> None:
    asked = {"inputs": [data([3, 1])], "parameters": {"binary_data_output": True}}
    for wanted in ({}, {"binary_data": True}):
        assert LENGTH in service.post(MIN, {**asked, "outputs": [{"name": "reduced", "parameters": wanted}]}).headers
    wanted = {"binary_data": False}
    assert LENGTH not in service.post(MIN, {**asked, "outputs": [{"name": "reduced", "parameters": wanted}]}).headers


def test_a_header_as_long_as_the_body_is_all_json(service: Service) -> None:
    body = json.dumps({"inputs": [data([3, 1])]}).encode()
    assert output(service, body, headers={LENGTH: str(len(body))})["data"] == [1]


def test_without_json_the_body_is_fp32_elements_and_the_answer_binary(service: Service) -> None:
    for size in (2, 5000):
        response = service.post(MIN, np.arange(size, 0, -1, dtype=np.float32).tobytes(), {LENGTH: "0"})
        assert read_answer(response.content, response.headers)[1].tolist() == [1]
    assert "5 bytes" in error(service, b"12345", headers={LENGTH: "0"})


@pytest.mark.parametrize("compress", [gzip.compress, None])
@pytest.mark.parametrize("size", [0, 1, 3, 4, 30_000, 30_001])
def test_without_json_a_compressed_body_is_the_same(service: Service, size: int, compress: Any) -> None:
    body = b"\1" * size
    plain = service.post(MIN, body, {LENGTH: "0"})
    if compress:
        response = service.post(MIN, compress(body), {LENGTH: "0", "content-encoding": "gzip"})
    else:
        fields = [(b"transfer-encoding", b"chunked"), (LENGTH.lower().encode(), b"0")]
        start, *others = Client(body[:7], body[7:], headers=fields, url=MIN).call(service)
        response = httpx.Response(start["status"], content=b"".join(message.get("body", b"") for message in others))
    assert (response.status_code, response.content) == (plain.status_code, plain.content)


def test_without_json_only_a_body_that_says_its_length_is_read_as_it_comes() -> None:
    small = Service(max_body_bytes=1000)
    body = b"\1" * 4000
    assert small.post(MIN, body, {LENGTH: "0"}).status_code == 200
    response = small.post(MIN, gzip.compress(body), {LENGTH: "0", "content-encoding": "gzip"})
    assert response.status_code == 413
    assert "Content-Length" in response.json()["error"]


@pytest.mark.parametrize("size", [3, 5000])
def test_bytes_are_counted(service: Service, size: int) -> None:
    values = np.ones(size, np.float32)
    body, headers = request("float32", values, {}, binary=True)
    for wrong in (body + b"\0", body + b"\0" * 4, body[:-1], body[:-4]):
        error(service, wrong, headers=headers)
    compressed = {"content-encoding": "gzip", **headers}
    for wrong in (body + b"\0", body[:-1]):
        error(service, gzip.compress(wrong), headers=compressed)


def test_sizes_that_make_no_sense_are_refused(service: Service) -> None:
    text = json.dumps({"inputs": [raw("data", "FP32", [2], 8)]}).encode()
    body = text + bytes(8)
    for length in (str(len(body) + 1), str(len(text) - 1), "x", "-1", "1e3", "9" * 30):
        error(service, body, headers={LENGTH: length})
    assert "8 bytes of tensors" in error(service, text)
    assert "binary_data_size is 4" in error(service, {"inputs": [raw("data", "FP32", [2], 4)]})
    assert "one of" in error(service, {"inputs": [{**raw("data", "FP32", [1], 4), "data": [1]}]})
    assert "number of bytes" in error(service, {"inputs": [raw("data", "FP32", [1], -4)]})
    bools, headers = packed({"inputs": [raw("data", "BOOL", [2], 2)]}, [({}, b"\x01\x02")])
    assert "a bool must be 0 or 1" in error(service, bools, infer_path("reduce_max", 20), headers)


def test_a_large_body_with_its_axes_last_must_fit_in_memory() -> None:
    small = Service(max_body_bytes=50_000)
    values = np.ones((2, 10_000), np.float32)
    body, headers = request("float32", values, {"axes": [1]}, binary=True)
    assert small.post(MIN, body, headers).status_code == 200
    body, headers = request("float32", values, {"axes": [1]}, binary=True, axes_last=True)
    response = small.post(MIN, body, headers)
    assert response.status_code == 413
    assert "last" in response.json()["error"]


def test_a_stream_larger_than_allowed_is_refused_before_it_comes() -> None:
    body, headers = request("float32", np.ones(10_000, np.float32), {}, binary=True)
    small = Service(max_stream_bytes=20_000)
    sent = Client(
        body[:1000],
        headers=[(b"content-length", b"%d" % len(body)), (LENGTH.lower().encode(), headers[LENGTH].encode())],
        url=MIN,
    ).call(small)
    assert sent[0]["status"] == 413


# Encodings


@pytest.mark.parametrize(("encoding", "compress"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
@pytest.mark.parametrize("size", [3, 30_000])
def test_bodies_may_be_compressed_both_ways(service: Service, encoding: str, compress: Any, size: int) -> None:
    values = np.linspace(1, 2, size, dtype=np.float32)
    for binary in (False, True):
        for binary_answer in (False, True):
            body, headers = request("float32", values, {}, binary, binary_answer)
            headers |= {"content-encoding": encoding, "accept-encoding": encoding}
            response = service.post(MIN, compress(body), headers)
            assert response.status_code == 200, response.text
            assert response.headers["content-encoding"] == encoding
            assert read_answer(response.content, response.headers)[1].tolist() == [1]


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip", "gzip"),
        ("x-gzip", "gzip"),
        (" DEFLATE ", "deflate"),
        ("gzip;q=0.5", "gzip"),
        ("gzip;q=0.5, identity;q=0.1", "gzip"),
        ("identity;q=0, gzip;q=0.2, deflate;q=0.8", "deflate"),
        ("gzip;q=1.0, deflate;q=0.9, *;q=0.1", "gzip"),
        ("br, zstd, gzip, *;q=0", "gzip"),
        ("gzip, deflate", None),  # what HTTP libraries send unasked
        ("gzip, deflate, br, zstd", None),
        ("gzip;q=0.1, identity", None),
        ("gzip;q=0", None),
        ("gzip;q=2", None),
        ("identity", None),
        ("identity;q=0", None),
        ("*", None),
        ("*;q=0", None),
        ("br", None),
        (", ;q=1, (gzip)", None),
        ("", None),
        ("gzip" + " " * 300 + ", identity;q=0", "gzip"),
    ],
)
def test_an_answer_is_compressed_for_who_asks_for_it(service: Service, accepted: str, encoding: str | None) -> None:
    response = service.post(MIN, {"inputs": [data([3, 1])]}, {"accept-encoding": accepted})
    assert response.headers.get("content-encoding") == encoding
    assert response.headers.get("vary") == ("Accept-Encoding" if encoding else None)
    assert response.json()["outputs"][0]["data"] == [1]


def test_errors_are_never_compressed(service: Service) -> None:
    response = service.post(MIN, b"{", {"accept-encoding": "gzip"})
    assert "content-encoding" not in response.headers


def test_an_unknown_encoding_is_refused(service: Service) -> None:
    response = service.post(MIN, b"x", {"content-encoding": "br"})
    assert response.status_code == 415
    assert "br" in response.json()["error"]


def test_a_body_that_comes_in_pieces(service: Service) -> None:
    body, headers = request("float32", np.tile(X, (1, 4000)), {"axes": [1]}, binary=True)
    for step in (1 << 12, 7001):
        pieces = [body[start : start + step] for start in range(0, len(body), step)]
        fields = [(b"transfer-encoding", b"chunked"), (LENGTH.lower().encode(), headers[LENGTH].encode())]
        sent = Client(*pieces, headers=fields, url=MIN).call(service)
        assert sent[0]["status"] == 200
        assert json.loads(sent[1]["body"])["outputs"][0]["data"] == [1, 7]


# Errors

BAD: list[tuple[Any, str]] = [
    (b"", "not JSON"),
    (b"{", "not JSON"),
    (b"\xff", "not UTF-8"),
    (b"[]", "an object"),
    ({}, "inputs"),
    ({"inputs": {}}, "inputs"),
    *(({"inputs": other}, "inputs must be a list") for other in (1, 1.5, True, "data", None)),
    ({"inputs": [1]}, "an object"),
    ({"inputs": []}, "data"),
    ({"inputs": [axes(0)]}, "data"),
    ({"inputs": [data([1]), data([1])]}, "twice"),
    ({"inputs": [{**data([1]), "name": "x"}]}, "data and axes"),
    ({"inputs": [{**data([1]), "dtype": "FP32"}]}, "dtype"),
    ({"inputs": [data([1])], "input": []}, "input"),
    ({"inputs": [data([1], "BYTES")]}, "BYTES"),
    ({"inputs": [data([1], "float32")]}, "FP32"),
    ({"inputs": [{"name": "data", "shape": [1], "data": [1]}]}, "datatype"),
    ({"inputs": [{"name": "data", "datatype": "FP32", "data": [1]}]}, "shape"),
    ({"inputs": [{"name": "data", "datatype": "FP32", "shape": [1]}]}, "one of data"),
    ({"inputs": [data([1], shape=[-1])]}, "-1"),
    ({"inputs": [data([1, 2, 3], shape=[2])]}, "the list has 3 elements, but shape [2] needs 2"),
    ({"inputs": [data([[1, 2], [3]], shape=[2, 2])]}, "ragged"),
    ({"inputs": [data([[1, 2], [3, 4]], shape=[4])]}, "nested"),
    ({"inputs": [data(["x"])]}, '"x" is not a float32'),
    ({"inputs": [data([True], "INT8")]}, "true"),
    (
        {"inputs": [data([1, float("nan")], "INT8")]},
        "int8 takes only integers; got NaN (at /inputs/0/data/1)",
    ),
    (
        {"inputs": [data([float("-inf")], "BOOL")]},
        "-Infinity is not a bool; use true or false (at /inputs/0/data/0)",
    ),
    (
        {"inputs": [data([1]), axes(float("inf"))]},
        "int64 takes only integers; got Infinity (at /inputs/1",
    ),
    ({"inputs": [data([300], "INT8")]}, "/inputs/0/data/0"),
    ({"inputs": [data([1e39])]}, "too large"),
    ({"inputs": [data([1], "INT16")]}, "int16"),
    ({"inputs": [data([1]), axes(1)]}, "axis 1 is outside [-1, 0] for a rank 1 tensor (at /inputs/1/data/0)"),
    (
        {"inputs": [axes(0, 0), data([1])]},
        "axis 0 is listed twice; a rank 1 tensor has axes [-1, 0], each to be listed once (at /inputs/0/data/1)",
    ),
    ({"inputs": [data([1])], "parameters": {"axes": [0, 2]}}, "rank 1 tensor (at /parameters/axes/1)"),
    ({"inputs": [data([1])], "parameters": {"axes": [0, 0.5]}}, "not 0.5 (at /parameters/axes/1)"),
    ({"inputs": [axes(0), data([True], "BOOL")]}, "(at /inputs/1/datatype)"),
    ({"inputs": [data([1])], "parameters": {"data": 1}}, "(at /parameters/data)"),
    ({"inputs": [data([1]), {**axes(0), "datatype": "FP32"}]}, "axes must be INT64 or INT32, not FP32"),
    ({"inputs": [data([1]), {**axes(0), "shape": [1, 1]}]}, "one dimension"),
    ({"inputs": [data([1]), axes(*range(70))]}, "70 members"),
    ({"inputs": [data([1]), axes(0)], "parameters": {"axes": [0]}}, "both as an input and as a parameter; give one"),
    (
        {"inputs": [data([1])], "parameters": {"keepdims": 2}},
        "keepdims must be 0 or 1, not 2 (at /parameters/keepdims)",
    ),
    ({"inputs": [data([1])], "parameters": {"axis": 0}}, "no version of ReduceMin"),
    ({"inputs": [data([1])], "parameters": []}, "parameters"),
    ({"inputs": [data([1])], "parameters": {"binary_data_output": 1}}, "(at /parameters/binary_data_output)"),
    ({"inputs": [data([1])], "outputs": [{"name": "y"}]}, "reduced"),
    ({"inputs": [data([1])], "outputs": [{"name": "reduced"}, {"name": "reduced"}]}, "twice"),
    ({"inputs": [data([1])], "outputs": [{"name": "reduced", "parameters": {"classification": 3}}]}, "classification"),
    ({"inputs": [data([1])], "outputs": 3}, "outputs"),
    ({"inputs": [data([1])], "parameters": {"keepdim": 1}}, "(at /parameters/keepdim)"),
    ({"inputs": [data([1])], "parameters": {"k" * 999: 1}}, "(at /parameters)"),
    ({"inputs": [{**data([1]), "name": "n" * 40}]}, f'"{"n" * 40}"; there are'),
    ({"inputs": [{**data([1]), "name": "ä" * 40}]}, "ä" * 40 + '"; there are'),
    (
        {"inputs": [{**data([1]), "name": "ä" * 41}]},
        "ä" * 40 + '…" (41 characters); there are',
    ),
    ({"inputs": [data([1])], "parameters": {"\u001b[31m\u202e": 1}}, "(at /parameters/\\u001b[31m\\u202e)"),
    ({"inputs": [{**data([1]), "parameters": {"keepdims": 0}}]}, '"keepdims" here'),
    ({"inputs": [{**data([1]), "parameters": {"k" * 999: 0}}]}, "(999 characters) here"),
    ({"inputs": [{**data([1]), "parameters": {"shared_memory_byte_size": 4}}]}, "shared_memory_region beside"),
    (
        {"inputs": [data([1])], "outputs": [{"name": "reduced", "parameters": {"binary": True}}]},
        "(at /outputs/0/parameters)",
    ),
    ({"inputs": [data([1])], "outputs": [{"name": "reduced", "data": []}]}, '"data"'),
    ({"inputs": [data([1])], "input" * 99: []}, "(495 characters)"),
    ({"inputs": [data([1])], "id": 3}, "id must be a short text, not 3 (at /id)"),
    ({"inputs": []}, "(at /inputs)"),
    (b'{"inputs":[],"inputs":[]}', "more than once"),
    (b'{"inputs":[{"name":"data","datatype":"FP32","shape":[1],"data":[1],"data":[1]}]}', "more than once"),
    (b'{"inputs":[{"name":"data","datatype":"FP32","shape":[1],"data":{}}]}', "an object"),
    (b'{"inputs":' + b"[" * 100_000, "not JSON"),
]


@pytest.mark.parametrize(("content", "said"), BAD, ids=[said for _, said in BAD])
def test_what_is_refused_and_why(service: Service, content: Any, said: str) -> None:
    assert said in error(service, content)


def test_the_words_are_those_of_our_problem_documents(service: Service) -> None:
    ours = service.post("/v18/reduce_min", {"data": {"dtype": "float32", "values": [1]}, "axes": [3]}).json()
    assert error(service, {"inputs": [data([1]), axes(3)]}) == f"{ours['detail']} (at /inputs/1/data/0)"


def test_raw_tensors_have_the_place_of_their_input(service: Service) -> None:
    content = json.dumps({"inputs": [raw("axes", "INT64", [1], 8), raw("data", "BOOL", [2], 2)]}).encode()
    headers = {LENGTH: str(len(content))}
    outside = content + np.array([1]).tobytes() + b"\x00\x01"
    for path, body, place in (
        (infer_path("reduce_min", 20), outside, "/inputs/0"),
        (infer_path("reduce_min", 20), content + bytes(8) + b"\x00\x02", "/inputs/1"),
        (infer_path("reduce_min", 18), content + bytes(10), "/inputs/1/datatype"),
    ):
        assert error(service, body, path, headers).endswith(f" (at {place})")


def test_a_body_without_json_has_no_places(service: Service) -> None:
    said = error(service, b"", infer_path("arg_min", 11), {LENGTH: "0"})
    assert "(at " not in said


def test_a_parameter_of_another_version_says_since_when(service: Service) -> None:
    asked = {"inputs": [data([1])], "parameters": {"select_last_index": 1}}
    assert "since version 12" in error(service, asked, infer_path("arg_min", 11))


def test_bfloat16_elements_are_the_ones_numpy_has(service: Service) -> None:
    values = np.array([1.5, -2.25], ml_dtypes.bfloat16)
    body, headers = request("bfloat16", values, {}, binary=True, binary_answer=True)
    response = service.post(MIN, body, headers)
    assert read_answer(response.content, response.headers)[1].tolist() == [-2.25]
