"""`python -m app`: serve, as the KEEPDIMS_* environment says."""

from contextlib import nullcontext

import uvicorn
from pydantic import ValidationError

from app.http.open_inference.sharing import sharing
from app.http.protocol import Protocol
from app.settings import Settings

GRACE = 30
"""Seconds that requests in flight get to finish after SIGTERM."""


def main() -> None:
    """Serve until told to stop; exit with a word if a setting makes no sense."""
    try:
        settings = Settings()
    except ValidationError as error:
        raise SystemExit(f"settings: {error}") from None
    with sharing() if settings.workers > 1 else nullcontext():
        uvicorn.run(
            "app.main:create_app",
            factory=True,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE,
            ws="none",
            http=Protocol,
        )


if __name__ == "__main__":
    main()
