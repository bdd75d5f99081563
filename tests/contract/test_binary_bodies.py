"""The worked cases and ONNX's nodes as binary bodies: every layout, compressed, and in pieces of odd sizes."""

import gzip
from collections.abc import Callable, Mapping
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from app.http.encodings import ENCODINGS, zstd
from app.http.reductions import flow, reduce
from tests.cases import Case
from tests.contract.nodes import DTYPES, Node
from tests.contract.test_worked_cases import ANSWERED, REFUSED, check
from tests.evaluation import bits, row
from tests.files import NPY, RAW, npy, query, raw, read_npy, read_raw
from tests.http.service import CHUNKED, Client, Service

LAYOUTS = ("C<", "F<", "C>", "F>", "raw")
COMPRESS: dict[str, Callable[[bytes], bytes]] = {"": bytes, "gzip": gzip.compress, "zstd": zstd.compress}
SIZES = (7, 13, 64)
"""Bytes of a piece; of a long body, some times as many."""


@pytest.fixture(scope="module")
def service() -> Service:
    return Service()


@pytest.fixture
def torn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is small enough to be answered at once, or large enough to wait for more."""
    monkeypatch.setattr(reduce, "INLINE_BYTES", 0)
    monkeypatch.setattr(reduce, "INLINE_BINARY_BYTES", 0)
    monkeypatch.setattr(flow, "BATCH", 10)


def sent(
    service: Service, path: str, dtype: str, values: NDArray[Any], fields: Mapping[str, Any], layout: str, encoding: str
) -> tuple[int, Any, Any]:
    """Status, dtype and elements of an answer to a body in pieces; of a refusal, no elements."""
    if layout == "raw":
        kind, content = RAW, raw(dtype, values)
        fields = {**fields, "dtype": dtype, "shape": values.shape}
    else:
        order: Any = layout[0]
        endian: Any = layout[1]
        kind, content = NPY, npy(dtype, values, order, endian)
    content = COMPRESS[encoding](content)
    size = SIZES[len(content) % len(SIZES)] * (1 + len(content) // 9999)
    pieces = [content[start : start + size] for start in range(0, len(content), size)] or [b""]
    headers = [(name.encode(), value.encode()) for name, value in {**kind, "content-encoding": encoding}.items()]
    start, *others = Client(*pieces, headers=[*headers, *CHUNKED], url=f"{path}?{query(fields)}").call(service)
    answered = {name.decode(): value.decode() for name, value in start["headers"]}
    if start["status"] != 200:
        return start["status"], answered["content-type"], None
    (end,) = others
    found = read_npy(end["body"]) if kind is NPY else read_raw(end["body"], answered)
    return 200, *found


def test_every_encoding_is_here() -> None:
    assert COMPRESS.keys() == {"", *ENCODINGS}


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case.id)
def test_a_body_answers_as_worked(service: Service, case: Case) -> None:
    answers = [sent(service, case.path, case.dtype, case.values, case.parameters, layout, "") for layout in LAYOUTS]
    assert [(status, dtype) for status, dtype, _ in answers] == [(200, answers[0][1])] * len(LAYOUTS)
    assert {bits(values) for *_, values in answers} == {bits(answers[0][2])}
    assert {values.shape for *_, values in answers} == {answers[0][2].shape}
    check(case, *answers[0][1:])


@pytest.mark.usefixtures("torn")
@pytest.mark.parametrize(("turn", "case"), list(enumerate(ANSWERED)), ids=lambda case: getattr(case, "id", ""))
def test_pieces_answer_as_worked(service: Service, turn: int, case: Case) -> None:
    layout, encoding = LAYOUTS[turn % len(LAYOUTS)], list(COMPRESS)[turn % len(COMPRESS)]
    status, dtype, values = sent(service, case.path, case.dtype, case.values, case.parameters, layout, encoding)
    assert status == 200
    check(case, dtype, values)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.id)
def test_a_body_is_refused_as_worked(service: Service, case: Case) -> None:
    for layout in LAYOUTS:
        status, media_type, _ = sent(service, case.path, case.dtype, case.values, case.parameters, layout, "")
        assert (status, media_type) == (422, "application/problem+json")


@pytest.mark.parametrize(("layout", "encoding"), list(zip(LAYOUTS, cycle(COMPRESS), strict=False)))
def test_a_body_answers_each_node(nodes: list[Node], service: Service, layout: str, encoding: str) -> None:
    complaints = []
    for node in nodes:
        path, dtype = row(node.operator, node.version).path, DTYPES[np.dtype(node.values.dtype)]
        status, answered, values = sent(service, path, dtype, node.values, node.fields, layout, encoding)
        assert status == 200, node.name
        complaints.append(node.complaint(answered, values))
    assert [complaint for complaint in complaints if complaint] == []
