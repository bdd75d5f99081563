"""Blocks in, outputs out: which elements a kernel sees together, and when an output is done.

Rows that arrive whole are reduced at once and leave no state behind. A row that is cut open keeps one state
until its last element has come, from whatever block and in whatever order.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from app.blocks import Block
from app.kernels.geometry import Geometry, box
from app.kernels.kernel import Box, Kernel, S
from app.kernels.regions import cuts
from app.kernels.team import Team

# Elements below which a second thread costs more than it gives.
WORTH_A_THREAD = 1 << 17


class Accumulator(Generic[S]):
    """The outputs of one reduction while its blocks come in. `outputs` is 1-D, of all rows' outputs in order."""

    def __init__(self, kernel: Kernel[S], geometry: Geometry, output: np.dtype[Any], team: Team) -> None:
        self.kernel = kernel
        self.geometry = geometry
        self.outputs: NDArray[Any] = np.empty(geometry.rows * geometry.outputs, output)
        self.missing = geometry.rows * geometry.row_size
        self._team = team
        self._open: dict[int, tuple[S, int]] = {}  # by row: its state, and how many elements are still to come

    @property
    def nbytes(self) -> int:
        """Memory that the states of open rows hold, in bytes."""
        return sum(state.nbytes for state, _ in self._open.values())

    def absorb(self, block: Block) -> None:
        """Take in a block that is not empty: whole rows to their outputs, what is left at an end to an open row."""
        size = self.geometry.row_size
        start, stop = block.start, block.start + len(block.values)
        first, last = -(-start // size), stop // size
        if first > last:  # inside one row
            self._open_row(last, block.values, start - last * size)
        else:
            head, tail = first * size - start, last * size - start
            if head:
                self._open_row(first - 1, block.values[:head], size - head)
            if first < last:
                self._whole_rows(first, last, block.values[head:tail])
            if tail < len(block.values):
                self._open_row(last, block.values[tail:], 0)
        self.missing -= len(block.values)

    def _whole_rows(self, first: int, last: int, values: NDArray[Any]) -> None:
        geometry = self.geometry
        rows = box(values, last - first, geometry.groups)
        o, _, i, _ = rows.shape
        outputs = self.outputs[first * geometry.outputs : last * geometry.outputs].reshape(o, i)
        parts = self._worthwhile(values)
        if parts == 1:
            self._reduce(rows, outputs)
            return
        axis = 0 if o >= parts else 2
        if rows.shape[axis] < parts:  # too few outputs to go round: the threads share each of them
            self._cut_open(range(first, last), values, parts)
            return

        boxes = np.array_split(rows, parts, axis)
        into = np.array_split(outputs, parts, axis // 2)
        self._team.run([partial(self._reduce, *pair) for pair in zip(boxes, into, strict=True)])

    def _reduce(self, rows: Box, into: NDArray[Any]) -> None:
        """Some outputs at a time, so that what a kernel makes for each is still in the cache when it is read."""
        outputs = self.kernel.outputs_at_once
        wide = min(into.shape[1], outputs)
        for a in cuts(into.shape[0], outputs // wide):
            for b in cuts(into.shape[1], wide):
                part = into[a, b]
                if part.flags.c_contiguous:
                    self.kernel.whole(rows[a, :, b], part.reshape(-1))
                else:
                    part[...] = self.kernel.whole(rows[a, :, b]).reshape(part.shape)

    def _cut_open(self, rows: range, values: NDArray[Any], parts: int) -> None:
        for row, elements in zip(rows, np.array_split(values, len(rows)), strict=True):
            self._finish(row, self._take_in(None, elements, 0, parts))

    def _open_row(self, row: int, values: NDArray[Any], start: int) -> None:
        state, missing = self._open.pop(row, (None, self.geometry.row_size))
        state = self._take_in(state, values, start, self._worthwhile(values))
        missing -= len(values)
        if missing:
            self._open[row] = state, missing
        else:
            self._finish(row, state)

    def _take_in(self, state: S | None, values: NDArray[Any], start: int, parts: int) -> S:
        """The state of a row (None: that has seen nothing) and of `values`, which stand at `start` in it."""
        tasks: list[Callable[[], list[tuple[S, int]]]] = []
        for part in np.array_split(values, parts):
            tasks.append(partial(self._partials, part, start))
            start += len(part)
        if state is None:
            state = self.kernel.identity(self.geometry.outputs)
        for seen in self._team.run(tasks):
            for other, output in seen:
                state.merge(other, output)
        return state

    def _partials(self, values: NDArray[Any], start: int) -> list[tuple[S, int]]:
        """States of `values`, which stand at `start` in a row, and the outputs they begin at."""
        seen: list[tuple[S, int]] = []
        for piece in self.geometry.pieces(start, start + len(values)):
            elements = box(values[piece.start - start : piece.stop - start], piece.rows, piece.groups)
            seen.append((self.kernel.partial(elements, piece.first), piece.output))
        return seen

    def _finish(self, row: int, state: S) -> None:
        outputs = self.geometry.outputs
        if self.geometry.rows == 1:
            self.outputs = self.kernel.finish(state, self.geometry.count)
            return
        self.outputs[row * outputs : (row + 1) * outputs] = self.kernel.finish(state, self.geometry.count)

    def _worthwhile(self, values: NDArray[Any]) -> int:
        """How many threads to spend on these elements."""
        threads = min(self._team.threads, len(values) // WORTH_A_THREAD)
        return threads if threads >= self.kernel.min_threads else 1
