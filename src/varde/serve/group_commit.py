"""Group commit: requests that arrive while the disk is busy are written together in its next turn.

Waiting for the disk takes longer than everything else together.  A single request waits for one turn; of a hundred at
the same time, most share one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .once import Once

MOST = 200  # requests in one turn


class Turns:
    """One turn at a time, each for all waiting requests."""

    def __init__(self, once: Once):
        self.once = once
        self.waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []
        self.running: asyncio.Task[None] | None = None

    async def take(self, change: Callable[[], Any]) -> Any:
        """The answer of ``change``, once it is on disk."""
        done: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting.append((change, done))
        if self.running is None:
            self.running = asyncio.create_task(self.run())
        return await done

    async def run(self) -> None:
        try:
            while self.waiting:
                turn, self.waiting = self.waiting[:MOST], self.waiting[MOST:]
                try:
                    answers = await asyncio.to_thread(self.once.together, [change for change, _ in turn])
                except Exception as error:
                    answers = [error] * len(turn)
                for (_, done), answer in zip(turn, answers, strict=True):
                    if done.done():  # no longer awaited
                        continue
                    if isinstance(answer, Exception):
                        done.set_exception(answer)
                    else:
                        done.set_result(answer)
        finally:
            self.running = None
