"""Requests that no route answers: a path or a method that is not there, or a bug."""

import re
from collections.abc import Mapping

import orjson
from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from app.errors import NotAcceptable, Refusal, UnknownVersion
from app.http.negotiation import JSON
from app.http.pages.assets import FILES
from app.http.pages.html import HTML, HTML_HEADERS, refusal_html
from app.http.pages.problem_pages import problem_pages
from app.http.pages.representation import VARY, likes_html
from app.http.paths import DOCUMENT, OPSET_DOCUMENTS, READ, SERVICE_PATHS
from app.http.problem_document import MEDIA_TYPE, document, refused
from app.http.problems import BUG, INTERNAL, METHOD_NOT_ALLOWED, NOT_FOUND
from app.http.reductions.reduce import Reduce
from app.http.reply import REASON, RawHeaders, Reply
from app.names import listed
from app.spec.operators import OPSETS, SERVING, meant_operator, no_opset, operator_path, resolve

OPERATOR_PATH = re.compile(r"/v(0|[1-9][0-9]{0,17})/([^/]+)")

OPSET = re.compile(r"v?0*([0-9]{1,2})", re.IGNORECASE)
"""One in a path that is wrong."""

STEPS = 4
"""Of a wrong path so many are looked at."""

OTHER_PATHS = frozenset([*OPSET_DOCUMENTS, *(f"/assets/{name}" for name in FILES)])
"""What is read as well, and too much to list in an answer."""


def nothing_there(path: str) -> Reply:
    """A 404 that says what exists."""
    if asked := OPERATOR_PATH.fullmatch(path):
        opset, name = int(asked[1]), asked[2]
        if name == DOCUMENT:
            return refused(UnknownVersion(no_opset(opset)))
        try:
            resolve(name, opset)
        except Refusal as refusal:
            return refused(refusal)
    operators, meant = ", ".join(SERVING), _meant(path)
    hint = f"did you mean {meant}? " if meant else ""
    return document(
        NOT_FOUND,
        f"{hint}operators are at /v{{opset}}/{{operator}}, opsets {OPSETS[0]} to {OPSETS[-1]}, operators {operators}; "
        f"beside them there are {', '.join(SERVICE_PATHS)}",
    )


def _meant(path: str) -> str:
    """The path of an operator that was probably meant, of the newest opset where none is named; "" if none is near."""
    steps = path.split("/", STEPS + 1)[1 : STEPS + 1]
    operator = next(filter(None, map(meant_operator, steps)), "")
    opsets = [int(found[1]) for found in map(OPSET.fullmatch, steps) if found]
    opset = next((each for each in opsets if each in OPSETS), OPSETS[-1])
    return operator and operator_path(opset, operator)


def readable(reply: Reply, request: Request, path: str) -> Reply:
    """A problem document as HTML for a browser, whose reader has mistyped an address; for others as it is."""
    try:
        html = likes_html(request, MEDIA_TYPE, JSON)
    except NotAcceptable:
        html = False
    if not html:
        return reply._replace(headers=(*reply.headers, *_raw(VARY)))
    headers = _raw({"content-type": HTML} | HTML_HEADERS | VARY)
    return reply._replace(body=refusal_html(orjson.loads(reply.body), path).encode(), headers=headers)


def _raw(headers: Mapping[str, str]) -> RawHeaders:
    return tuple((name.encode(), value.encode()) for name, value in headers.items())


def add_problems(app: FastAPI, answering: Mapping[str, Reduce]) -> None:
    """Make the framework speak in problem documents too."""

    async def http_exception(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        path: str = request.scope["path"]
        if not any(path in known for known in (answering, SERVICE_PATHS, OTHER_PATHS, problem_pages())):
            reply = nothing_there(path)
            return response(readable(reply, request, path) if request.method in READ else reply, request)
        allowed = (*READ, "POST") if path in answering else READ
        detail = f"{request.method[:20]} is not allowed here; use {listed(allowed)}"
        headers = ((b"allow", ", ".join(allowed).encode()),)
        return response(document(METHOD_NOT_ALLOWED, detail, headers=headers), request)

    async def refusal(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        reply = refused(error)
        if isinstance(error, NotAcceptable):
            reply = reply._replace(headers=(*reply.headers, *_raw(VARY)))
        return response(reply, request)

    async def bug(request: Request, __: Exception) -> Response:
        return response(document(INTERNAL, BUG), request)

    app.add_exception_handler(HTTPException, http_exception)
    app.add_exception_handler(Refusal, refusal)
    app.add_exception_handler(Exception, bug)


def response(reply: Reply, request: Request) -> Response:
    """A reply as the framework sends it."""
    request.scope[REASON] = reply.reason
    answer = Response(reply.body, reply.status)
    answer.raw_headers = reply.raw_headers()
    return answer
