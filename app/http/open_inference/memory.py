"""Shared memory as it is on this machine: files that are opened, measured and mapped anew for every request.

Their owner may have cut one or put another in its place. Nor need there be memory behind all of a file: what nobody
has written yet is a hole, and a hole that is touched through a mapping takes memory where it may have run out, which
ends the process. So holes are looked for: one that is read is read as a file is, and one that is to be written is
filled first. What no server can guard against is an owner that cuts a file, or makes holes in it, while it is used.
"""

import os
import re
from collections.abc import Callable
from mmap import ACCESS_READ, ACCESS_WRITE, mmap
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from app.errors import InvalidParameter
from app.names import quoted

FOLDER = Path("/dev/shm")
"""Where POSIX shared memory is found by name."""

Bytes = NDArray[np.uint8]

_KEY = re.compile(r"/?([^/\0]{1,255})")


class Memory:
    """Shared memory that is open. InvalidParameter if it is not there, or has fewer bytes than `end`."""

    def __init__(self, key: str, end: int, region: str, writing: bool = False) -> None:
        """`region`: as whose memory it is spoken of."""
        found = _KEY.fullmatch(key)
        if found is None or found[1] in (".", ".."):
            raise InvalidParameter(f"{quoted(key)} is not a key of shared memory; a key has one part, as in /tensors")
        self._region = region
        self._writing = writing
        mode = (os.O_RDWR if writing else os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            self._descriptor = os.open(FOLDER / found[1], mode)
        except (OSError, ValueError) as error:
            said = f"the memory {quoted(found[1])} of the region {quoted(region)}: {_why(error)}"
            raise InvalidParameter(said) from None
        status = os.fstat(self._descriptor)
        self._has_holes = 512 * status.st_blocks < status.st_size
        if not S_ISREG(status.st_mode) or status.st_size < end:
            os.close(self._descriptor)
            said = f"the region {quoted(region)} ends at byte {end} of {quoted(found[1])}, which has {status.st_size}"
            raise InvalidParameter(said)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._descriptor)

    def read(self, start: int, size: int, take: Callable[[int], None] | None = None) -> Bytes:
        """Bytes where they are; a copy of them, which `take` is told of before it is made, if there are holes."""
        if not size:
            return np.empty(0, np.uint8)
        try:
            if self._is_filled(start, size):
                return np.frombuffer(mmap(self._descriptor, start + size, access=ACCESS_READ), np.uint8, size, start)
            if take:
                take(size)
            copy = np.empty(size, np.uint8)
            done = 0
            while done < size:
                more = os.preadv(self._descriptor, [copy.data[done:]], start + done)
                if not more:
                    raise InvalidParameter(f"the memory of the region {quoted(self._region)} was cut while it was read")
                done += more
        except (OSError, ValueError) as error:
            raise self._refusal("read", error) from None
        return copy

    def write(self, start: int, raw: Bytes) -> None:
        """Bytes where they are wanted; all of them or none."""
        if not raw.size:
            return
        try:
            if not self._is_filled(start, raw.size):
                os.posix_fallocate(self._descriptor, start, raw.size)
            mapped = mmap(self._descriptor, start + raw.size, access=ACCESS_WRITE)
        except (OSError, ValueError) as error:
            raise self._refusal("written", error) from None
        np.frombuffer(mapped, np.uint8, raw.size, start)[:] = raw

    def _is_filled(self, start: int, size: int) -> bool:
        """Whether there are no holes. Where the file has as many blocks as bytes they need not be looked for, which
        takes a tenth of the time of a reduction."""
        return not self._has_holes or os.lseek(self._descriptor, start, os.SEEK_HOLE) >= start + size

    def _refusal(self, what: str, error: Exception) -> InvalidParameter:
        return InvalidParameter(f"the memory of the region {quoted(self._region)} cannot be {what}: {_why(error)}")


def _why(error: Exception) -> str:
    return os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else "unknown"
