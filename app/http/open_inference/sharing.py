"""The folder by which worker processes know of each other."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from multiprocessing import current_process, parent_process
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

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
    if folder := os.environ.get(FOLDER):
        return Path(folder)
    if parent_process() is None:
        return None
    # Started by uvicorn itself: what siblings have in common, and nobody else, is the key they got from their parent.
    name = sha256(bytes(current_process().authkey)).hexdigest()[:16]
    path = Path(gettempdir()) / f"keepdims-{name}"
    path.mkdir(mode=0o700, exist_ok=True)
    return path
