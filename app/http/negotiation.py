"""Which formats a request and its answer are in."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from app.errors import NotAcceptable, UnsupportedEncoding, UnsupportedMediaType
from app.http.encodings import ENCODINGS
from app.http.fields import Fields
from app.names import listed, quoted
from app.tensors.formats import FORMATS

_WEIGHT = re.compile(r"0?\.[0-9]{1,3}|0\.?|1(\.0{0,3})?")  # a bare .2 is what Java's HttpURLConnection has always sent
_QUOTED = r'"(?:\\.|[^"\\])*"?'
_ESCAPED = re.compile(r"\\(.)")
_LIST = re.compile(f'(?:{_QUOTED}|[^",])+')
_PARAMETERS = re.compile(f'(?:{_QUOTED}|[^";])+')

MEDIA_TYPES = tuple(FORMATS)

JSON = "application/json"
_FORMS = {
    "application/x-www-form-urlencoded": "; curl sends JSON with -H 'Content-Type: application/json', and an .npy file "
    "with --data-binary @FILE -H 'Content-Type: application/x-npy'",
    "multipart/form-data": "; send the file as the body, which curl does with --data-binary @FILE",
}
"""A hint for those who send a form, by its type: nobody means to."""

REMEMBERED = 256
"""Headers longer than this are read anew every time: what is remembered must not grow with what is sent."""


class Terms(NamedTuple):
    """What a body comes in, and what is to be answered in."""

    encoding: str
    given: str
    wanted: str


def terms_of(fields: Fields) -> Terms:
    """The terms that the header fields of a request leave; a Refusal if they leave none."""
    encoding, content_type = fields.get(b"content-encoding", b""), fields.get(b"content-type", b"")
    accept = fields.get(b"accept", b"")
    read = _terms if len(encoding) + len(content_type) + len(accept) <= REMEMBERED else _terms.__wrapped__
    return read(encoding, content_type, accept)


@lru_cache(maxsize=256)
def _terms(encoding: bytes, content_type: bytes, accept: bytes) -> Terms:
    return Terms(
        content_encoding(encoding.decode("latin-1")),
        body_type(content_type.decode("latin-1"), MEDIA_TYPES),
        answer_type(accept.decode("latin-1"), MEDIA_TYPES),
    )


def body_type(content_type: str, spoken: Sequence[str]) -> str:
    """The media type of a body, among those spoken here (the first, if the header is empty)."""
    if not content_type:
        return spoken[0]
    media_type, parameters = _parameters(content_type.lower())
    if media_type not in spoken:
        hint = _FORMS.get(media_type, "") if spoken[0] == JSON else ""
        raise UnsupportedMediaType(f"Content-Type {quoted(content_type)} is not supported; use {listed(spoken)}{hint}")
    charset = parameters.get("charset", "utf-8")
    if charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(f"charset {quoted(charset)} is not supported; use utf-8")
    return media_type


def content_encoding(named: str, spoken: Collection[str] = ENCODINGS) -> str:
    """The one encoding of a body, among those spoken here, or "" where there is none. x-gzip is gzip (RFC 9110)."""
    encoding = named.strip().lower()
    encoding = "gzip" if encoding == "x-gzip" else encoding
    if encoding in ("", "identity"):
        return ""
    if encoding not in spoken:
        raise UnsupportedEncoding(f"Content-Encoding {quoted(named)} is not supported; use {listed(spoken)}")
    return encoding


def answer_type(accept: str, offered: Sequence[str]) -> str:
    """The offered media type that an Accept header likes best, the first of equals; NotAcceptable if it likes none."""
    if not accept.strip():
        return offered[0]
    ranges = _ranges(accept)
    best = max(offered, key=lambda media_type: _weight(media_type, ranges))
    if not _weight(best, ranges):
        raise NotAcceptable(f"Accept {quoted(accept)} allows nothing that can be sent; allow {listed(offered)}")
    return best


def _ranges(accept: str) -> dict[str, float]:
    """The weight of each media range. A range whose weight cannot be read counts for nothing."""
    ranges: dict[str, float] = {}
    for part in _LIST.findall(accept.lower()):
        media_range, parameters = _parameters(part)
        weight = parameters.get("q", "1")
        if _WEIGHT.fullmatch(weight):
            ranges[media_range] = max(float(weight), ranges.get(media_range, 0))
    return ranges


def _weight(media_type: str, ranges: dict[str, float]) -> float:
    """What the most specific range that matches says."""
    kind = media_type.partition("/")[0]
    return next((ranges[name] for name in (media_type, f"{kind}/*", "*/*") if name in ranges), 0)


def _parameters(text: str) -> tuple[str, dict[str, str]]:
    """A media type or range and its parameters; of one that is given twice, the first. A quoted value may hold what
    would separate them, and loses its quotes."""
    first, *others = _PARAMETERS.findall(text) or [""]
    found: dict[str, str] = {}
    for other in others:
        name, _, value = (part.strip() for part in other.partition("="))
        found.setdefault(name, _ESCAPED.sub(r"\1", value[1:-1]) if value[:1] == '"' else value)
    return first.strip(), found
