"""Measuring in turn, A B C A B C …, so that a machine that slows down slows them all."""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any


def seconds(call: Callable[[], Any]) -> float:
    """How long one call takes."""
    start = perf_counter()
    call()
    return perf_counter() - start


def in_turn(measures: Sequence[Callable[[], float]], rounds: int, budget: float = float("inf")) -> list[float]:
    """The median of each measure: at most `rounds` of them, at least one, and no new round after `budget` seconds.
    Later ones of a round find a warmer cache: the order turns round every time. The first of all should not be the
    first ever.
    """
    found: list[list[float]] = [[] for _ in measures]
    order = list(range(len(measures)))
    start = perf_counter()
    for _ in range(rounds):
        for which in order:
            found[which].append(measures[which]())
        if perf_counter() - start > budget:
            break
        order.reverse()
    return [median(each) for each in found]
