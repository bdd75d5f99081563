"""Blocks in, outputs out: which elements a kernel sees together, and when an output is done.

Rows that arrive whole are reduced at once and leave no state behind. A row that is cut open keeps one state
until its last element has come, from whatever block and in whatever order; a short one keeps its elements.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from app.blocks import Block
from app.kernels.geometry import Geometry, box
from app.kernels.kernel import TOGETHER, Box, Kernel, S
from app.kernels.regions import cuts
from app.kernels.team import Team
from app.pacing import Pace

# Elements below which a second thread costs more than it gives.
WORTH_A_THREAD = 1 << 17
# Rows up to here that are cut open keep their elements: to merge states takes several times as long.
KEPT_BYTES = 1 << 20


class Accumulator(Generic[S]):
    """The outputs of one reduction while its blocks come in. `outputs` is 1-D, of all rows' outputs in order."""

    def __init__(self, kernel: Kernel[S], geometry: Geometry, output: np.dtype[Any], team: Team) -> None:
        self.kernel = kernel
        self.geometry = geometry
        self.outputs: NDArray[Any] = np.empty(geometry.rows * geometry.outputs, output)
        self.missing = geometry.rows * geometry.row_size
        self._team = team
        # By row: its state, or its elements where those are kept, and how many of them are still to come.
        self._open: dict[int, tuple[Any, int]] = {}

    @property
    def nbytes(self) -> int:
        """Memory that open rows hold, in bytes."""
        return sum(held.nbytes for held, _ in self._open.values())

    def steps(self, block: Block, pace: Pace) -> Iterator[int]:
        """Take in a block, a step at each `next`, which gives the step's bytes. A step ends with a row if it can; where
        a row of few elements to an output is there as a whole and longer than a step, with an output."""
        values, done, size = block.values, 0, self.geometry.row_size
        # Of more groups, a box is a copy.
        by_outputs = self.geometry.count <= TOGETHER and len(self.geometry.groups) <= 3
        while done < len(values):
            start, left = block.start + done, len(values) - done
            most = pace.most(values.itemsize)
            if by_outputs and most < size <= left and start % size == 0:
                yield from self._steps_of_row(start // size, values[done : done + size], pace)
                done += size
                continue
            taken = min(most, left)
            beyond = (start + taken) % size
            if taken < left and beyond < taken:
                taken -= beyond
            self.absorb(Block(start, values[done : done + taken]))
            yield taken * values.itemsize
            done += taken

    def absorb(self, block: Block) -> None:
        """Take in a block that is not empty: whole rows are reduced, the elements before and after go to open rows."""
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
        boxes, outputs = self._boxed(first, last, values)
        parts = self._worthwhile(values.size)
        if parts > max(outputs.shape):  # too few outputs to go round: the threads share each of them
            self._cut_open(range(first, last), values, parts)
        else:
            self._share(boxes, outputs, parts)

    def _steps_of_row(self, row: int, values: NDArray[Any], pace: Pace) -> Iterator[int]:
        """A row of so few elements to an output that each step has all those of some outputs."""
        boxes, outputs = self._boxed(row, row + 1, values)
        done, size = 0, self.geometry.count * values.itemsize
        while done < outputs.shape[1]:
            part = slice(done, done + pace.most(size))
            here = boxes[:, :, part]
            self._share(here, outputs[:, part], min(self._worthwhile(here.size), here.shape[2]))
            yield here.nbytes
            done = part.stop
        self.missing -= len(values)

    def _boxed(self, first: int, last: int, values: NDArray[Any]) -> tuple[Box, NDArray[Any]]:
        """Some rows as a box, and their outputs (o, i)."""
        rows, outputs = box(values, last - first, self.geometry.groups), self.geometry.outputs
        return rows, self.outputs[first * outputs : last * outputs].reshape(rows.shape[0], rows.shape[2])

    def _share(self, rows: Box, outputs: NDArray[Any], parts: int) -> None:
        """Reduce a box in so many parts, each on a thread."""
        if parts == 1:
            self._reduce(rows, outputs)
            return
        axis = 0 if rows.shape[0] >= parts else 2
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
        size = self.geometry.row_size
        kept = size * values.itemsize <= KEPT_BYTES
        held, missing = self._open.pop(row, (None, size))
        if kept:
            held = np.empty(size, values.dtype) if held is None else held
            held[start : start + len(values)] = values
        else:
            held = self._take_in(held, values, start, self._worthwhile(values.size))
        missing -= len(values)
        if missing:
            self._open[row] = held, missing
        elif kept:
            self._whole_rows(row, row + 1, held)
        else:
            self._finish(row, held)

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

    def _worthwhile(self, elements: int) -> int:
        """How many threads to spend on so many elements."""
        threads = min(self._team.threads, elements // WORTH_A_THREAD)
        return threads if threads >= self.kernel.min_threads else 1
