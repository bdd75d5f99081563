"""Where the time of one request goes."""

from collections.abc import Sequence
from time import perf_counter_ns

PHASES = ("read", "queue", "decode", "compute", "encode")
"""What a request does, or what it waits for: its body, a thread, bytes that become elements, elements that become
outputs, outputs that become bytes."""

READ, QUEUE, DECODE, COMPUTE, ENCODE = range(len(PHASES))

_SERVER_TIMING = ", ".join(f"{phase};dur=%.3f" for phase in PHASES).encode()


def in_seconds(spent: Sequence[int]) -> dict[str, float]:
    """Nanoseconds by phase, as they are told."""
    read, queue, decode, compute, encode = spent
    return {
        "read": read / 1e9,
        "queue": queue / 1e9,
        "decode": decode / 1e9,
        "compute": compute / 1e9,
        "encode": encode / 1e9,
    }


class Phases:
    """Nanoseconds by phase: each lap counts the time since the one before. Of two things that happen at once, such as
    to read a body and to reduce what has come of it, only the one that has to be waited for counts."""

    __slots__ = ("_last", "spent")

    def __init__(self) -> None:
        self.spent = [0, 0, 0, 0, 0]
        self._last = perf_counter_ns()

    def lap(self, phase: int) -> None:
        """The time since the last lap was `phase`."""
        now = perf_counter_ns()
        self.spent[phase] += now - self._last
        self._last = now

    def server_timing(self) -> bytes:
        """The value of a Server-Timing field, in milliseconds."""
        read, queue, decode, compute, encode = self.spent
        return _SERVER_TIMING % (read / 1e6, queue / 1e6, decode / 1e6, compute / 1e6, encode / 1e6)
