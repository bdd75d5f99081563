"""Lists that go on as those before them did, told by their brackets and commas alone."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple


class Regular(NamedTuple):
    """How lists go on: `steps` are, for each open list, how many of its items have ended. The innermost lists of which
    none has ended yet are at depth `free` and any length will do; deeper ones have the sizes `inner`."""

    steps: list[int]
    free: int
    inner: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Sequence[int | None], steps: list[int]) -> "Regular | None":
        """`sizes`: by depth, the size of the lists there, None until the first has ended. None if all have ended, or if
        the first has just begun."""
        inner = tuple(size for size in sizes if size is not None)
        free = len(sizes) - len(inner) - 1
        if free < 0 or len(steps) <= free or not (inner or steps[free]):
            return None
        return cls(steps, free, inner)

    def behind(self, marks: bytes) -> list[int] | None:
        """The steps behind marks from comma to comma, and the comma that follows; None if others are expected."""
        marks += b","
        unit = _marks(self.inner) + b","
        at = sum(
            1 + step * (len(_marks(self.inner[level:])) + 1)
            for level, step in enumerate(self.steps[self.free + 1 :], start=1)
        )
        found = unit[at : at + len(marks)]
        if len(found) < len(marks):
            more = len(marks) - len(found)
            found += (unit * (more // len(unit) + 1))[:more]
        if found != marks:
            return None
        items, at = divmod(at + len(marks), len(unit))
        steps = [*self.steps[: self.free], self.steps[self.free] + items]
        level = 1
        while at:
            step, at = divmod(at - 1, len(_marks(self.inner[level:])) + 1)
            steps.append(step)
            level += 1
        return steps

    def elements(self, steps: list[int]) -> int:
        """How many elements stand between these steps and others."""
        return self._before(steps) - self._before(self.steps)

    def _before(self, steps: list[int]) -> int:
        sizes = self.inner
        return sum(step * prod(sizes[level:]) for level, step in enumerate(steps[self.free :]))


@lru_cache(maxsize=64)
def _marks(shape: tuple[int, ...]) -> bytes:
    """The brackets and commas of lists of a shape; none of an element."""
    if not shape:
        return b""
    return b"[%b]" % b",".join([_marks(shape[1:])] * shape[0])
