"""Whose part a request is: W3C Trace Context."""

import re
from typing import NamedTuple

HEADER = b"traceparent"

_TRACEPARENT = re.compile(rb"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")


class Parent(NamedTuple):
    """The span of a caller that a request is part of, in hexadecimal digits."""

    trace_id: str
    span_id: str
    sampled: bool


def parent_of(traceparent: bytes | None) -> Parent | None:
    """What a traceparent field says; None if it says nothing that can be read."""
    if traceparent is None or not (found := _TRACEPARENT.fullmatch(traceparent.strip())):
        return None
    version, trace, span, flags, more = found.groups()
    if version == b"00" and more:  # later versions may have more to say
        return None
    return Parent(trace.decode(), span.decode(), bool(int(flags, 16) & 1))
