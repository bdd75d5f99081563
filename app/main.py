"""Where the parts meet."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.types import ASGIApp

from app.http import health
from app.http.dispatch import Dispatch
from app.http.keys import Guard, Guarded, Keys
from app.http.metrics import Metrics, metrics_route
from app.http.open_inference.counters import Counters
from app.http.open_inference.endpoints import OpenInference, infers
from app.http.open_inference.regions import Regions
from app.http.open_inference.sharing import shared_folder
from app.http.patience import Patience
from app.http.room import Room
from app.http.routes import page_routes, reduction_routes, reductions
from app.http.threads import Threads
from app.http.unrouted import add_problems
from app.settings import Settings


def create_app(settings: Settings | None = None) -> Dispatch:
    """The service as an ASGI application; settings come from the environment if none are given."""
    settings = settings or Settings()
    threads = Threads.of(settings.kernel_threads)
    metrics = Metrics()
    patience = Patience(settings.body_timeout)
    room = Room(settings.max_inflight_bytes)
    answering = reductions(settings, threads, patience, room, metrics)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        threads.close()

    framework = FastAPI(title="keepdims", openapi_url=None, redirect_slashes=False, lifespan=lifespan)
    framework.include_router(health.router)
    framework.include_router(metrics_route(metrics))
    framework.include_router(page_routes(answering, settings))
    framework.router.routes.extend(reduction_routes(answering))
    add_problems(framework, answering)

    folder = shared_folder()
    counters, regions = Counters(folder), Regions(folder) if settings.shared_memory else None
    posts = answering | infers(settings, threads, patience, room, metrics, counters, regions)
    others: ASGIApp = OpenInference(framework, patience, room, counters, regions)
    keys = Keys.of(settings)
    if keys is None:
        return Dispatch(others, posts, at_once=posts, patience=settings.body_timeout)
    guarded = {path: Guarded(post, post, keys) for path, post in posts.items()}
    others = Guard(others, keys, settings.open_metrics)
    return Dispatch(others, guarded, at_once=guarded, patience=settings.body_timeout)
