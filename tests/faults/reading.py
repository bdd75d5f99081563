"""What a request says, read by other means than the service's: json, numpy.load and fractions.

Where the service answers, this says what; whatever it does not take, the service may not answer either.
"""

import gzip
import io
import json
import math
import re
import warnings
import zlib
from base64 import b64decode
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES
from app.http.encodings import zstd
from tests.faults.bodies import Asked, Sent
from tests.inference import DTYPES, LENGTH

WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
DECOMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.decompress,
    "zstd": zstd.decompress,
    "deflate": zlib.decompress,
}


class Illegal(Exception):
    """There is no answer to this."""


def read(sent: Sent) -> Asked:
    """What is asked; Illegal if it is nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy finds some headers old
            content = DECOMPRESS[sent.fields.get("content-encoding", "").strip().lower()](sent.content)
            return Asked(sent.operator, sent.version, *_read(sent, content))
    except Exception as error:
        raise Illegal(repr(error)) from error


def _read(sent: Sent, content: bytes) -> tuple[str, NDArray[Any], dict[str, Any]]:
    if sent.path.startswith("/v2/models"):
        return _inference(content, sent.fields.get(LENGTH.lower()))
    kind = sent.fields.get("content-type", "")
    if kind == "application/x-npy":
        file = io.BytesIO(content)
        values = np.load(file, allow_pickle=False)
        if file.read(1):
            raise ValueError("there is more")
        dtype = "bfloat16" if values.dtype.kind == "V" else values.dtype.name
        if b"'>V2'" in content[:200]:  # to NumPy, two bytes of no type have no order
            values = values.view(">u2")
        native = values.astype(values.dtype.newbyteorder("="))
        return dtype, _held(dtype, native.tobytes(), values.shape), _query(sent.query)
    if kind == "application/octet-stream":
        given = _query(sent.query)
        dtype, shape = given.pop("dtype"), given.pop("shape")
        return dtype, _held(dtype, content, shape), given
    members = _json(content)
    return *_tensor(members.pop("data")), {name: _plain(value) for name, value in members.items()}


def _json(content: bytes) -> Any:
    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key is given twice")
        return dict(pairs)

    return json.loads(content.decode(), object_pairs_hook=members, parse_float=Number, parse_int=_whole)


class Number(str):
    """A number as it is written."""


def _whole(text: str) -> int | Number:
    return int(text) if len(text) < 1000 and text != "-0" else Number(text)


def _tensor(data: dict[str, Any]) -> tuple[str, NDArray[Any]]:
    """An encoded tensor of our own JSON."""
    if extra := data.keys() - {"dtype", "shape", "values", "base64"}:
        raise ValueError(extra)
    dtype, shape = data["dtype"], data.get("shape")
    if (text := data.get("base64")) is not None:
        if data.get("values") is not None:
            raise ValueError("both")
        return dtype, _held(dtype, b64decode(text, validate=True), shape)
    return dtype, _elements(dtype, data["values"], shape)


def _elements(dtype: str, values: Any, shape: Any) -> NDArray[Any]:
    """Elements in nested lists, or in a flat one with a shape."""
    flat, nested = [values], []
    while flat and all(isinstance(item, list) for item in flat):
        (size,) = {len(item) for item in flat}
        nested.append(size)
        flat = [element for item in flat for element in item]
    if shape is not None and list(shape) != nested:
        if len(nested) != 1 and 0 not in nested:
            raise ValueError("neither flat nor of this shape")
        nested = shape
    return np.array([_element(dtype, item) for item in flat], NUMPY_DTYPES[dtype]).reshape(nested)


def _element(dtype: str, value: Any) -> Any:
    if isinstance(value, str) and value in WORDS:
        value = WORDS[value]
    if isinstance(value, float):  # a word
        return value if "float" in dtype else _wrong(value)
    if "float" not in dtype:
        whole = Fraction(value)
        kind = NUMPY_DTYPES[dtype]
        low, high = (0, 1) if dtype == "bool" else (np.iinfo(kind).min, np.iinfo(kind).max)
        return int(whole) if whole.denominator == 1 and low <= whole <= high else _wrong(value)
    if isinstance(value, bool):
        return _wrong(value)
    rounded = _narrow(dtype, str(value))
    return rounded if np.isfinite(np.float64(rounded)) else _wrong(value)


def _narrow(dtype: str, text: str) -> Any:
    """A number rounded once: to odd where it is rounded before, which no later rounding takes for a tie."""
    double = float(text)
    if dtype != "float64" and 0 < abs(double) < math.inf:
        exact = Fraction(text)
        if exact != double and np.float64(double).view(np.uint64) % 2 == 0:
            double = math.nextafter(double, math.inf if exact > double else -math.inf)
    with np.errstate(over="ignore", under="ignore"):
        return np.float64(double).astype(NUMPY_DTYPES[dtype])


def _held(dtype: str, raw: bytes, shape: Any) -> NDArray[Any]:
    """Little-endian elements, row-major."""
    if dtype == "bool" and set(raw) - {0, 1}:
        raise ValueError("no bool")
    return np.frombuffer(raw, NUMPY_DTYPES[dtype]).reshape(shape)


def _query(query: str) -> dict[str, Any]:
    """The parameters beside a binary body."""
    given: dict[str, Any] = {}
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        if name in given or (name == "dtype" and value not in NUMPY_DTYPES):
            raise ValueError(pair)
        if name in ("axes", "shape"):
            given[name] = [_integer(item) for item in re.split(",|%2[cC]", value)] if value else []
        else:
            given[name] = value if name == "dtype" else _integer(value)
    return given


def _integer(text: str) -> int:
    return int(text) if re.fullmatch("-?[0-9]+", text) else _wrong(text)


def _inference(content: bytes, length: str | None) -> tuple[str, NDArray[Any], dict[str, Any]]:
    if length is not None and int(length) == 0:
        return "float32", np.frombuffer(content, "<f4"), {}
    size = len(content) if length is None else int(length)
    members, rest = _json(content[:size]), content[size:]
    inputs: dict[str, tuple[str, NDArray[Any]]] = {}
    for item in members["inputs"]:
        dtype, shape = DTYPES[item["datatype"]], [int(float(one)) for one in item["shape"]]
        binary = (item.get("parameters") or {}).get("binary_data_size")
        if binary is None:
            values = _elements(dtype, item["data"], shape)
        else:
            values, rest = _held(dtype, rest[: int(float(binary))], shape), rest[int(float(binary)) :]
        if item["name"] in inputs:
            raise ValueError("twice")
        inputs[item["name"]] = dtype, values
    if rest:
        raise ValueError("there is more")
    given = {name: _plain(value) for name, value in (members.get("parameters") or {}).items()}
    if "axes" in inputs:
        given["axes"] = inputs["axes"][1].tolist()
    return *inputs["data"], given


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(Fraction(value)) if isinstance(value, Number) and float(value).is_integer() else value


def _wrong(value: object) -> NoReturn:
    raise ValueError(f"{value!r:.40}")
