"""`python -m app`, or `keepdims` where it is installed: serve, as the KEEPDIMS_* environment says.

One thing is set earlier: how many threads the BLAS below NumPy may have, in `app/__init__.py`.
"""

import logging
import os
import socket
import sys
from errno import EADDRINUSE
from functools import partial
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from app import __version__
from app.http.keys import Keys
from app.http.observing.tracing import check_tracing
from app.http.open_inference.memory import FOLDER
from app.http.processes.server import Server
from app.http.processes.supervisor import Supervisor
from app.http.sharing import shared_folder
from app.main import create_app
from app.names import quoted
from app.settings import Settings, faults, unknown

log = logging.getLogger("keepdims")

USAGE = "settings are environment variables, such as KEEPDIMS_PORT=8000; docs/operations.md lists them"


def main() -> None:
    """Serve until told to stop; exit with a word if a setting makes no sense, or if there are arguments."""
    _read(sys.argv[1:])
    try:
        settings = Settings()
        Keys.of(settings)
    except ValidationError as error:
        raise SystemExit("\n".join(faults(error))) from None
    except (OSError, ValueError) as error:
        raise SystemExit(f"KEEPDIMS_API_KEYS_FILE: {error}") from None
    if settings.shared_memory and not FOLDER.is_dir():
        raise SystemExit(f"KEEPDIMS_SHARED_MEMORY needs Linux: there is no folder {FOLDER}")
    bound = _bound(settings)
    if settings.workers > 1 or settings.shared_memory:
        _try_folder()
    try:
        check_tracing()
    except ModuleNotFoundError as error:
        raise SystemExit(str(error)) from None
    server = Server(settings, create_app)
    for said in unknown(os.environ):
        log.warning(said)
    if settings.workers == 1:
        raise SystemExit(server.serve_on(bound))
    with shared_folder() as folder:
        make = partial(create_app, folder=folder)
        raise SystemExit(Supervisor(settings.workers, bound, make).run())


def _read(arguments: list[str]) -> None:
    """End if there are arguments: but for two, none means anything."""
    if not arguments:
        return
    if arguments in (["--help"], ["-h"]):
        print(f"keepdims serves until it is told to stop; {USAGE}")  # noqa: T201 this is what was asked for
    elif arguments == ["--version"]:
        print(__version__)  # noqa: T201 the same
    else:
        name = quoted(arguments[0].partition("=")[0])  # a value may be a secret
        print(f"{name} is not an argument of keepdims; {USAGE}", file=sys.stderr)  # noqa: T201 nothing is logged yet
        raise SystemExit(2)
    raise SystemExit


def _bound(settings: Settings) -> socket.socket:
    """A socket at the address; the end, with a word that helps, if it cannot be had."""
    bound = socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((settings.host, settings.port))
    except OSError as error:
        where = f"KEEPDIMS_HOST={settings.host} KEEPDIMS_PORT={settings.port}"
        hint = "; KEEPDIMS_PORT takes another port, 0 a free one" if error.errno == EADDRINUSE else ""
        raise SystemExit(f"{where}: {error.strerror}{hint}") from None
    return bound


def _try_folder() -> None:
    """End with a word that helps if no folder can be had in which processes know of each other, or of regions."""
    try:
        with TemporaryDirectory(prefix="keepdims-"):
            pass
    except OSError as error:
        where = "KEEPDIMS_WORKERS and KEEPDIMS_SHARED_MEMORY need a folder for temporary files"
        raise SystemExit(f"{where}: {error.strerror}; TMPDIR names another") from None


if __name__ == "__main__":
    main()
