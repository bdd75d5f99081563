"""The OpenAPI documents, as bytes that are made once."""

import orjson
from fastapi import APIRouter, HTTPException, Request, Response

from app.http.documents.binary import build_binary
from app.http.documents.open_inference import build_inference
from app.http.documents.openapi import Document, build_openapi, build_opset
from app.http.freshness import Lasting
from app.http.negotiation import JSON
from app.http.paths import DOCUMENT, OPSET_DOCUMENTS, READ
from app.settings import Settings

WHOLE = {
    "/openapi.json": build_openapi,
    "/openapi/binary.json": build_binary,
    "/openapi/inference.json": build_inference,
}
"""All operator versions, their binary bodies, and the Open Inference Protocol."""


def document_routes(settings: Settings) -> APIRouter:
    """The whole documents, and those of one opset, each of which is made when it is first asked for."""
    router = APIRouter()

    def rendered(document: Document) -> Lasting:
        return Lasting(orjson.dumps(document | {"servers": [{"url": settings.root_path or "/"}]}), JSON)

    made = {path: rendered(build()) for path, build in WHOLE.items()}

    async def document(request: Request) -> Response:
        path: str = request.scope["path"]
        if path not in made:
            if path not in OPSET_DOCUMENTS:
                raise HTTPException(404)
            made[path] = rendered(build_opset(OPSET_DOCUMENTS[path]))
        return await made[path].fresh(request)

    for path in (*WHOLE, f"/v{{opset}}/{DOCUMENT}"):
        router.add_api_route(path, document, methods=READ)
    return router
