"""Boxes cut so that what is made from a piece stays in the cache.

A region is a run of consecutive outputs; its pieces hold, one after the other, every element those outputs need.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import prod

Piece = tuple[slice, slice, slice, slice]

PIECE = 1 << 15
"""Elements of a piece: 256 KiB of int64, so that a piece and some temporaries fit a second-level cache of 2 MiB."""

ROWS = 16
"""Elements of each of its outputs that make what is done once per output a small part of the work."""

SHORT = 1024
"""Elements an output may have for pieces to hold complete outputs; longer ones are so few that their cost is small."""

_OUTPUTS = 15 << 10
"""Outputs of a piece of complete ones: int64 arrays of so many malloc keeps; from 128 KiB on it may give them back."""


# Boxes up to so many elements are often blocks of a stream, cut alike one after the other.
_BLOCK = 1 << 20


def regions(shape: tuple[int, ...], size: int, depth: int) -> Iterable[tuple[slice, slice, list[Piece]]]:
    """Regions (o, i) of a box and their pieces of at most `size` elements.

    Where the box has more than one of them, a piece holds `depth` or more elements of each of its outputs, so that work
    done once per output and piece stays small beside work done for every element.
    """
    return _regions_of_block(shape, size, depth) if prod(shape) <= _BLOCK else _regions(shape, size, depth)


def _regions(shape: tuple[int, ...], size: int, depth: int) -> Iterator[tuple[slice, slice, list[Piece]]]:
    o, r1, i, r2 = shape
    run = min(r2, size)
    deep = min(r1, max(1, depth // run))
    wide = min(i, max(1, size // (run * deep)))
    outer = min(o, max(1, size // (run * r1 * i)))
    along = min(r1, max(1, size // (run * wide * outer)))
    inner = [(c, d) for c in cuts(r1, along) for d in cuts(r2, run)]
    for a in cuts(o, outer):
        for b in cuts(i, wide):
            yield a, b, [(a, c, b, d) for c, d in inner]


@lru_cache(maxsize=64)
def _regions_of_block(shape: tuple[int, ...], size: int, depth: int) -> tuple[tuple[slice, slice, list[Piece]], ...]:
    return tuple(_regions(shape, size, depth))


def pieces(shape: tuple[int, ...], size: int = PIECE, depth: int = ROWS) -> Iterator[Piece]:
    """The pieces of all regions."""
    for _, _, found in regions(shape, size, depth):
        yield from found


def output_pieces(shape: tuple[int, ...]) -> Iterator[Piece]:
    """Pieces that hold every element of their outputs, as many outputs as bear some temporaries each."""
    o, r1, i, r2 = shape
    outputs = max(1, min(_OUTPUTS, 32 * PIECE // (r1 * r2)))
    wide = min(i, outputs)
    for a in cuts(o, outputs // wide):
        for b in cuts(i, wide):
            yield a, slice(None), b, slice(None)


def cuts(extent: int, step: int) -> Iterator[slice]:
    """Slices of `step` that cover range(extent)."""
    return (slice(start, min(start + step, extent)) for start in range(0, extent, step))
