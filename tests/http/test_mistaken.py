"""Bodies in another format than they are said to be in, and limits, are told of with their remedy."""

import io
import zipfile

import numpy as np
import pytest

from tests.files import npy
from tests.http.service import Service, problem

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


def test_malformed_json_that_says_so_is_told_nothing_of_other_types(service: Service) -> None:
    found = problem(service.post("/v13/reduce_sum", b"1,2", {"content-type": JSON}), 400, "malformed-body")
    assert "Content-Type" not in found["detail"]


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


@pytest.mark.parametrize("given", ["complex64", "str", 5, "x" * 1000])
def test_what_is_no_dtype_anywhere_leads_to_none(service: Service, given: object) -> None:
    response = service.post("/v13/reduce_sum", {"data": {"dtype": given, "values": [1]}})
    assert " is not a dtype; use" in problem(response, 422, "unknown-dtype")["detail"]
