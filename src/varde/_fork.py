"""Connections and forks: none happens while a connection is in use, and a child makes its own."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Self

OPEN: weakref.WeakSet[ForkSafe] = weakref.WeakSet()
forking = threading.RLock()
waiting: list[ForkSafe] = []


class ForkSafe:
    """Something that is not to be used in two processes; ``fork_lock`` is held while it is used."""

    fork_lock: Any  # held while it is used

    def __new__(cls, *given: Any, **named: Any) -> Self:
        self = super().__new__(cls)  # here, so that a subclass need not call __init__
        self.fork_lock = threading.RLock()
        OPEN.add(self)
        return self

    def before_fork(self) -> None:
        """Called with the lock held, before this process forks."""


class Connected(ForkSafe):
    """Something with a connection, of one process, which is closed with it."""

    connection: Any = None
    closed: bool = False
    process: int
    leave: Any

    def hold(self, connection: Any) -> None:
        self.connection, self.process = connection, os.getpid()
        self.leave = weakref.finalize(self, leave, connection, self.process)

    def let_go(self) -> None:
        """Close the connection, unless it is that of a parent: the next statement makes another."""
        if self.connection is not None and self.process == os.getpid():
            self.leave()
            self.connection = None

    def close(self) -> None:
        if not self.closed:
            self.let_go()
        self.closed = True


def leave(connection: Any, process: int) -> None:
    if process == os.getpid():
        connection.close()


def before_fork() -> None:
    forking.acquire()
    waiting.extend(OPEN)
    for one in waiting:
        one.fork_lock.acquire()
        one.before_fork()


def after_fork() -> None:
    while waiting:
        waiting.pop().fork_lock.release()
    forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
