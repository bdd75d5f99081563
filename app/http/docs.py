"""What a browser loads beside pages: stylesheet, scripts, and Swagger UI from the package that brings it."""

from importlib.metadata import distribution
from pathlib import Path

from fastapi import APIRouter, HTTPException, Response
from fastapi.responses import HTMLResponse

from app.http.html import CONTENT_SECURITY_POLICY, render_docs

READ = ["GET", "HEAD"]

ASSETS = Path(__file__).parent / "assets"
SWAGGER = Path(str(distribution("fastapi-swagger").locate_file("fastapi_swagger/resources")))

FILES = {
    "style.css": (ASSETS, "text/css"),
    "docs.css": (ASSETS, "text/css"),
    "docs.js": (ASSETS, "text/javascript"),
    "operator.js": (ASSETS, "text/javascript"),
    "tensor.js": (ASSETS, "text/javascript"),
    "swagger-ui.css": (SWAGGER, "text/css"),
    "swagger-ui-bundle.js": (SWAGGER, "text/javascript"),
}
"""Where each file lies, and its media type."""


def docs_routes() -> APIRouter:
    """Every operation with a form to try it, without the internet; and the files of all pages."""
    router = APIRouter()
    held: dict[str, bytes] = {}

    @router.api_route("/docs", methods=READ)
    async def docs() -> Response:
        return HTMLResponse(render_docs(), headers={"content-security-policy": CONTENT_SECURITY_POLICY})

    @router.api_route("/assets/{name}", methods=READ)
    async def asset(name: str) -> Response:
        if name not in FILES:
            raise HTTPException(404)
        folder, media_type = FILES[name]
        if name not in held:
            held[name] = (folder / name).read_bytes()
        headers = {"cache-control": "public, max-age=3600"}
        return Response(held[name], media_type=f"{media_type}; charset=utf-8", headers=headers)

    return router
