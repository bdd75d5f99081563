"""Measuring in turn, A B C A B C …, so that a machine that slows down slows them all."""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any


def seconds(call: Callable[[], Any]) -> float:
    """How long one call takes."""
    start = perf_counter()
    call()
    return perf_counter() - start


def in_turn(
    measures: Sequence[Callable[[], float]], rounds: int, budget: float = float("inf"), least: int = 1
) -> list[list[float]]:
    """What each measure gave, round by round: at most `rounds` of them, and after `budget` seconds no more than the
    `least`. Later ones of a round find a warmer cache: the order turns round every time. The first of all should not
    be the first ever.
    """
    found: list[list[float]] = [[] for _ in measures]
    order = list(range(len(measures)))
    start = perf_counter()
    for done in range(1, rounds + 1):
        for which in order:
            found[which].append(measures[which]())
        if done >= least and perf_counter() - start > budget:
            break
        order.reverse()
    return found
