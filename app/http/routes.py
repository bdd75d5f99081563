"""Every public path, made from the rows of the table."""

from collections.abc import Mapping

import orjson
from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from starlette.routing import Route

from app.http.binary import build_binary
from app.http.html import CONTENT_SECURITY_POLICY, render_html
from app.http.metrics import Metrics
from app.http.negotiation import answer_type
from app.http.openapi import build_openapi, reduce_id
from app.http.pages import OperatorPage, OperatorsIndex, operator_page, operators_index
from app.http.patience import Patience
from app.http.reduce import Reduce
from app.http.threads import Threads
from app.settings import Settings
from app.spec.operators import SERVING

READ = ["GET", "HEAD"]


def reductions(settings: Settings, threads: Threads, metrics: Metrics) -> dict[str, Reduce]:
    """What answers POST, by path: each operator at each opset that has it."""
    patience = Patience(settings.body_timeout)
    answering: dict[str, Reduce] = {}
    for name, opsets in SERVING.items():
        for opset, operator in opsets.items():
            path = f"/v{opset}/{name}"
            location = None if path == operator.path else settings.root_path + operator.path
            answering[path] = Reduce(operator, location, settings, threads, patience, metrics)
    return answering


def reduction_routes(answering: Mapping[str, Reduce]) -> list[Route]:
    """The same paths as the framework declares them; `Dispatch` reaches them faster."""
    return [
        Route(path, reduce, methods=["POST"], name=reduce_id(reduce.operator)) for path, reduce in answering.items()
    ]


def page_routes(answering: Mapping[str, Reduce], settings: Settings) -> APIRouter:
    """GET on the operator paths, the index, and the OpenAPI documents."""
    router = APIRouter()
    servers = {"servers": [{"url": settings.root_path or "/"}]}
    json_bodies, binary_bodies = orjson.dumps(build_openapi() | servers), orjson.dumps(build_binary() | servers)

    @router.api_route("/operators", methods=READ, operation_id="list_operators", summary="Every operator version")
    async def operators(request: Request) -> Response:
        return _page(operators_index(), request)

    @router.api_route("/v{opset}/{operator}", methods=READ, summary="What an operator version is")
    async def describe(request: Request) -> Response:
        found = answering.get(request.scope["path"])
        if found is None:
            raise HTTPException(404)
        response = _page(operator_page(found.operator), request)
        if found.location:
            response.headers["content-location"] = found.location
        return response

    @router.api_route("/openapi.json", methods=READ, summary="The OpenAPI document")
    async def openapi() -> Response:
        return Response(json_bodies, media_type="application/json")

    @router.api_route("/openapi/binary.json", methods=READ, summary="The OpenAPI document of binary bodies")
    async def binary() -> Response:
        return Response(binary_bodies, media_type="application/json")

    return router


def _page(page: OperatorPage | OperatorsIndex, request: Request) -> Response:
    """A page as JSON, or as HTML for who prefers it."""
    accept = ",".join(request.headers.getlist("accept"))
    if answer_type(accept, ("application/json", "text/html")) == "text/html":
        response: Response = HTMLResponse(render_html(page))
        response.headers["content-security-policy"] = CONTENT_SECURITY_POLICY
    else:
        response = Response(page.model_dump_json(), media_type="application/json")
    response.headers["vary"] = "Accept"
    return response
