"""Shared memory that callers have registered: tensors on the same machine that need not travel.

Each region is a file in a folder that all worker processes share, so that what one of them was told all know.
"""

import os
from collections.abc import Callable
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import NamedTuple
from urllib.parse import quote
from weakref import finalize

import numpy as np
import orjson

from app.blocks import Block, Header, Tensor
from app.errors import InvalidParameter, Overloaded, ShapeMismatch
from app.http.open_inference.memory import Memory
from app.names import quoted
from app.tensors.elements import check_bools
from app.tensors.open_inference.members import Region

UNSHARED = "this service does not take shared memory; KEEPDIMS_SHARED_MEMORY=1 lets it"

LONGEST = 64
"""Characters of a region's name."""

ODD = 1 << 24
"""Bytes of a tensor that is copied because it begins at an odd place."""


class Registered(NamedTuple):
    """Bytes `offset` to `offset + byte_size` of the shared memory `key`, under a name of the caller's."""

    name: str
    key: str
    offset: int
    byte_size: int

    def opened(self, writing: bool = False) -> Memory:
        """Its memory; InvalidParameter if that is not there, or no longer as large."""
        return Memory(self.key, self.offset + self.byte_size, self.name, writing)


class Regions:
    """The regions that all processes know which share `folder`, or this one alone."""

    def __init__(self, folder: Path | None) -> None:
        if folder is None:
            folder = Path(mkdtemp(prefix="keepdims-"))
            finalize(self, rmtree, folder, ignore_errors=True)
        self._folder = folder / "regions"
        self._folder.mkdir(exist_ok=True)

    def register(self, region: Registered) -> None:
        """Make a region known; InvalidParameter if its name is taken or its memory is not there, Overloaded if there is
        no room to write it down."""
        path = self._path(region.name)
        with region.opened(writing=True):
            pass  # it is there
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            draft.write_bytes(orjson.dumps(region._asdict()))
            path.hardlink_to(draft)
        except FileExistsError:
            raise InvalidParameter(f"the region {quoted(region.name)} is registered already") from None
        except OSError as error:
            reason = os.strerror(error.errno or 0).lower()
            raise Overloaded(f"the region {quoted(region.name)} cannot be written down: {reason}") from None
        finally:
            draft.unlink(missing_ok=True)

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
            raise InvalidParameter(f"no region is registered as {quoted(name)}") from None

    def block(self, region: Region, header: Header, take: Callable[[int], None] | None) -> Block:
        """The elements of a tensor, where they are: they are not copied, unless they stand at an odd place or in
        memory that is not written yet; `take` is told how many bytes that takes."""
        registered, start = self._part(region)
        with registered.opened() as memory:
            raw = memory.read(start, region.size, take)
        if header.dtype == "bool":
            check_bools(raw)
        if over := raw.ctypes.data % header.numpy_dtype.itemsize:
            if region.size > ODD:
                said = f"byte {start} of the shared memory is {over} beyond a multiple of the element's size"
                raise InvalidParameter(f"{said}; a tensor of more than {ODD} bytes must begin at a multiple")
            raw = raw.copy()
        return Block(0, raw.view(header.numpy_dtype))

    def check_room(self, region: Region, header: Header) -> None:
        """ShapeMismatch if the elements of an answer do not fit in."""
        wanted = header.size * header.numpy_dtype.itemsize
        if wanted > region.size:
            raise ShapeMismatch(f"the answer takes {wanted} bytes, but shared_memory_byte_size is {region.size}")

    def put(self, region: Region, tensor: Tensor) -> None:
        """The elements of an answer into a region."""
        self.check_room(region, tensor.header)
        registered, start = self._part(region)
        with registered.opened(writing=True) as memory:
            memory.write(start, np.ascontiguousarray(tensor.values).reshape(-1).view(np.uint8))

    def _part(self, region: Region) -> tuple[Registered, int]:
        """What is registered, and where in its memory a part of it begins."""
        registered = self.of(region.name)
        if region.offset + region.size > registered.byte_size:
            said = f"bytes {region.offset} to {region.offset + region.size} are not all in"
            raise InvalidParameter(f"{said} the region {quoted(region.name)}, which has {registered.byte_size}")
        return registered, registered.offset + region.offset

    def _path(self, name: str) -> Path:
        if not 0 < len(name.encode(errors="replace")) <= LONGEST:
            raise InvalidParameter(f"the name of a region must have 1 to {LONGEST} bytes; this one is empty or longer")
        return self._folder / f"{quote(name, safe='').replace('.', '%2E')}="
