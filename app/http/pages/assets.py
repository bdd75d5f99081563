"""What a browser loads beside pages: stylesheet, scripts, and Swagger UI from the package that brings it."""

from importlib.metadata import distribution
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request, Response

from app.http.freshness import Lasting, fresh
from app.http.pages.html import HTML, HTML_HEADERS, render_docs
from app.http.paths import READ

ASSETS = Path(__file__).parent / "assets"
SWAGGER = Path(str(distribution("fastapi-swagger").locate_file("fastapi_swagger/resources")))

FILES = {
    "style.css": (ASSETS, "text/css"),
    "docs.css": (ASSETS, "text/css"),
    "docs.js": (ASSETS, "text/javascript"),
    "fields.js": (ASSETS, "text/javascript"),
    "operator.js": (ASSETS, "text/javascript"),
    "tensor.js": (ASSETS, "text/javascript"),
    "swagger-ui.css": (SWAGGER, "text/css"),
    "swagger-ui-bundle.js": (SWAGGER, "text/javascript"),
}
"""Where each file lies, and its media type."""


def docs_routes() -> APIRouter:
    """Every operation with a form to try it, without the internet; and the files of all pages."""
    router = APIRouter()
    held: dict[str, Lasting] = {}

    @router.api_route("/docs", methods=READ)
    async def docs(request: Request) -> Response:
        return fresh(request, render_docs(), HTML, HTML_HEADERS)

    @router.api_route("/assets/{name}", methods=READ)
    async def asset(request: Request, name: str) -> Response:
        if name not in FILES:
            raise HTTPException(404)
        if name not in held:
            folder, media_type = FILES[name]
            held[name] = Lasting((folder / name).read_bytes(), f"{media_type}; charset=utf-8")
        return await held[name].fresh(request)

    return router
