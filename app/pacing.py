"""How much is done before anyone asks whether it is still wanted: as much as takes a blink, by the clock."""

from time import perf_counter

STEP = 1 << 25
"""Bytes of a block that are reduced in one step at most: a blink, and enough to be reduced as fast as all at once."""

FIRST, LEAST = 1 << 22, 1 << 18
"""Bytes of the first step, which tells how long the elements take, and of the shortest."""

BLINK = 0.1
"""Seconds. Elements that a rounding can hardly be decided for take a hundred times as long as most."""


class Pace:
    """The length of the next step, in bytes: as the last ones have taken long or not."""

    def __init__(self) -> None:
        self.step = min(FIRST, STEP)
        self._began = 0.0

    def most(self, size: int) -> int:
        """How many things of `size` bytes the next step has: one at least."""
        return max(self.step // size, 1)

    def begin(self) -> None:
        """A step begins."""
        self._began = perf_counter()

    def end(self, size: int) -> None:
        """It has ended, and was of `size` bytes."""
        seconds = perf_counter() - self._began
        if seconds > 2 * BLINK:
            self.step = min(max(int(size * BLINK / seconds), LEAST), STEP)
        elif size + 8 > self.step and seconds < BLINK / 4:
            self.step = min(2 * size, STEP)
