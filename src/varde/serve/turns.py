"""Requests that change something, in turns: those that came while the disk was busy share its next turn.

To wait for the disk takes longer than all else together.  Who asks alone waits for one turn; of a hundred that ask at
the same time, most share one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from .once import Once

MOST = 200  # requests in one turn


class Turns:
    """One turn at a time, each with all that wait."""

    def __init__(self, once: Once):
        self.once = once
        self.waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []
        self.running: asyncio.Task[None] | None = None

    async def take(self, change: Callable[[], Any]) -> Any:
        """What ``change`` answers, when that is on the disk."""
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
                    if done.done():  # nobody waits for it any more
                        continue
                    if isinstance(answer, Exception):
                        done.set_exception(answer)
                    else:
                        done.set_result(answer)
        finally:
            self.running = None
