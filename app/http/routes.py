"""Every public path, made from the rows of the table."""

from collections.abc import Mapping

from fastapi import APIRouter, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from starlette.routing import Route

from app.http.docs import docs_routes
from app.http.documents import document_routes
from app.http.home import home
from app.http.html import CONTENT_SECURITY_POLICY, Page, html_of
from app.http.metrics import Metrics
from app.http.negotiation import answer_type
from app.http.openapi import reduce_id
from app.http.pages import operator_page, operators_index
from app.http.patience import Patience
from app.http.reduce import Reduce
from app.http.room import Room
from app.http.threads import Threads
from app.settings import Settings
from app.spec.operators import SERVING

READ = ["GET", "HEAD"]


def reductions(
    settings: Settings, threads: Threads, patience: Patience, room: Room, metrics: Metrics
) -> dict[str, Reduce]:
    """What answers POST, by path: each operator at each opset that has it."""
    answering: dict[str, Reduce] = {}
    for name, opsets in SERVING.items():
        for opset, operator in opsets.items():
            path = f"/v{opset}/{name}"
            location = None if path == operator.path else settings.root_path + operator.path
            answering[path] = Reduce(operator, location, settings, threads, patience, room, metrics)
    return answering


def reduction_routes(answering: Mapping[str, Reduce]) -> list[Route]:
    """The same paths as the framework declares them; `Dispatch` reaches them faster."""
    return [
        Route(path, reduce, methods=["POST"], name=reduce_id(reduce.operator)) for path, reduce in answering.items()
    ]


def page_routes(answering: Mapping[str, Reduce], settings: Settings) -> APIRouter:
    """GET on the operator paths, the index, the first page, the OpenAPI documents and what browsers need."""
    router = APIRouter()
    router.include_router(document_routes(settings))
    router.include_router(docs_routes())

    @router.api_route("/", methods=READ, summary="What this is")
    async def first(request: Request) -> Response:
        return _page(home(), request)

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

    return router


def _page(page: Page, request: Request) -> Response:
    """A page as JSON, or as HTML for who prefers it."""
    accept = ",".join(request.headers.getlist("accept"))
    if answer_type(accept, ("application/json", "text/html")) == "text/html":
        response: Response = HTMLResponse(html_of(page))
        response.headers["content-security-policy"] = CONTENT_SECURITY_POLICY
    else:
        response = Response(page.model_dump_json(), media_type="application/json")
    response.headers["vary"] = "Accept"
    return response
