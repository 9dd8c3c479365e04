"""A thread that tells a shared log, from time to time, that this process lives."""

from __future__ import annotations

import threading
import weakref
from typing import Any


class Heartbeat:
    """Calls ``log.beat()`` under ``log.lock`` every so many seconds, as long as there is such a log."""

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
        # Who holds the lock is talking to the server, or waits for it.
        if log.lock.acquire(timeout=every):
            try:
                if not over.is_set():
                    log.beat()
            finally:
                log.lock.release()
        del log
