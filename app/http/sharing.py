"""The folder by which worker processes know of each other."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def shared_folder() -> Iterator[Path]:
    """A folder for the workers that are started meanwhile; gone when they are."""
    with TemporaryDirectory(prefix="keepdims-") as folder:
        yield Path(folder)
