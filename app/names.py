"""Names that callers got wrong, as messages give them."""

from collections.abc import Iterable
from difflib import get_close_matches
from json import dumps

LONGEST = 40
"""Characters of a name that are shown."""


def quoted(name: str) -> str:
    """A name in quotes, cut if it is long; what a reader would not see in it stands as escapes."""
    shown = name[:LONGEST]
    text = dumps(shown, ensure_ascii=not shown.isprintable())
    return text if len(name) <= LONGEST else f'{text[:-1]}…"'


def listed(names: Iterable[str]) -> str:
    """What there is to choose from: a, b or c."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def nearest(name: str, known: Iterable[str]) -> str:
    """Of the known names the one that was probably meant, as a message asks for it; "" if none is near."""
    return asking(meant(name, known))


def asking(name: str) -> str:
    """Whether that is what was meant, as a message asks; "" for ""."""
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
