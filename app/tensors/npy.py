"""application/x-npy: NumPy's format for one array, versions 1 to 3.

A magic string, the version, the length of the header, the header, the elements. The header is a Python literal and is
read as one, never evaluated; arrays of objects, which would be pickles, have no dtype here. NumPy lacks bfloat16:
ml_dtypes writes it as `<V2`, two bytes of no type, and so does this.
"""

import ast

import numpy as np

from app.blocks import NUMPY_DTYPES, Header, Tensor
from app.errors import InvalidShape, MalformedBody, UnknownDtype, UnknownParameter
from app.names import listed, quoted
from app.tensors.nesting import checked_shape
from app.tensors.query import members, parameters
from app.tensors.request import AnswerOptions, Preamble

MAX_HEADER = 10_000
"""Bytes of a header that are read at most, as by NumPy itself."""

_MAGIC = b"\x93NUMPY"
_ZIP = b"PK\x03\x04"
_VERSIONS = {1: (2, "latin-1"), 2: (4, "latin-1"), 3: (4, "utf-8")}
"""By version: bytes of the header's length, and how its text is encoded."""

_KINDS = {
    **{f"{kind.kind}{kind.itemsize}": name for name, kind in NUMPY_DTYPES.items() if name != "bfloat16"},
    "V2": "bfloat16",
}
_DESCRIPTIONS = {
    name: "<V2" if name == "bfloat16" else kind.newbyteorder("<").str for name, kind in NUMPY_DTYPES.items()
}
_ALIGNED = 64


def preamble(start: bytes, query: str) -> Preamble | None:
    """What the header and the query say; None while the header is not there as a whole."""
    if not start.startswith(_MAGIC[: len(start)]):
        zipped = "; this is a zip archive (.npz?), send one .npy file from it" if start.startswith(_ZIP) else ""
        raise MalformedBody(f"the body is not an .npy file: it does not begin with its magic string{zipped}")
    if len(start) < 8:
        return None
    if start[7]:
        raise MalformedBody(f"the npy header is damaged: there is no version {start[6]}.{start[7]}")
    if start[6] not in _VERSIONS:
        raise MalformedBody(f"npy version {start[6]}.0 is not supported; use 1.0, 2.0 or 3.0")
    width, encoding = _VERSIONS[start[6]]
    begin = 8 + width
    if len(start) < begin:
        return None
    length = int.from_bytes(start[8:begin], "little")
    if length > MAX_HEADER:
        raise MalformedBody(f"the npy header has {length} bytes; the limit is {MAX_HEADER}")
    stop = begin + length
    if len(start) < stop:
        return None
    description, fortran, shape = _members(start[begin:stop], encoding)
    dtype, big_endian = _dtype(description)
    header = Header(dtype, _shape(shape), fortran)
    given = members(query)
    for name in ("dtype", "shape"):
        if name in given:
            raise UnknownParameter(f"an .npy file names its own {name}; leave it out of the query", f"/{name}")
    return Preamble(header, parameters(given), stop, big_endian)


def is_npy(start: bytes) -> bool:
    """Whether a body of whatever format begins as these files do."""
    return start.startswith(_MAGIC)


def is_stripped(start: bytes) -> bool:
    """Whether what begins as these files do has lost the zero behind the number of its version, as all have one."""
    return is_npy(start) and start[7:8] != b"\0"


def encode(tensor: Tensor, answer: AnswerOptions) -> bytes:
    """The tensor as version 1.0, little-endian and row-major."""
    description, shape = _DESCRIPTIONS[tensor.header.dtype], tensor.header.shape
    text = f"{{'descr': '{description}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    length = -(-(10 + len(text) + 1) // _ALIGNED) * _ALIGNED - 10
    head = b"%b\x01\x00%b%b\n" % (_MAGIC, length.to_bytes(2, "little"), text.ljust(length - 1))
    return b"".join((head, np.ascontiguousarray(tensor.values).reshape(-1).view(np.uint8).data))


def fields(header: Header) -> dict[str, str]:
    """Nothing: the body says it all."""
    return {}


def _members(text: bytes, encoding: str) -> tuple[object, bool, object]:
    """descr, fortran_order and shape of a header."""
    try:
        tree = ast.parse(text.decode(encoding).lstrip(" \t"), mode="eval").body
        header = ast.literal_eval(tree)
    except (ValueError, SyntaxError, TypeError, OverflowError, MemoryError, RecursionError):
        raise MalformedBody("the npy header is not a Python literal") from None
    if not isinstance(header, dict) or header.keys() != {"descr", "fortran_order", "shape"}:
        raise MalformedBody("the npy header must be a dictionary of descr, fortran_order and shape")
    if isinstance(tree, ast.Dict) and len(tree.keys) > len(header):
        raise MalformedBody("the npy header gives one of descr, fortran_order and shape more than once")
    if not isinstance(header["fortran_order"], bool):
        raise MalformedBody("fortran_order in the npy header must be True or False")
    return header["descr"], header["fortran_order"], header["shape"]


def _dtype(description: object) -> tuple[str, bool]:
    """Our name of a dtype, and whether it is big-endian."""
    if isinstance(description, str):
        order, kind = description[:1], description[1:]
        if order in ("<", ">", "|") and kind in _KINDS and (order != "|" or kind[1:] == "1" or kind == "V2"):
            return _KINDS[kind], order == ">"
    shown = f"dtype {quoted(description)}" if isinstance(description, str) else "this dtype"
    taken = listed(_DESCRIPTIONS.values())
    said = f"{shown} is not supported; use {taken} (<V2 is bfloat16), or > in place of < for big-endian"
    raise UnknownDtype(said, "/data/dtype")


def _shape(shape: object) -> tuple[int, ...]:
    if not isinstance(shape, tuple):
        raise InvalidShape("shape in the npy header must be a tuple of dimensions", "/data/shape")
    return checked_shape(shape, "/data/shape")
