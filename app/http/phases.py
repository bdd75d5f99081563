"""Where the time of one request goes."""

from enum import IntEnum
from time import perf_counter_ns


class Phase(IntEnum):
    """What a request does, or what it waits for."""

    READ = 0  # for its body
    QUEUE = 1  # for a thread
    DECODE = 2  # bytes to elements
    COMPUTE = 3  # elements to outputs
    ENCODE = 4  # outputs to bytes


PHASES = tuple(phase.name.lower() for phase in Phase)
"""Their names, in order."""

_SERVER_TIMING = ", ".join(f"{phase};dur=%.3f" for phase in PHASES).encode()


class Phases:
    """Nanoseconds by phase: each lap counts the time since the one before. Of two things that happen at once, such as
    to read a body and to reduce what has come of it, only the one that has to be waited for counts."""

    __slots__ = ("_last", "spent")

    def __init__(self) -> None:
        self.spent = [0, 0, 0, 0, 0]
        self._last = perf_counter_ns()

    def lap(self, phase: Phase) -> None:
        """The time since the last lap was `phase`."""
        now = perf_counter_ns()
        self.spent[phase] += now - self._last
        self._last = now

    def server_timing(self) -> bytes:
        """The value of a Server-Timing field, in milliseconds."""
        read, queue, decode, compute, encode = self.spent
        return _SERVER_TIMING % (read / 1e6, queue / 1e6, decode / 1e6, compute / 1e6, encode / 1e6)
