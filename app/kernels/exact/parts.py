"""Sums of float64 that have no rounding: an array becomes a few arrays whose exact sum is its sum.

Integers multiples of 2^unit up to 2^top in size add without rounding, in any order, as long as the sum stays below
2^(unit + 53). Where that does not hold, adding and subtracting 1.5·2^(52+g) cuts every value at 2^g into a head,
of few enough bits, and an exact rest (Demmel and Nguyen, "Parallel Reproducible Summation", 2015).
"""

from dataclasses import dataclass
from itertools import zip_longest
from math import frexp
from typing import NamedTuple

import numpy as np

from app.kernels.exact.adding import added, grouped
from app.kernels.rounding import Floats

MOST_RANGE_BITS = 180
"""Bits between the top and the unit of values, above which counting by exponent is quicker than cutting."""

FEW_PARTS = 5
"""So few parts are not worth a fold."""

# Integers up to this size are float64.
_MOST_EXACT = 1 << 53


@dataclass(frozen=True, slots=True)
class Part:
    """One float64 per output, every one a multiple of 2^unit and at most 2^top in size."""

    values: Floats
    top: int
    unit: int


class Sums(NamedTuple):
    """values[a, groups, b], to be summed over the groups: multiples of 2^unit, at most 2^top in size."""

    values: Floats
    top: int
    unit: int


def exact_parts(y: Floats, top: int, unit: int) -> list[Part]:
    """The sums of y[a, r, b] over r as parts of a * b outputs. Overwrites y."""
    parts: list[Part] = []
    for sums in exact_sums(y, y, np.empty_like(y), top, unit):
        values = sums.values
        if values.shape[1] == 1:
            parts.append(Part(values.reshape(-1), sums.top, sums.unit))
        else:
            parts += exact_parts(values, sums.top, sums.unit)
    return parts


def exact_sums(y: Floats, rest: Floats, head: Floats, top: int, unit: int) -> list[Sums]:
    """The sums of y[a, r, b] over r, in groups as large as they can be. Overwrites `rest`, which may be y itself, and
    `head`, of y's shape."""
    terms = y.shape[1]
    need = (terms - 1).bit_length()
    room = 53 - (top - unit)
    if room >= need or terms == 1:
        return [Sums(added(y), top + need, unit)]
    if room >= 3:
        bits = min(room, 7)  # sums of more terms would be few as it is, and leave less room for sums of themselves
        return [Sums(grouped(y, 1 << bits), top + bits, unit)]
    # Heads add over 2^bits terms. The rest gains what the heads give up: leave it room for as many where that goes, and
    # for later sums of sums.
    bits = max(2, (107 - (top - unit)) // 2, min(need, 4))
    cut = top + bits - 53
    split(y, cut, head, rest)
    heads = Sums(added(head), top + need, cut) if bits >= need else Sums(grouped(head, 1 << bits), top + bits, cut)
    return [heads, *exact_sums(rest, rest, head, cut - 1, unit)]


def scaled(several: list[Sums], exponent: int) -> list[Sums]:
    """The sums times 2^exponent, in place."""
    if not exponent:
        return several
    for sums in several:
        np.multiply(sums.values, 2.0**exponent, out=sums.values)
    return [Sums(sums.values, sums.top + exponent, sums.unit + exponent) for sums in several]


def collected(several: list[Sums]) -> list[Part]:
    """Sums of the same outputs, [a, groups, b] with the same a and b, as parts."""
    top, unit = max([sums.top for sums in several]), min([sums.unit for sums in several])
    if top - unit > MOST_RANGE_BITS:
        return [part for sums in several for part in exact_parts(*sums)]
    y = several[0].values if len(several) == 1 else np.concatenate([sums.values for sums in several], axis=1)
    return exact_parts(y, top, unit)


def side_by_side(several: list[list[Part]], outputs: list[int]) -> list[Part]:
    """Parts of different outputs, so many each, as parts of all of them."""
    return [_padded(layer, outputs) for layer in zip_longest(*several)]


def _padded(layer: tuple[Part | None, ...], outputs: list[int]) -> Part:
    values = [np.zeros(n) if part is None else part.values for part, n in zip(layer, outputs, strict=True)]
    found = [part for part in layer if part is not None]
    return Part(np.concatenate(values), max([part.top for part in found]), min([part.unit for part in found]))


def folded(parts: list[Part]) -> list[Part]:
    """Many parts of the same outputs as a few; as they are where their range is too wide."""
    parts = joined(parts)
    if len(parts) <= FEW_PARTS:
        return parts
    top, unit = max(part.top for part in parts), min(part.unit for part in parts)
    if top - unit > MOST_RANGE_BITS:
        return parts
    stack = np.stack([part.values for part in parts])[None]
    return [_tight(part) for part in exact_parts(stack, top, unit)]


def joined(parts: list[Part]) -> list[Part]:
    """Parts of the same outputs; those whose sum has no rounding are one."""
    groups: list[list[Part]] = []
    size = 0  # of the last group's sum at most, in its smallest unit
    for part in sorted(parts, key=lambda part: part.unit):
        size += _size(part, groups[-1][0].unit) if groups else 0
        if not groups or size > _MOST_EXACT:
            groups.append([])
            size = _size(part, part.unit)
        groups[-1].append(part)
    return [_sum(group) for group in groups]


def _sum(group: list[Part]) -> Part:
    if len(group) == 1:
        return group[0]
    values = group[0].values + group[1].values
    for part in group[2:]:
        values += part.values
    unit = group[0].unit
    size = sum([_size(part, unit) for part in group])
    return Part(values, unit + (size - 1).bit_length(), unit)


def _size(part: Part, unit: int) -> int:
    """How many times 2^unit a part is at most."""
    return 1 << max(0, part.top - unit)


def _tight(part: Part) -> Part:
    """The same values with a top that is no larger than they need: else every fold would add its bits anew."""
    largest = float(np.abs(part.values).max())
    return Part(part.values, max(part.unit, min(part.top, frexp(largest)[1])) if largest else part.unit, part.unit)


def split(y: Floats, cut: int, head: Floats, rest: Floats) -> None:
    """What of y lies above 2^cut as `head`, and the rest, at most 2^(cut-1) in size; `rest` may be y itself.
    |y| <= 2^(cut+51)."""
    big = 1.5 * 2.0 ** (52 + cut)
    np.add(y, big, out=head)
    head -= big
    np.subtract(y, head, out=rest)
