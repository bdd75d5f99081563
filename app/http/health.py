"""Whether the service lives, whether it takes requests, and what is running."""

import platform
from hashlib import sha256
from importlib.metadata import version
from typing import Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from app import __version__
from app.http.freshness import fresh
from app.http.paths import READ
from app.http.problem_document import document
from app.http.problems import STOPPING
from app.http.readiness import STOPS, Readiness
from app.http.unrouted import response
from app.spec.operators import OPERATORS

UNKEPT = "no-store"
"""Cache-Control of what holds at the moment alone."""

PACKAGES = ("numpy", "ml-dtypes", "fastapi", "pydantic", "uvicorn", "orjson")


class Health(BaseModel):
    status: Literal["live", "ready"]


class Version(BaseModel):
    """What is running; `table` is a digest of all operator versions, their parameters and dtypes."""

    name: str
    version: str
    python: str
    packages: dict[str, str]
    operators: int
    table: str


def health_routes(readiness: Readiness) -> APIRouter:
    """GET /health/live, /health/ready and /version."""
    router = APIRouter()

    @router.api_route("/health/live", methods=READ, operation_id="health_live", summary="Whether the process lives")
    async def live(kept: Response) -> Health:
        kept.headers["cache-control"] = UNKEPT
        return Health(status="live")

    @router.api_route("/health/ready", methods=READ, operation_id="health_ready", summary="Whether it takes requests")
    async def ready(request: Request, kept: Response) -> Any:
        if readiness.stopping:
            return response(document(STOPPING, STOPS, headers=((b"cache-control", UNKEPT.encode()),)), request)
        kept.headers["cache-control"] = UNKEPT
        return Health(status="ready")

    @router.api_route("/version", methods=READ, operation_id="version", summary="What is running")
    async def running(request: Request) -> Response:
        return fresh(request, RUNNING.model_dump_json(), "application/json")

    return router


def table_digest() -> str:
    """SHA-256 of the table, row by row."""
    rows = (
        (row.name, row.version, row.output, row.takes_empty, row.dtypes, row.parameters.described())
        for row in OPERATORS
    )
    return sha256("\n".join(map(repr, rows)).encode()).hexdigest()


RUNNING = Version(
    name="keepdims",
    version=__version__,
    python=platform.python_version(),
    packages={package: version(package) for package in PACKAGES},
    operators=len(OPERATORS),
    table=table_digest(),
)
