"""Every public path, made from the rows of the table: what answers POST, which `Dispatch` finds itself, and pages."""

from collections.abc import Mapping

from fastapi import APIRouter, HTTPException, Request, Response

from app.http.documents.rendered import document_routes
from app.http.pages.assets import docs_routes
from app.http.pages.home import home
from app.http.pages.operator import operator_page, operators_index
from app.http.pages.problem_pages import problem_pages, problems_index
from app.http.pages.representation import represent
from app.http.paths import READ
from app.http.reductions.reduce import Reduce
from app.http.reductions.resources import Resources
from app.settings import Settings
from app.spec.operators import SERVING, operator_path


def reductions(resources: Resources) -> dict[str, Reduce]:
    """What answers POST, by path: each operator at each opset that has it."""
    answering: dict[str, Reduce] = {}
    for name, opsets in SERVING.items():
        for opset, operator in opsets.items():
            path = operator_path(opset, name)
            location = None if path == operator.path else resources.settings.root_path + operator.path
            answering[path] = Reduce(operator, path, location, resources)
    return answering


def page_routes(answering: Mapping[str, Reduce], settings: Settings) -> APIRouter:
    """GET on the operator paths, the index, the first page, the OpenAPI documents and what browsers need."""
    router = APIRouter()
    router.include_router(document_routes(settings))
    router.include_router(docs_routes())

    @router.api_route("/", methods=READ, summary="What this is")
    async def first(request: Request) -> Response:
        return represent(home(), request, settings)

    @router.api_route("/operators", methods=READ, operation_id="list_operators", summary="Every operator version")
    async def operators(request: Request) -> Response:
        return represent(operators_index(), request, settings)

    @router.api_route("/problems", methods=READ, summary="Every type of problem")
    async def problems(request: Request) -> Response:
        return represent(problems_index(), request, settings)

    @router.api_route("/problems/{slug}", methods=READ, summary="What a type of problem means")
    async def problem(request: Request) -> Response:
        found = problem_pages().get(request.scope["path"])
        if found is None:
            raise HTTPException(404)
        return represent(found, request, settings)

    @router.api_route("/v{opset}/{operator}", methods=READ, summary="What an operator version is")
    async def describe(request: Request) -> Response:
        found = answering.get(request.scope["path"])
        if found is None:
            raise HTTPException(404)
        opset = int(request.path_params["opset"]) if found.location else None
        response = represent(operator_page(found.operator), request, settings, opset)
        if found.location:
            response.headers["content-location"] = found.location
        return response

    return router
