"""`python -m app`, or `keepdims` where it is installed: serve, as the KEEPDIMS_* environment says.

One thing is set earlier: how many threads the BLAS below NumPy may have, in `app/__init__.py`.
"""

import logging
import os
import socket
from errno import EADDRINUSE
from functools import partial
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from app.http.keys import Keys
from app.http.observing.tracing import check_tracing
from app.http.processes.server import Server
from app.http.processes.supervisor import Supervisor
from app.http.sharing import shared_folder
from app.main import create_app
from app.settings import Settings

log = logging.getLogger("keepdims")


def main() -> None:
    """Serve until told to stop; exit with a word if a setting makes no sense."""
    try:
        settings = Settings()
        Keys.of(settings)
    except ValidationError as error:
        raise SystemExit("\n".join(_wrong(error))) from None
    except (OSError, ValueError) as error:
        raise SystemExit(f"KEEPDIMS_API_KEYS_FILE: {error}") from None
    _try_port(settings)
    if settings.workers > 1 or settings.shared_memory:
        _try_folder()
    try:
        check_tracing()
    except ModuleNotFoundError as error:
        raise SystemExit(str(error)) from None
    server = Server(settings, create_app)
    for name in _unknown():
        log.warning("%s is no setting of this service", name)
    if settings.workers == 1:
        raise SystemExit(server.serve_on())
    with shared_folder() as folder:
        make = partial(create_app, folder=folder)
        raise SystemExit(Supervisor(settings.workers, server.config.bind_socket(), make).run())


def _wrong(error: ValidationError) -> list[str]:
    """What is wrong with the settings, by the names that they have in the environment."""
    wrong = [each for each in error.errors() if each["type"] != "default_factory_not_called"]  # follows from another
    return [f"KEEPDIMS_{str(each['loc'][0]).upper()}: {each['msg']}" for each in wrong]


def _unknown() -> list[str]:
    """Names in the environment that look like settings, and are none: slips, for the most part."""
    known = {f"KEEPDIMS_{name.upper()}" for name in Settings.model_fields}
    return sorted(name for name in os.environ if name.upper().startswith("KEEPDIMS_") and name.upper() not in known)


def _try_port(settings: Settings) -> None:
    """End with a word that helps if the address cannot be had."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            where = f"KEEPDIMS_HOST={settings.host} KEEPDIMS_PORT={settings.port}"
            hint = "; KEEPDIMS_PORT takes another port, 0 a free one" if error.errno == EADDRINUSE else ""
            raise SystemExit(f"{where}: {error.strerror}{hint}") from None


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
