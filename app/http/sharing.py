"""The folder by which worker processes know of each other."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = "KEEPDIMS_SHARED_FOLDER"
"""Names the folder to worker processes; set by the process that starts them, not by who runs the service."""


@contextmanager
def sharing() -> Iterator[None]:
    """A folder for the workers that are started meanwhile."""
    with TemporaryDirectory(prefix="keepdims-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]


def shared_folder() -> Path | None:
    """The folder of this worker; None if it is the only one."""
    folder = os.environ.get(FOLDER)
    return Path(folder) if folder else None
