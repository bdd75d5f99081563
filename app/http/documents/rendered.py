"""The OpenAPI documents, as bytes that are made once."""

from functools import cache

import orjson
from fastapi import APIRouter, HTTPException, Request, Response

from app.errors import UnknownVersion
from app.http.documents.binary import build_binary
from app.http.documents.open_inference import build_inference
from app.http.documents.openapi import Document, build_openapi, build_opset
from app.http.freshness import Lasting
from app.settings import Settings
from app.spec.operators import LAST_OPSET

READ = ["GET", "HEAD"]

JSON = "application/json"


def document_routes(settings: Settings) -> APIRouter:
    """All operator versions, their binary bodies, the Open Inference Protocol, and the operators of one opset."""
    router = APIRouter()

    def rendered(document: Document) -> Lasting:
        return Lasting(orjson.dumps(document | {"servers": [{"url": settings.root_path or "/"}]}), JSON)

    @cache
    def of_opset(opset: int) -> Lasting:
        return rendered(build_opset(opset))

    json_bodies, binary_bodies = rendered(build_openapi()), rendered(build_binary())
    inference = rendered(build_inference())

    @router.api_route("/openapi.json", methods=READ)
    async def openapi(request: Request) -> Response:
        return await json_bodies.fresh(request)

    @router.api_route("/openapi/binary.json", methods=READ)
    async def binary(request: Request) -> Response:
        return await binary_bodies.fresh(request)

    @router.api_route("/openapi/inference.json", methods=READ)
    async def open_inference(request: Request) -> Response:
        return await inference.fresh(request)

    @router.api_route("/v{opset}/openapi.json", methods=READ)
    async def opset_openapi(request: Request, opset: str) -> Response:
        if opset not in OPSETS:
            if opset.isascii() and opset.isdecimal():
                raise UnknownVersion(f"there is no opset {opset[:20]}; opsets 1 to {LAST_OPSET} exist")
            raise HTTPException(404)
        return await of_opset(int(opset)).fresh(request)

    return router


OPSETS = frozenset(str(opset) for opset in range(1, LAST_OPSET + 1))
