"""Tensors as the binary bodies this service speaks, written and read without its own code."""

import io
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import quote

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from app.blocks import NUMPY_DTYPES

Order = Literal["C", "F"]
Endian = Literal["<", ">"]

NPY = {"content-type": "application/x-npy", "accept": "application/x-npy"}
RAW = {"content-type": "application/octet-stream", "accept": "application/octet-stream"}


def npy(dtype: str, values: NDArray[Any], order: Order = "C", endian: Endian = "<", version: int = 1) -> bytes:
    """A tensor as an npy file."""
    kind = NUMPY_DTYPES[dtype]
    letter = "V2" if dtype == "bfloat16" else f"{kind.kind}{kind.itemsize}"
    described = {"descr": endian + letter, "fortran_order": order == "F", "shape": values.shape}
    return npy_of(repr(described), raw(dtype, values, order, endian), version)


def npy_of(header: str, elements: bytes = b"", version: int = 1) -> bytes:
    """An npy file of any header."""
    text = header.encode("latin-1" if version < 3 else "utf-8")
    length = len(text).to_bytes(2 if version == 1 else 4, "little")
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + elements


def raw(dtype: str, values: NDArray[Any], order: Order = "C", endian: Endian = "<") -> bytes:
    """The bytes of the elements alone."""
    found = values.astype(NUMPY_DTYPES[dtype]).tobytes(order)
    return found if endian == "<" else np.frombuffer(found, f"u{NUMPY_DTYPES[dtype].itemsize}").byteswap().tobytes()


def read_npy(content: bytes) -> tuple[str, NDArray[Any]]:
    """dtype and elements of an npy file, by NumPy."""
    values: NDArray[Any] = np.load(io.BytesIO(content), allow_pickle=False)
    if values.dtype == np.dtype("V2"):
        return "bfloat16", values.view(ml_dtypes.bfloat16)
    return values.dtype.name, values


def read_raw(content: bytes, headers: Mapping[str, str]) -> tuple[str, NDArray[Any]]:
    """dtype and elements of an octet-stream."""
    dtype, shape = headers["x-dtype"], headers["x-shape"]
    return dtype, np.frombuffer(content, NUMPY_DTYPES[dtype]).reshape([int(size) for size in shape.split(",") if size])


def query(fields: Mapping[str, Any]) -> str:
    """The members of a JSON request as a query string."""
    spelled = {name: value for name, value in fields.items() if value is not None}
    return "&".join(f"{quote(name)}={quote(_text(value), safe=',')}" for name, value in spelled.items())


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(_text, value))
    return str(int(value)) if isinstance(value, bool) else str(value)
