"""What others call the dtypes, for whoever is told that a name is not one here: ONNX, NumPy, C, compilers and the Open
Inference Protocol."""

from collections.abc import Iterable, Mapping

from app.blocks import NUMPY_DTYPES
from app.errors import UnknownDtype
from app.names import LONGEST, asking, nearest
from app.tensors.open_inference.datatypes import DATATYPES, SPELLED

_ALIASES = {
    "float": "float32",
    "single": "float32",
    "double": "float64",
    "half": "float16",
    "bool_": "bool",
    "bool8": "bool",
    "boolean": "bool",
    "byte": "int8",
    "ubyte": "uint8",
    "short": "int16",
    "ushort": "uint16",
    "int": "int32",
    "uint": "uint32",
    "intc": "int32",
    "uintc": "uint32",
    "int_": "int64",
    "long": "int64",
    "longlong": "int64",
    "ulong": "uint64",
    "ulonglong": "uint64",
    **{f"{kind.kind}{kind.itemsize}": name for name, kind in NUMPY_DTYPES.items() if name != "bfloat16"},
    **{f"{name[0]}{bits}": f"{name}{bits}" for name in ("int", "uint", "float") for bits in (16, 32, 64)},
    **{datatype.lower(): name for datatype, name in DATATYPES.items()},
}

_OF_TWO_MEANINGS = ("i8", "u8")
"""Integers of eight bytes to NumPy, of eight bits to compilers. With an order of bytes before it, it is NumPy's."""


def unknown_dtype(given: object, shown: str, place: str) -> UnknownDtype:
    """What is said of a dtype that is none; `shown` is how it looks in a message."""
    meant = _meant(given, {name: name for name in NUMPY_DTYPES})
    return UnknownDtype(f"{shown} is not a dtype{meant}; use one of {_all(NUMPY_DTYPES)}", place)


def unknown_datatype(given: object, shown: str, place: str) -> UnknownDtype:
    """The same of a datatype of the Open Inference Protocol."""
    return UnknownDtype(f"{shown} is not a datatype{_meant(given, SPELLED)}; use one of {_all(DATATYPES)}", place)


def _meant(given: object, spelled: Mapping[str, str]) -> str:
    """The one that was probably meant, as `spelled` by our name of it."""
    if not isinstance(given, str) or len(given) > LONGEST:
        return ""
    name = given.lower().removeprefix("tensor(").removesuffix(")").removeprefix("np.").removeprefix("torch.")
    if name in _OF_TWO_MEANINGS:
        return ""
    name = _ALIASES.get(name.lstrip("<>=|"), name)
    return asking(spelled[name]) if name in spelled else nearest(given, spelled.values())


def _all(names: Iterable[str]) -> str:
    return ", ".join(names)
