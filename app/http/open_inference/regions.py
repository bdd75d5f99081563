"""Shared memory that callers have registered: tensors on the same machine that need not travel.

Each region is a file in a folder that all worker processes share, so that what one of them was told all know. The
memory is opened, measured and mapped anew for every request, for its owner may have cut it or put another in its
place. What no server can guard against is an owner that cuts it while it is read: that ends the process.
"""

import os
import re
from mmap import ACCESS_READ, ACCESS_WRITE, mmap
from pathlib import Path
from shutil import rmtree
from stat import S_ISREG
from tempfile import mkdtemp
from typing import NamedTuple
from urllib.parse import quote
from weakref import finalize

import numpy as np
import orjson
from numpy.typing import NDArray

from app.blocks import Block, Header, Tensor
from app.errors import InvalidParameter, ShapeMismatch
from app.tensors.elements import check_bools
from app.tensors.open_inference.members import Region

MEMORY = Path("/dev/shm")
"""Where POSIX shared memory is found by name."""

LONGEST = 64
"""Characters of a region's name."""

ODD = 1 << 24
"""Bytes of a tensor that is copied because it begins at an odd place."""

_KEY = re.compile(r"/?([^/\0]{1,255})")


class Registered(NamedTuple):
    """Bytes `offset` to `offset + byte_size` of the shared memory `key`, under a name of the caller's."""

    name: str
    key: str
    offset: int
    byte_size: int


class Regions:
    """The regions that all processes know which share `folder`, or this one alone."""

    def __init__(self, folder: Path | None) -> None:
        if folder is None:
            folder = Path(mkdtemp(prefix="keepdims-"))
            finalize(self, rmtree, folder, ignore_errors=True)
        self._folder = folder / "regions"
        self._folder.mkdir(exist_ok=True)

    def register(self, region: Registered) -> None:
        """Make a region known; InvalidParameter if its name is taken or its memory is not there."""
        path = self._path(region.name)
        os.close(_opened(region, os.O_RDWR))
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.write_bytes(orjson.dumps(region._asdict()))
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            raise InvalidParameter(f"the region {region.name!r} is registered already") from None
        finally:
            draft.unlink()

    def unregister(self, name: str) -> None:
        """Forget a region, if there is one of that name."""
        self._path(name).unlink(missing_ok=True)

    def unregister_all(self) -> None:
        """Forget all of them."""
        for region in self.all():
            self.unregister(region.name)

    def all(self) -> list[Registered]:
        """Every region, by name."""
        found = []
        for path in sorted(self._folder.glob("*=")):
            try:
                found.append(Registered(**orjson.loads(path.read_bytes())))
            except FileNotFoundError:  # unregistered since
                continue
        return found

    def of(self, name: str) -> Registered:
        """The region of a name; InvalidParameter if there is none."""
        try:
            return Registered(**orjson.loads(self._path(name).read_bytes()))
        except FileNotFoundError:
            raise InvalidParameter(f"no region is registered as {name!r}") from None

    def block(self, region: Region, header: Header) -> Block:
        """The elements of a tensor, where they are: they are not copied, unless they stand at an odd place."""
        memory, start = self._mapped(region, os.O_RDONLY)
        raw: NDArray[np.uint8] = np.frombuffer(memory, np.uint8, region.size, start)
        if header.dtype == "bool":
            check_bools(raw)
        if over := start % header.numpy_dtype.itemsize:
            if region.size > ODD:
                said = f"byte {start} of the shared memory is {over} beyond a multiple of the element's size"
                raise InvalidParameter(f"{said}, and a tensor of more than {ODD} bytes may not begin there")
            raw = raw.copy()
        return Block(0, raw.view(header.numpy_dtype))

    def check_room(self, region: Region, header: Header) -> None:
        """ShapeMismatch if the elements of an answer do not fit in."""
        wanted = header.size * header.numpy_dtype.itemsize
        if wanted > region.size:
            raise ShapeMismatch(f"the answer takes {wanted} bytes, and shared_memory_byte_size is {region.size}")

    def put(self, region: Region, tensor: Tensor) -> None:
        """The elements of an answer into a region."""
        self.check_room(region, tensor.header)
        if tensor.values.nbytes:
            memory, start = self._mapped(region, os.O_RDWR)
            raw = np.ascontiguousarray(tensor.values).reshape(-1).view(np.uint8)
            np.frombuffer(memory, np.uint8, raw.size, start)[:] = raw

    def _mapped(self, region: Region, mode: int) -> tuple[mmap, int]:
        """The memory up to the end of a part of a region, and where the part begins in it."""
        registered = self.of(region.name)
        if region.offset + region.size > registered.byte_size:
            said = f"bytes {region.offset} to {region.offset + region.size} are not all in the region {region.name!r}"
            raise InvalidParameter(f"{said}, which has {registered.byte_size}")
        descriptor = _opened(registered, mode)
        try:
            start = registered.offset + region.offset
            access = ACCESS_READ if mode == os.O_RDONLY else ACCESS_WRITE
            return mmap(descriptor, max(start + region.size, 1), access=access), start
        except (OSError, ValueError):
            raise InvalidParameter(f"the memory of the region {region.name!r} cannot be mapped") from None
        finally:
            os.close(descriptor)

    def _path(self, name: str) -> Path:
        if not 0 < len(name.encode(errors="replace")) <= LONGEST:
            raise InvalidParameter(f"the name of a region has 1 to {LONGEST} bytes, and this one is none or longer")
        return self._folder / f"{quote(name, safe='').replace('.', '%2E')}="


def _opened(region: Registered, mode: int) -> int:
    """A descriptor of the shared memory, which was measured; InvalidParameter if it is gone or too small."""
    key = _KEY.fullmatch(region.key)
    if key is None or key[1] in (".", ".."):
        raise InvalidParameter(f"{region.key[:40]!r} is no key of shared memory: it has one part, as in /tensors")
    try:
        descriptor = os.open(MEMORY / key[1], mode | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else "unknown"
        raise InvalidParameter(f"the memory {key[1][:40]!r} of the region {region.name!r}: {reason}") from None
    status = os.fstat(descriptor)
    end = region.offset + region.byte_size
    if not S_ISREG(status.st_mode) or status.st_size < end:
        os.close(descriptor)
        said = f"the region {region.name!r} ends at byte {end} of {key[1][:40]!r}, which has {status.st_size}"
        raise InvalidParameter(said)
    return descriptor
