"""What callers name and give, as messages show it."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from json import dumps

LONGEST = 40
"""Characters of a name that are shown."""

MOST_BITS = 128
"""Of an integer that is shown: some 39 digits."""


def quoted(name: str) -> str:
    """A name in quotes, cut if it is long; what a reader would not see in it stands as escapes."""
    shown = name[:LONGEST]
    text = dumps(shown, ensure_ascii=not shown.isprintable())
    return text if len(name) <= LONGEST else f'{text[:-1]}…"'


class Bare:
    """A kind of values that JSON writes as their text says, without quotes."""

    __slots__ = ()


class Unread:
    """Stands for a value that is too long to be kept: it is nothing that is asked for anywhere."""

    def __init__(self, what: str, most: int) -> None:
        """`most`: the bytes that it could have had."""
        self.text = f"{what} of more than {most} bytes"


def shown(value: object) -> str:
    """A value as JSON writes it, cut if that is long; of what holds other values, only what it is."""
    if isinstance(value, Unread):
        return value.text
    if isinstance(value, Bare):
        text = str(value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"an integer beyond {MOST_BITS} bits"
    if value is None or isinstance(value, int | float):
        return dumps(value)
    if isinstance(value, str):
        return quoted(value) if len(value) <= LONGEST else f"{quoted(value)} ({len(value)} characters)"
    if isinstance(value, Mapping):
        return "an object"
    return "a list" if isinstance(value, list | tuple) else f"of the type {type(value).__name__}"


def pointer(*steps: str | int) -> str:
    """A JSON pointer (RFC 6901); "" if it would have a name in it that is too long to show."""
    if any(isinstance(step, str) and len(step) > LONGEST for step in steps):
        return ""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def listed(names: Iterable[str]) -> str:
    """What there is to choose from: a, b or c."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def nearest(name: str, known: Iterable[str]) -> str:
    """Of the known names the one that was probably meant, as a message asks for it; "" if none is near."""
    return asking(meant(name, known))


def asking(name: str) -> str:
    """' (did you mean NAME?)' for a message; "" for ""."""
    return f" (did you mean {name}?)" if name else ""


def meant(name: str, known: Iterable[str]) -> str:
    """Of the known names the one that was probably meant; "" if none is near."""
    if len(name) > LONGEST:  # far from all of them, and long to compare
        return ""
    given, written = plain(name), {plain(each): each for each in known}
    slips = [each for each in written if _one_slip(given, each)]
    if not slips and sum(each.startswith(given) for each in written) > 1:  # what several begin with is none of them
        return ""
    found = get_close_matches(given, slips or written, n=1, cutoff=0.0 if slips else 0.85)
    return written[found[0]] if found else ""


def _one_slip(given: str, known: str) -> bool:
    """Whether at most one character is too many, missing or wrong, or two neighbours have changed places."""
    while given[:1] == known[:1] != "":
        given, known = given[1:], known[1:]
    while given[-1:] == known[-1:] != "":
        given, known = given[:-1], known[:-1]
    return max(len(given), len(known)) <= 1 or (len(given) == 2 and given == known[::-1])


def plain(name: str) -> str:
    """ReduceMin, reduce-min and reduce_min are one name."""
    return name.lower().replace("_", "").replace("-", "")
