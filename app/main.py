"""Where the parts meet."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

from fastapi import FastAPI

from app.http import health
from app.http.dispatch import Dispatch
from app.http.routes import page_routes, reduction_routes, reductions
from app.http.unrouted import add_problems
from app.kernels.workers import Workers
from app.settings import Settings


def create_app(settings: Settings | None = None) -> Dispatch:
    """The service as an ASGI application; settings come from the environment if none are given."""
    settings = settings or Settings()
    workers = Workers(settings.kernel_threads)
    threads = ThreadPoolExecutor(settings.kernel_threads, "request")
    answering = reductions(settings, workers, threads)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        threads.shutdown()
        workers.close()

    framework = FastAPI(title="keepdims", openapi_url=None, redirect_slashes=False, lifespan=lifespan)
    framework.include_router(health.router)
    framework.include_router(page_routes(answering, settings))
    framework.router.routes.extend(reduction_routes(answering))
    add_problems(framework, answering)
    return Dispatch(framework, answering)
