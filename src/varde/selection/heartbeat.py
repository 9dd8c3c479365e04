"""A thread that regularly tells a shared log that this process is alive."""

from __future__ import annotations

import threading
import weakref
from typing import Any


class Heartbeat:
    """Calls ``log.beat()`` under ``log.lock`` every few seconds, as long as the log exists."""

    def __init__(self, log: Any, every: float):
        self.over = threading.Event()
        weakref.finalize(log, self.over.set)
        beating = threading.Thread(target=beat, args=(weakref.ref(log), every, self.over), name="varde heartbeat")
        beating.daemon = True
        beating.start()

    def stop(self) -> None:
        self.over.set()


def beat(found: weakref.ref[Any], every: float, over: threading.Event) -> None:
    while not over.wait(every):
        log = found()
        if log is None:
            return
        # Whoever holds the lock is talking to the server, or waiting for it.
        if log.lock.acquire(timeout=every):
            try:
                if not over.is_set():
                    log.beat()
            finally:
                log.lock.release()
        del log
