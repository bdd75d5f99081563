"""Boxes cut so that what is made from a piece stays in the cache.

A region is a run of consecutive outputs; its pieces hold, one after the other, every element those outputs need.
"""

from collections.abc import Iterator

Piece = tuple[slice, slice, slice, slice]


def regions(shape: tuple[int, ...], size: int, depth: int) -> Iterator[tuple[slice, slice, list[Piece]]]:
    """Regions (o, i) of a box and their pieces of at most `size` elements.

    Where the box has more than one of them, a piece holds `depth` or more elements of each of its outputs, so that work
    done once per output and piece stays small beside work done for every element.
    """
    o, r1, i, r2 = shape
    run = min(r2, size)
    deep = min(r1, max(1, depth // run))
    wide = min(i, max(1, size // (run * deep)))
    outer = min(o, max(1, size // (run * min(r1, deep) * i))) if wide == i else 1
    along = min(r1, max(1, size // (run * wide * outer)))
    for a in cuts(o, outer):
        for b in cuts(i, wide):
            yield a, b, [(a, c, b, d) for c in cuts(r1, along) for d in cuts(r2, run)]


def cuts(extent: int, step: int) -> Iterator[slice]:
    """Slices of `step` that cover range(extent)."""
    return (slice(start, min(start + step, extent)) for start in range(0, extent, step))
