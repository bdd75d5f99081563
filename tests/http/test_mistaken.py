"""Bodies in another format than they are said to be in, and limits, are told of with their remedy."""

import gzip
import io
import json
import zipfile

import numpy as np
import pytest

from tests.files import npy
from tests.http.service import CHUNKED, Client, Service, problem

FILE = npy("float32", np.ones(2, np.float32))
JSON, NPY, RAW = "application/json", "application/x-npy", "application/octet-stream"
BEGINS = "; it begins like an .npy file: send it with Content-Type: application/x-npy"
UNNAMED = "; without Content-Type a body is read as JSON: send Content-Type: application/json with JSON, or "


@pytest.mark.parametrize("size", [1, 40_000])
@pytest.mark.parametrize("given", [JSON, None])
def test_an_npy_file_that_is_read_as_json_is_recognized(service: Service, given: str | None, size: int) -> None:
    content = npy("float32", np.ones(size, np.float32))
    found = problem(
        service.post("/v13/reduce_sum", content, {"content-type": given} if given else {}), 400, "malformed-body"
    )
    assert found["detail"].endswith(BEGINS)


def test_an_npy_file_that_is_sent_as_elements_is_recognized(service: Service) -> None:
    found = problem(
        service.post("/v13/reduce_sum?dtype=float32&shape=2", FILE, {"content-type": RAW}), 400, "malformed-body"
    )
    assert found["detail"] == f"the body must have 8 bytes for its dtype and shape, but has {len(FILE)}{BEGINS}"


def test_elements_that_are_cut_short_are_no_npy_file(service: Service) -> None:
    found = problem(
        service.post("/v13/reduce_sum?dtype=float32&shape=2", b"1234567", {"content-type": RAW}), 400, "malformed-body"
    )
    assert found["detail"] == "the body must have 8 bytes for its dtype and shape, but has 7"


def test_a_body_of_no_type_is_told_both(service: Service) -> None:
    found = problem(service.post("/v13/reduce_sum", b"1,2", {}), 400, "malformed-body")
    assert UNNAMED in found["detail"]
    assert found["detail"].endswith("Content-Type: application/x-npy with an .npy file")


@pytest.mark.parametrize("read", ["the content is not gzip", "something follows the gzip content", "the body is not"])
def test_a_broken_encoding_is_no_matter_of_the_type(service: Service, read: str) -> None:
    bodies = {"the content": b"xx", "something": gzip.compress(b"{}") + b"x", "the body": gzip.compress(FILE)}
    body = next(body for start, body in bodies.items() if read.startswith(start))
    found = problem(service.post("/v13/reduce_sum", body, {"content-encoding": "gzip"}), 400, "malformed-body")
    assert found["detail"].startswith(read)
    assert (UNNAMED in found["detail"]) == (read == "the body is not")


def test_malformed_json_that_says_so_is_told_nothing_of_other_types(service: Service) -> None:
    found = problem(service.post("/v13/reduce_sum", b"1,2", {"content-type": JSON}), 400, "malformed-body")
    assert "Content-Type" not in found["detail"]


@pytest.mark.parametrize("size", [2, 64])
def test_a_file_that_lost_its_zeros_and_line_breaks_is_recognized(service: Service, size: int) -> None:
    """As curl -d sends it: of a file without zeros and line breaks behind them, or of its beginning alone."""
    whole = npy("float32", np.ones(size, np.float32))
    remedy = "; curl -d leaves out line breaks and zero bytes, --data-binary sends all"
    for stripped in (whole.translate(None, b"\0\r\n"), whole[:7] + whole[-5:-1], whole[:7]):
        for headers in ({"content-type": NPY}, {"content-type": "Application/X-NPY"}):
            found = problem(service.post("/v13/reduce_sum", stripped, headers), 400, "malformed-body")
            assert found["detail"].endswith(remedy)
            assert ("there is no version 1." in found["detail"]) == (len(stripped) > 7)


def test_a_version_to_come_is_no_damage(service: Service) -> None:
    later = FILE[:6] + b"\4" + FILE[7:]
    found = problem(service.post("/v13/reduce_sum", later, {"content-type": NPY}), 400, "malformed-body")
    assert found["detail"] == "npy version 4.0 is not supported; use 1.0, 2.0 or 3.0"


def test_a_file_is_looked_at_though_it_comes_in_pieces(service: Service) -> None:
    broken = FILE[:10] + b"x" + FILE[11:]
    client = Client(broken[:7], broken[7:], url="/v13/reduce_sum", headers=[(b"content-type", NPY.encode()), *CHUNKED])
    assert client.call(service)[0]["status"] == 400
    said = json.loads(client.sent[1]["body"])["detail"]
    assert said == "the npy header is not a Python literal"


@pytest.mark.parametrize(
    ("start", "remedy"),
    [
        (b'{"data": 1}', "; it begins like JSON: send it with Content-Type: application/json"),
        (b" \n[1, 2]", "; it begins like JSON: send it with Content-Type: application/json"),
        (b"1, 2", ""),
    ],
)
def test_json_that_is_sent_as_a_file_is_recognized(service: Service, start: bytes, remedy: str) -> None:
    found = problem(service.post("/v13/reduce_sum", start, {"content-type": NPY}), 400, "malformed-body")
    assert found["detail"] == f"the body is not an .npy file: it does not begin with its magic string{remedy}"


def test_a_file_in_a_form_is_told_to_be_the_body(service: Service) -> None:
    response = service.post("/v13/reduce_sum", FILE, {"content-type": "multipart/form-data; boundary=x"})
    found = problem(response, 415, "unsupported-media-type")
    assert found["detail"].endswith("; send the file as the body, which curl does with --data-binary @FILE")


def test_an_archive_of_files_is_recognized(service: Service) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("x.npy", FILE)
    response = service.post("/v13/reduce_sum", archive.getvalue(), {"content-type": NPY})
    assert "this is a zip archive (.npz?), send one .npy file" in problem(response, 400, "malformed-body")["detail"]


@pytest.mark.parametrize("name", ["dtype", "shape"])
def test_an_npy_file_says_itself_what_it_is(service: Service, name: str) -> None:
    response = service.post(f"/v13/reduce_sum?{name}=float32", FILE, {"content-type": NPY})
    found = problem(response, 422, "unknown-parameter")
    assert found["detail"] == f"an .npy file names its own {name}; leave it out of the query"
    assert found["place"] == f"/{name}"


def test_a_list_in_a_query_is_told_how_it_is_written(service: Service) -> None:
    found = problem(service.post("/v13/reduce_sum?axes=[0]", FILE, {"content-type": NPY}), 422, "invalid-parameter")
    assert found["detail"] == 'an axis must be an integer, not "[0]"; in a query, write axes=1 or axes=0,2'


@pytest.mark.parametrize("asked", ["reduce_sum?axes=true", "arg_max?axis=true"])
def test_an_axis_in_a_query_is_told_of_in_one_way(service: Service, asked: str) -> None:
    found = problem(service.post(f"/v13/{asked}", FILE, {"content-type": NPY}), 422, "invalid-parameter")
    assert found["detail"] == "an axis must be an integer, not true"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("float", "float32"),
        ("FLOAT", "float32"),
        ("tensor(double)", "float64"),
        ("FLOAT16", "float16"),
        ("BFLOAT16", "bfloat16"),
        ("INT64", "int64"),
        ("<f4", "float32"),
        ("FP32", "float32"),
        ("half", "float16"),
        ("single", "float32"),
        ("double", "float64"),
        ("f16", "float16"),
        ("f32", "float32"),
        ("F64", "float64"),
        ("bf16", "bfloat16"),
        ("i16", "int16"),
        ("i32", "int32"),
        ("i64", "int64"),
        ("u16", "uint16"),
        ("u32", "uint32"),
        ("u64", "uint64"),
        ("<i8", "int64"),
        ("|u1", "uint8"),
        ("np.int8", "int8"),
        ("flaot32", "float32"),
    ],
)
def test_dtypes_of_others_lead_to_ours(service: Service, given: str, meant: str) -> None:
    body = {"data": {"dtype": given, "values": [1]}}
    said = f'"{given}" is not a dtype (did you mean {meant}?); use one of bool, '
    assert problem(service.post("/v13/reduce_sum", body), 422, "unknown-dtype")["detail"].startswith(said)
    response = service.post(f"/v13/reduce_sum?dtype={given}&shape=1", b"1234", {"content-type": RAW})
    assert problem(response, 422, "unknown-dtype")["detail"].startswith(said)


@pytest.mark.parametrize(
    ("given", "meant"), [("float32", "FP32"), ("FLOAT", "FP32"), ("bfloat16", "BF16"), ("FP23", "FP32")]
)
def test_dtypes_of_others_lead_to_those_of_the_protocol(service: Service, given: str, meant: str) -> None:
    tensor = {"name": "data", "datatype": given, "shape": [1], "data": [1]}
    said = service.post("/v2/models/reduce_sum/infer", {"inputs": [tensor]}).json()["error"]
    assert said.startswith(f'"{given}" is not a datatype (did you mean {meant}?); use one of BOOL, ')


@pytest.mark.parametrize("given", ["complex64", "str", "i8", "U8", "tensor(u8)", "f128", 5, "x" * 1000])
def test_what_is_no_dtype_anywhere_leads_to_none(service: Service, given: object) -> None:
    response = service.post("/v13/reduce_sum", {"data": {"dtype": given, "values": [1]}})
    assert " is not a dtype; use" in problem(response, 422, "unknown-dtype")["detail"]
