"""Timing things in turn, so that a machine that slows down slows them all."""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any


def in_turn(calls: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Median seconds of each call, after one that does not count. Later calls of a round find a warmer cache: the
    order turns round every time."""
    for call in calls:
        call()
    seconds: list[list[float]] = [[] for _ in calls]
    order = list(range(len(calls)))
    for _ in range(rounds):
        for which in order:
            start = perf_counter()
            calls[which]()
            seconds[which].append(perf_counter() - start)
        order.reverse()
    return [median(times) for times in seconds]
