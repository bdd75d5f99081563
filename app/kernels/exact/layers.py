"""Parts of some of the outputs as parts of all of them.

Blocks of a stream begin anywhere, so parts of one row and of the next overlap. Here those that do not are laid side by
side, and what is left is as many layers as there were elements of an output.
"""

from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np

from app.kernels.exact.parts import FEW_PARTS, Part, folded

CELL_OUTPUTS = 1 << 12
"""Outputs that are layered together."""


def layered(held: list[tuple[int, list[Part]]], outputs: int) -> Iterator[tuple[int, list[Part]]]:
    """Parts and the output each begins at, as a few parts of consecutive cells of outputs, and where each cell begins.
    Cells without a part are left out."""
    cells: dict[int, list[tuple[int, Part]]] = {}
    for at, parts in held:
        for part in parts:
            start, size = at, len(part.values)
            while start < at + size:
                cell = start // CELL_OUTPUTS
                stop = min(at + size, (cell + 1) * CELL_OUTPUTS)
                piece = Part(part.values[start - at : stop - at], part.top, part.unit)
                cells.setdefault(cell, []).append((start - cell * CELL_OUTPUTS, piece))
                start = stop
    for cell, pieces in cells.items():
        parts = _layers(pieces, min(CELL_OUTPUTS, outputs - cell * CELL_OUTPUTS))
        yield cell * CELL_OUTPUTS, folded(parts) if len(parts) > FEW_PARTS else parts


def _layers(pieces: list[tuple[int, Part]], size: int) -> list[Part]:
    """Pieces of a cell, each at its place in the first layer that has it free."""
    layers = [piece for _, piece in pieces if len(piece.values) == size]
    free: list[tuple[int, int]] = []
    for start, piece in sorted((entry for entry in pieces if len(entry[1].values) < size), key=lambda entry: entry[0]):
        stop = start + len(piece.values)
        if free and free[0][0] <= start:
            _, k = heappop(free)
            layer = layers[k]
            layers[k] = Part(layer.values, max(layer.top, piece.top), min(layer.unit, piece.unit))
        else:
            k = len(layers)
            layers.append(Part(np.zeros(size), piece.top, piece.unit))
        layers[k].values[start:stop] = piece.values
        heappush(free, (stop, k))
    return layers
