"""The JSON of a request, once it is read: what it asks for.

    {"inputs": [{"name": "data", "shape": [2, 3], "datatype": "FP32", "data": [3, 1, 2, 9, 7, 8]},
                {"name": "axes", "shape": [1], "datatype": "INT64", "data": [1]}], "parameters": {"keepdims": 0}}

A member that is null counts as absent. An integer may be written as a float, 1.0 for 1: some clients know no other
numbers.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from numpy.typing import NDArray

from app.blocks import Header
from app.errors import (
    ConflictingFields,
    InvalidParameter,
    InvalidShape,
    MissingField,
    Refusal,
    ShapeMismatch,
    UnknownField,
    UnknownParameter,
)
from app.names import listed, shown
from app.tensors.aliases import unknown_datatype
from app.tensors.nesting import MAX_RANK, VALUES, agreed_shape, checked_shape
from app.tensors.open_inference.datatypes import DATATYPES

DATA, AXES, REDUCED = "data", "axes", "reduced"
"""The names of all tensors."""

AXES_DATATYPES = ("INT64", "INT32")
"""Those that axes may have."""

_PROTOCOL = ("binary_data_output", "sequence_id", "sequence_start", "sequence_end", "priority", "timeout")
_MLSERVER = ("content_type", "headers")
IGNORED = frozenset((*_PROTOCOL, *_MLSERVER))
"""Parameters of a request that servers know and that mean nothing to a reduction, or were read elsewhere."""

# Parameters of tensors. The protocol leaves it to a server which there are; a request with others asks for what is not
# done here, or has a slip in a name, and is refused rather than answered in another way than it wants.
_SHARED = ("shared_memory_region", "shared_memory_byte_size", "shared_memory_offset")
_OF_INPUT = ("binary_data_size", *_SHARED, *_MLSERVER)
_OF_OUTPUT = ("binary_data", "classification", *_SHARED, *_MLSERVER)

_BODY = ("id", "model_name", "model_version", "parameters", "inputs", "outputs")
_INPUT = ("name", "shape", "datatype", "parameters", "data")
_OUTPUT = ("name", "parameters")

Read = Callable[[Any, str], NDArray[Any]]
"""What was found as data, and the dtype -> its elements in the shape of their nesting."""


class Region(NamedTuple):
    """A part of a region of shared memory; `offset` counts from where the region begins."""

    name: str
    size: int
    offset: int


class Input(NamedTuple):
    """A tensor and where its elements are: in `values`, in the next `binary` bytes behind the JSON, or in `region`."""

    header: Header
    values: NDArray[Any] | None = None
    binary: int | None = None
    region: Region | None = None


class Asked(NamedTuple):
    """All that a request says. `axes_first`: the bytes of axes come before those of data.

    `binary`: the answer's elements are to come raw; `region`: they are to be put there and not to come at all.
    """

    id: str
    data: Input
    axes: Input | None
    axes_first: bool
    parameters: dict[str, object]
    binary: bool
    region: Region | None

    @property
    def binary_size(self) -> int:
        """Bytes that must follow the JSON."""
        return (self.data.binary or 0) + ((self.axes.binary or 0) if self.axes else 0)


def asked(members: object, read: Read) -> Asked:
    """What the members of a request ask for; a Refusal if they break a rule of the protocol."""
    given = _object(members, "the body", _BODY, "")
    identity = given.get("id")
    if identity is not None and not isinstance(identity, str):
        raise InvalidParameter(f"id must be a short text, not {shown(identity)}", "/id")
    parameters = _parameters(given.get("parameters"), "/parameters")
    inputs = _inputs(given.get("inputs"), read)
    if DATA not in inputs:
        raise MissingField(f"inputs has no tensor named {DATA}; it needs one", "/inputs")
    if AXES in inputs and parameters.get(AXES) is not None:
        raise ConflictingFields("axes are given both as an input and as a parameter; give one of them", "/inputs")
    binary, region = _output(given.get("outputs"), _flag(parameters, "binary_data_output", "/parameters"))
    wanted = {name: integral(value) for name, value in parameters.items() if name not in IGNORED}
    return Asked(identity or "", inputs[DATA], inputs.get(AXES), next(iter(inputs)) == AXES, wanted, binary, region)


def integral(value: object) -> object:
    """A float that is an integer, or the members of a list that are, as integers; anything else as it is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [integral(item) for item in value] if isinstance(value, list) else value


def _inputs(given: object, read: Read) -> dict[str, Input]:
    """The inputs by name, in the order they are given in."""
    if not isinstance(given, list):
        raise MissingField(f"inputs must be a list of tensors, not {shown(given)}", "/inputs")
    found: dict[str, Input] = {}
    for index, item in enumerate(given):
        place = f"/inputs/{index}"
        members = _object(item, "an input", _INPUT, place)
        name = members.get("name")
        if name not in (DATA, AXES):
            raise UnknownField(f"there is no input {shown(name)}; there are {DATA} and {AXES}", f"{place}/name")
        if name in found:
            raise ConflictingFields(f"the input {name} is given twice", place)
        found[name] = _input(members, name, place, read)
    return found


def _input(members: Mapping[str, Any], name: str, place: str, read: Read) -> Input:
    datatype = members.get("datatype")
    if datatype is None:
        raise MissingField(f"the input {name} needs a datatype", f"{place}/datatype")
    if not isinstance(datatype, str) or datatype not in DATATYPES:
        raise unknown_datatype(datatype, shown(datatype), f"{place}/datatype")
    header = Header(DATATYPES[datatype], _shape(members.get("shape"), name, f"{place}/shape"))
    if name == AXES:
        _check_axes(header, datatype, place)
    parameters = _parameters(members.get("parameters"), f"{place}/parameters", _OF_INPUT)
    values, binary = members.get("data"), parameters.get("binary_data_size")
    region = _region(parameters, f"{place}/parameters")
    if (values is not None) + (binary is not None) + (region is not None) != 1:
        said = f"the input {name} takes exactly one of data, binary_data_size and shared_memory_region"
        missing = values is None and binary is None and region is None
        raise (MissingField if missing else ConflictingFields)(said, place)
    if values is not None:
        return Input(header, _values(values, header, place, read))
    if binary is not None:
        size = _count(binary, "binary_data_size", f"{place}/parameters")
        _check_size(size, header, "binary_data_size", datatype, place)
        return Input(header, binary=size)
    assert region is not None
    _check_size(region.size, header, "shared_memory_byte_size", datatype, place)
    return Input(header, region=region)


def _values(values: object, header: Header, place: str, read: Read) -> NDArray[Any]:
    """The elements in a row; what is wrong with one is told by its place in this body."""
    try:
        found = read(values, header.dtype)
        agreed_shape(header.shape, found.shape)
    except Refusal as refusal:
        if refusal.place.startswith(VALUES):
            refusal.place = f"{place}/data{refusal.place.removeprefix(VALUES)}"
        elif refusal.place == "/data/shape":
            refusal.place = f"{place}/shape"
        raise
    return found.reshape(-1)


def _check_size(size: int, header: Header, name: str, datatype: str, place: str) -> None:
    wanted = header.size * header.numpy_dtype.itemsize
    if size != wanted:
        said = f"{datatype} of shape {list(header.shape)} takes {wanted} bytes, but {name} is {size}"
        raise ShapeMismatch(said, f"{place}/parameters/{name}")


def _check_axes(header: Header, datatype: str, place: str) -> None:
    if datatype not in AXES_DATATYPES:
        raise InvalidParameter(f"axes must be {listed(AXES_DATATYPES)}, not {datatype}", f"{place}/datatype")
    if len(header.shape) != 1:
        raise InvalidShape(f"axes must have one dimension, not {len(header.shape)}", f"{place}/shape")
    if header.size > MAX_RANK:
        said = f"axes has {header.size} members, but the highest rank is {MAX_RANK}"
        raise InvalidParameter(said, f"{place}/shape")


def _shape(value: object, name: str, place: str) -> tuple[int, ...]:
    if value is None:
        raise MissingField(f"the input {name} needs a shape", place)
    if not isinstance(value, list):
        raise InvalidShape(f"shape must be a list of dimensions, not {shown(value)}", place)
    return checked_shape([size if type(size) is int else integral(size) for size in value], place)


def _output(given: object, binary: bool) -> tuple[bool, Region | None]:
    """How the one output is wanted: raw or not, and in which region if in any."""
    if given is None:
        return binary, None
    if not isinstance(given, list):
        raise InvalidParameter(f"outputs must be a list, not {shown(given)}", "/outputs")
    region = None
    for index, item in enumerate(given):
        place = f"/outputs/{index}"
        members = _object(item, "an output", _OUTPUT, place)
        if (name := members.get("name")) != REDUCED:
            raise UnknownField(f"there is no output {shown(name)}; there is {REDUCED}", f"{place}/name")
        if index:
            raise ConflictingFields(f"the output {REDUCED} is asked for twice", place)
        parameters = _parameters(members.get("parameters"), f"{place}/parameters", _OF_OUTPUT)
        if parameters.get("classification"):
            said = "classification is for class scores, which a reduction does not have"
            raise InvalidParameter(said, f"{place}/parameters")
        region = _region(parameters, f"{place}/parameters")
        if parameters.get("binary_data") is not None:
            binary = _flag(parameters, "binary_data", f"{place}/parameters")
            if binary and region:
                raise ConflictingFields("binary_data and shared_memory_region exclude each other", place)
    return binary, region


def _region(parameters: Mapping[str, object], place: str) -> Region | None:
    name = parameters.get("shared_memory_region")
    if name is None:
        if said := next((each for each in _SHARED if parameters.get(each) is not None), None):
            raise MissingField(f"{said} needs a shared_memory_region beside it", f"{place}/{said}")
        return None
    if not isinstance(name, str):
        raise InvalidParameter(f"shared_memory_region must be text, not {shown(name)}", place)
    size, offset = parameters.get("shared_memory_byte_size"), parameters.get("shared_memory_offset") or 0
    if size is None:
        raise MissingField("shared_memory_region needs a shared_memory_byte_size beside it", place)
    return Region(name, _count(size, "shared_memory_byte_size", place), _count(offset, "shared_memory_offset", place))


def _count(value: object, name: str, place: str) -> int:
    number = integral(value)
    if type(number) is not int or not 0 <= number < 2**63:
        raise InvalidParameter(f"{name} must be a number of bytes, not {shown(value)}", f"{place}/{name}")
    return number


def _flag(parameters: Mapping[str, object], name: str, place: str) -> bool:
    value = parameters.get(name)
    if value is not None and not isinstance(value, bool):
        raise InvalidParameter(f"{name} must be true or false, not {shown(value)}", f"{place}/{name}")
    return bool(value)


def _parameters(value: object, place: str, known: tuple[str, ...] | None = None) -> dict[str, object]:
    """Parameters, `known` ones alone if they are told."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InvalidParameter(f"parameters must be an object, not {shown(value)}", place)
    if known is not None:
        for name in value:
            if name not in known:
                said = f"a tensor has no parameter {shown(name)} here; it can have {', '.join(known)}"
                raise UnknownParameter(said, place)
    return value


def _object(value: object, what: str, members: tuple[str, ...], place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidParameter(f"{what} must be an object, not {shown(value)}", place)
    for member in value:
        if member not in members:
            raise UnknownField(f"{what} has no field {shown(member)}; it can have {', '.join(members)}", place)
    return value
