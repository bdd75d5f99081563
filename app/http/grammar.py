"""What HTTP/1.1 asks of the head of a request beyond what the parser checks (RFC 9112 and RFC 9110)."""

import re
from typing import NamedTuple

from app.http.fields import Fields
from app.http.problems import (
    EXPECTATION_FAILED,
    HEAD_TOO_LONG,
    MALFORMED_REQUEST,
    METHOD_NOT_ALLOWED,
    URL_TOO_LONG,
    Problem,
)
from app.http.reply import RawHeaders

LONGEST_URL = 1 << 14
"""Bytes."""

LONGEST_HEAD = 1 << 16
"""Bytes. Behind a head as many bytes in a row may be no body: trailers and the sizes of chunks."""

ALLOW = ((b"allow", b"GET, HEAD, POST"),)

_HOST = re.compile(rb"(\[[0-9A-Za-z:.%_~-]+\]|[0-9A-Za-z._~!$&'()*+,;=%-]*)(:[0-9]{0,5})?")
_ABSOLUTE = re.compile(rb"https?://([^/?#]*)", re.IGNORECASE)

_TLS = b"\x16\x03"
"""What a ClientHello begins with."""

# RFC 9110 and 9112 would also have 501 and 505 here; of this service a status from 500 on means that it made a mistake,
# or has no room.
UNKNOWN_METHOD = "this method is not allowed here; use GET, HEAD or POST"
UNKNOWN_VERSION = "this version of HTTP is not supported; use HTTP/1.1 or HTTP/1.0"


class Fault(NamedTuple):
    """Why a connection cannot go on. The detail repeats nothing of what came, for it may be anything."""

    problem: Problem
    detail: str
    headers: RawHeaders = ()


TOO_LONG_HEAD = Fault(HEAD_TOO_LONG, f"the head has more than {LONGEST_HEAD} bytes, which is the limit")
"""The fault of a head longer than LONGEST_HEAD."""


def fault_of(method: bytes, url: bytes, version: str, fields: Fields) -> Fault | None:
    """What is wrong with a head. Its `url` is in origin form, unless it is in one that is not answered."""
    if version not in ("1.1", "1.0"):
        return Fault(MALFORMED_REQUEST, UNKNOWN_VERSION)
    if method == b"CONNECT":
        return Fault(METHOD_NOT_ALLOWED, UNKNOWN_METHOD, ALLOW)
    if url[:1] != b"/":
        if url == b"*" and method == b"OPTIONS":
            return Fault(METHOD_NOT_ALLOWED, UNKNOWN_METHOD, ALLOW)
        return Fault(MALFORMED_REQUEST, "the request target must be a path or an http URL")
    if b"#" in url:
        return Fault(MALFORMED_REQUEST, "the request target has a #, which is for the caller alone; write %23 for it")
    if len(url) > LONGEST_URL:
        return Fault(URL_TOO_LONG, f"the path and the query have {len(url)} bytes; the limit is {LONGEST_URL}")
    host = fields.get(b"host")
    if host is None:
        if version == "1.1":
            return Fault(MALFORMED_REQUEST, "a request of HTTP/1.1 needs a Host field")
    elif not _HOST.fullmatch(host):
        return Fault(MALFORMED_REQUEST, "Host must be given once, as a name or an address, with or without a port")
    if (coding := fields.get(b"transfer-encoding")) is not None:
        if coding.lower() != b"chunked":
            return Fault(MALFORMED_REQUEST, "the only Transfer-Encoding supported is chunked")
        if version == "1.0":
            return Fault(MALFORMED_REQUEST, "HTTP/1.0 has no Transfer-Encoding")
    if (expected := fields.get(b"expect")) is not None and expected.lower() != b"100-continue":
        return Fault(EXPECTATION_FAILED, "the only expectation supported is 100-continue")
    return None


def origin_form(url: bytes) -> bytes:
    """The path and the query of an absolute URL; any other target as it is."""
    absolute = _ABSOLUTE.match(url)
    if absolute is None or not absolute[1] or not _HOST.fullmatch(absolute[1]):
        return url
    rest = url[absolute.end() :]
    return rest if rest[:1] == b"/" else b"/" + rest


def parser_fault(error: BaseException | None, beginning: bytes) -> Fault:
    """What the parser could not read; its words say which rule is broken, and are its own. `beginning`: what the
    request begins with, if that is known."""
    said = str(error.args[0]) if error is not None and error.args else "it cannot be read"
    if beginning.startswith(_TLS):
        return Fault(MALFORMED_REQUEST, "this is TLS: this port speaks http, not https")
    if "method" in said:
        said = "it begins with no request line, or with a method that is not known here"
    if said.startswith("Expected HTTP/"):
        said = "a request line is a method, a path and HTTP/1.1; a blank in the path must be written %20"
    if "HTTP version" in said or "PRI" in said:
        return Fault(MALFORMED_REQUEST, UNKNOWN_VERSION)
    return Fault(MALFORMED_REQUEST, f"this is not HTTP/1.1: {said}")
