"""Where something stands in a request of the protocol that an operator refuses in terms of our own JSON."""

from app.errors import Refusal, UnknownParameter
from app.tensors.open_inference.members import AXES, DATA, Asked

_OF_DATA = {"/dtype": "/datatype", "/shape": "/shape"}


def place_of_data(asked: Asked) -> str:
    """The place of the input data."""
    return f"/inputs/{int(asked.axes_first)}"


def place_in(asked: Asked, refusal: Refusal) -> str:
    """The place of a refusal in the JSON that asks for this; "" if it has none."""
    if isinstance(refusal, UnknownParameter):
        return f"/parameters{refusal.place}"
    name, slash, step = refusal.place.removeprefix("/").partition("/")
    if name == DATA:
        return place_of_data(asked) + _OF_DATA.get(slash + step, "")
    if name == AXES and asked.axes:
        listed = f"/data{slash}{step}" if asked.axes.values is not None else ""
        return f"/inputs/{int(not asked.axes_first)}{listed}"
    return f"/parameters{refusal.place}" if name else ""
