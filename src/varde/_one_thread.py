"""One thread at a time: a search or a run refuses a second thread that would write to its arrays."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

BRIEFLY = 60.0  # seconds: asking and telling take microseconds, except the first time, which compiles

F = TypeVar("F", bound=Callable[..., Any])


class Use:
    """The thread that uses the object; it may enter again.  A copy is not in use."""

    def __init__(self) -> None:
        self.lock = threading.RLock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Use, ()


def alone(wait: float = 0.0) -> Callable[[F], F]:
    """A method that no two threads run at once on an object with a ``use``; refuse the second after ``wait`` seconds.

    Long calls do not wait: with two threads the order of their work would be arbitrary.
    """

    def decorate(method: F) -> F:
        @functools.wraps(method)
        def call(self: Any, *args: Any, **options: Any) -> Any:
            lock = self.use.lock
            if not lock.acquire(timeout=wait):
                name = type(self).__name__
                raise RuntimeError(f"this {name} is in use by another thread: make one for each thread")
            try:
                return method(self, *args, **options)
            finally:
                lock.release()

        return call  # type: ignore[return-value]

    return decorate
