"""What an answer says, in whichever format it came."""

import gzip
import json
import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests import files, inference, wire
from tests.oracle.formats import FORMATS


class Answer(NamedTuple):
    """One answer; field names are in lower case."""

    status: int
    fields: dict[str, str]
    body: bytes


def is_raw(answer: Answer) -> bool:
    """Whether the elements came as they are, and not as text."""
    fields = answer.fields
    return not fields["content-type"].endswith("json") or b'"base64"' in answer.body[:1000]


def with_one_nan(dtype: str, values: NDArray[Any]) -> NDArray[Any]:
    """Elements of which text says as much as their bits do."""
    if dtype not in FORMATS:
        return values
    with np.errstate(invalid="ignore"):  # a signalling one
        return np.where(np.isnan(values), np.array(np.nan, values.dtype), values)


def tensor_of(answer: Answer) -> tuple[str, NDArray[Any]]:
    """dtype and elements."""
    fields, body = answer.fields, answer.body
    if (encoding := fields.get("content-encoding")) is not None:
        body = gzip.decompress(body) if encoding == "gzip" else zlib.decompress(body)
    if fields["content-type"] == "application/x-npy":
        return files.read_npy(body)
    if "x-dtype" in fields:
        return files.read_raw(body, fields)
    if (length := fields.get(inference.LENGTH.lower())) is not None or b'"model_name"' in body[:1000]:
        return inference.read_answer(body, {inference.LENGTH: length or str(len(body))})
    members = json.loads(body)
    return wire.read_answer(members, "base64" if "base64" in members["reduced"] else "values")
