"""What the machine, or the container, lets this process use."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_LIMITS = {"": ("sys/fs/cgroup", "memory.max"), "memory": ("sys/fs/cgroup/memory", "memory.limit_in_bytes")}
"""Where the control groups say how much memory there may be: those of version 2, which have no name, and of 1."""


def usable_cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usable_memory(root: Path = Path("/")) -> int:
    """The bytes of memory this process may use: the least of what the machine has and what its control groups allow."""
    return min([os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), *_allowed(root)])


def _allowed(root: Path) -> Iterator[int]:
    """What each control group allows that this process is in; a group is in those above it too."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return  # no Linux
    for line in lines:
        _, names, path = line.split(":", 2)
        for name in names.split(","):
            if name in _LIMITS:
                folder, file = _LIMITS[name]
                group = PurePosixPath(path)
                for above in (group, *group.parents):
                    yield from _number(root / folder / str(above).lstrip("/") / file)


def _number(file: Path) -> Iterator[int]:
    """What a file says, if it is there and sets a limit."""
    try:
        said = file.read_text(encoding="utf-8").strip()
    except OSError:
        return
    if said.isdigit():
        yield int(said)
