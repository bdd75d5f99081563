"""A body that comes in batches: one is worked on in a thread while the next one is gathered.

A client that sends faster than its elements are reduced waits for a batch to end, and one that sends slowly holds
nothing but what it has sent of one.
"""

from asyncio import Task, create_task
from collections.abc import Awaitable, Callable
from typing import Any

from app.http.reductions.body import Body, TooSlow
from app.http.reductions.intake import Intake
from app.http.reply import Reply

BATCH = 1 << 22
"""Bytes that are worth a hand-over to a thread."""

PIECES = 1 << 12
"""The most pieces of a batch, however small."""

Run = Callable[..., Awaitable[Any]]


class Flow:
    """One body on its way into an intake. `run` calls a function in a thread."""

    def __init__(self, body: Body, intake: Intake, run: Run, batch: int | None = None) -> None:
        """`batch`: bytes that are worth a hand-over; BATCH if not said."""
        self._batch = batch or BATCH
        self._body = body
        self._intake = intake
        self._run = run
        self._work: Task[None] | None = None

    async def reply(self) -> Reply:
        """The answer, once the body has ended; a Refusal once it is known and something comes, or nothing does."""
        try:
            if self._intake.begun:  # elements may have come already
                self._work = create_task(self._absorb([]))
            while not self._body.ended:
                batch = await self._gather()
                await self._settle()
                self._work = create_task(self._absorb(batch))
                if not self._intake.begun:
                    await self._settle()
            await self._settle()
            reply: Reply = await self._run(self._intake.finish)
            return reply
        except TooSlow:
            await self._settle()  # what did come may be refused
            raise
        finally:
            if self._work is not None:
                self._work.cancel()

    async def _gather(self) -> list[bytes]:
        """The next batch; what stands before the elements is handed over as it comes."""
        pieces: list[bytes] = []
        size = 0
        while size < self._batch and len(pieces) < PIECES and not self._body.ended:
            if self._work is not None and self._work.done():
                await self._settle()
            pieces.append(piece := await self._body.piece())
            size += len(piece)
            if not self._intake.begun:
                break
        return pieces

    async def _absorb(self, batch: list[bytes]) -> None:
        while await self._run(self._intake.absorb, batch):
            batch = []

    async def _settle(self) -> None:
        """Wait for the work at hand."""
        work, self._work = self._work, None
        if work is not None:
            await work
