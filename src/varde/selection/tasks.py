"""Async functions: an event loop with a limit of how many run at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from .draws import Draw
from .runners import Runner


class Tasks(Runner):
    """An event loop in a thread of its own, so that it works where one runs already, as in a notebook."""

    def __init__(self, function: Callable[..., Any], at_once: int, timeout: float | None):
        super().__init__(function)
        self.at_once, self.timeout = at_once, timeout
        ready = threading.Event()
        self.thread = threading.Thread(target=asyncio.run, args=(self.live(ready),), name="varde", daemon=True)
        self.thread.start()
        ready.wait()

    async def live(self, ready: threading.Event) -> None:
        self.loop, self.over = asyncio.get_running_loop(), asyncio.Event()
        self.free = asyncio.Semaphore(self.at_once)
        ready.set()
        await self.over.wait()

    async def task(self, draw: Draw) -> Any:
        async with self.free:
            try:
                return await asyncio.wait_for(self.job(draw)(), self.timeout)
            except TimeoutError as error:
                raise TimeoutError(str(error) or f"no result within {self.timeout:g} s") from error

    def submit(self, draw: Draw) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(self.task(draw), self.loop)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.over.set)
        self.thread.join(timeout=5.0)
