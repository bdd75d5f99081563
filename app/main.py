"""Where the parts meet."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.types import ASGIApp

from app.http.budget.patience import Patience
from app.http.budget.room import Room
from app.http.budget.threads import Threads
from app.http.dispatch import Dispatch
from app.http.guard import Guard
from app.http.health import health_routes
from app.http.observing.journal import Journal
from app.http.observing.metrics import Metrics, metrics_route
from app.http.observing.observer import Observer
from app.http.observing.tracing import tracer_of
from app.http.open_inference.counters import Counters
from app.http.open_inference.endpoints import OpenInference, infers
from app.http.open_inference.regions import Regions
from app.http.origins import with_cors
from app.http.readiness import Readiness
from app.http.reductions.resources import Resources
from app.http.routes import page_routes, reductions
from app.http.unrouted import add_problems
from app.kernels.heap import retain_freed_memory
from app.settings import Settings


def create_app(settings: Settings | None = None, folder: Path | None = None) -> ASGIApp:
    """The service as an ASGI application; settings come from the environment if none are given. `folder`: the one that
    this process has in common with others which serve beside it, None if there are none."""
    settings = settings or Settings()
    return with_cors(_service(settings, folder), settings.cors_origins)


def _service(settings: Settings, folder: Path | None) -> Dispatch:
    metrics = Metrics(folder)
    observer = Observer(
        metrics, Journal(turns=folder and folder / "journal") if settings.access_log else None, tracer_of()
    )
    resources = Resources(
        settings,
        Threads.of(settings.kernel_threads),
        Patience(settings.body_timeout),
        Room(settings.max_inflight_bytes, metrics.holds),
        observer,
    )
    readiness = Readiness()
    answering = reductions(resources)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        retain_freed_memory()
        yield
        resources.threads.close()
        observer.close()

    framework = FastAPI(title="keepdims", openapi_url=None, redirect_slashes=False, lifespan=lifespan)
    framework.include_router(health_routes(readiness))
    framework.include_router(metrics_route(metrics))
    framework.include_router(page_routes(answering, settings))
    add_problems(framework, answering)

    counters, regions = Counters(folder), Regions(folder) if settings.shared_memory else None
    posts = answering | infers(resources, counters, regions)
    others = OpenInference(framework, resources, counters, regions, readiness)
    return Dispatch(others, posts, settings.body_timeout, observer, readiness, Guard.of(settings))
