"""Where a box is cut so that what is made from a piece stays in the cache."""

from collections.abc import Iterator

Cut = tuple[slice, slice, slice, slice]

PIECE = 1 << 15
"""Elements of a piece: 256 KiB of int64, so that a piece and some temporaries fit a second-level cache of 2 MiB."""

SHORT = 1024
"""Elements an output may have for pieces to hold complete outputs; longer ones are so few that their cost is small."""

_OUTPUTS = 15 << 10
"""Outputs of a piece of complete ones: int64 arrays of so many malloc keeps; from 128 KiB on it may give them back."""

_ROWS = 16


def cuts(shape: tuple[int, ...], limit: int = PIECE) -> Iterator[Cut]:
    """Slices of a box (o, r1, i, r2) that hold at most `limit` elements and together every element once.

    Runs of r2 stay whole as long as possible. A piece takes up to 16 steps of r1 rather than all of i, so that what is
    done once per output and piece stays a small part of the work when an outer axis is reduced.
    """
    o, r1, i, r2 = shape
    r2_step = min(r2, limit)
    i_step = min(i, max(1, limit // (r2_step * min(r1, _ROWS))))
    r1_step = min(r1, max(1, limit // (r2_step * i_step)))
    o_step = min(o, max(1, limit // (r2_step * i_step * r1_step)))
    for a in _steps(o, o_step):
        for b in _steps(r1, r1_step):
            for c in _steps(i, i_step):
                for d in _steps(r2, r2_step):
                    yield a, b, c, d


def output_cuts(shape: tuple[int, ...]) -> Iterator[Cut]:
    """Slices of a box that hold every element of their outputs, as many outputs as bear some temporaries each."""
    o, r1, i, r2 = shape
    outputs = max(1, min(_OUTPUTS, 32 * PIECE // (r1 * r2)))
    i_step = min(i, outputs)
    for a in _steps(o, outputs // i_step):
        for c in _steps(i, i_step):
            yield a, slice(None), c, slice(None)


def _steps(length: int, step: int) -> Iterator[slice]:
    return (slice(start, min(start + step, length)) for start in range(0, length, step))
