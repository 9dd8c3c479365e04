"""A connection to a PostgreSQL server, with reconnecting, and error messages.

No fork happens while a connection is in use; a child process makes its own and never touches its parent's.
"""

from __future__ import annotations

import os
import random
import secrets
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .._files import StoreError
from .address import ESCAPED, FORM, Address

LOST = ("57P0", "08", "25P03", "40001", "40P01")  # prefixes of error codes after which reconnecting helps
FIRST = 10.0  # seconds to wait for a server that was never reached
BUSY = ("the database system is", "too many clients", "remaining connection slots", "closed the connection")
FATAL = ("FATAL", "resolve", "invalid")
# Timeouts after which the network counts as down; settings in the address take precedence.
PATIENT = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
MINE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s AND pid <> pg_backend_pid()"
ADVICE = {
    "42501": "ask its owner for the right (docs/many-machines.md)",
    "25006": "write the address of a server that can be written to",
    "42P01": "its tables were deleted: restore them, or open it again for a new selection",
    "53100": "free some space on the server and try again",
    "55P03": "another process has locked it; wait until it is done",
}


class Connection:
    """A connection to one database; ``settle`` is called for each new one.  Its user holds its lock."""

    def __init__(self, path: Address, patience: float):
        self.path, self.patience = path, patience
        self.lock = threading.RLock()
        self.connection: Any = None
        self.closed = False
        self.begin_again()
        self.patiently(self.connected)
        OPEN.add(self)

    def begin_again(self) -> None:
        """Set the state that belongs to this process."""
        self.process, self.token = os.getpid(), f"varde {secrets.token_hex(8)}"
        self.inside = False  # a transaction
        self.known = False  # whether there was a connection before
        self.leave: Callable[[], Any] = lambda: None

    def settle(self, connection: Any) -> None:
        """Refuse a database that is not ours, and set timeouts."""
        if self.known:  # the previous one may still hold a lock
            connection.execute(MINE, (self.token,))

    def connected(self) -> Any:
        """A connection of this process, to tables that are ours."""
        if self.closed:
            raise StoreError(f"{self.path} was closed: open it again")
        if self.process != os.getpid():
            if self.inside:
                raise StoreError(f"{self.path} was being changed when this process was forked: open it again")
            self.connection = None  # of the parent; the driver does not close it here
            self.begin_again()
        if self.connection is None:
            connection = self.connect()
            try:
                self.settle(connection)
            except BaseException:
                connection.close()
                raise
            self.connection, self.known = connection, True
            self.leave = weakref.finalize(self, leave, connection, self.process)
        return self.connection

    def connect(self) -> Any:
        psycopg = driver()
        given = None
        with suppress(psycopg.Error):  # whose message may contain the password
            given = psycopg.conninfo.conninfo_to_dict(self.path.connection)
        if given is None:
            raise StoreError(f"the address {self.path} cannot be read: write {FORM}, and in a {ESCAPED}")
        how = {**PATIENT, **given, "application_name": self.token, "client_encoding": "utf8"}
        return psycopg.connect(**how, autocommit=True, cursor_factory=psycopg.ClientCursor)

    def patiently(self, work: Callable[[], Any]) -> Any:
        """Do ``work`` outside a transaction; repeat it if the connection is lost."""
        psycopg, began, pause = driver(), 0.0, 0.05
        while True:
            try:
                return work()
            except psycopg.Error as error:
                words, waits, now = self.in_words(error), self.waits(error), time.monotonic()
                self.let_go()
                began = began or now
                if now + pause > began + waits:
                    raise words from error
            except BaseException:  # it is unclear what the next answer would belong to
                self.let_go()
                raise
            time.sleep(pause * random.SystemRandom().uniform(0.5, 1.0))  # the global generator is the user's
            pause = min(2.0 * pause, 2.0)

    def waits(self, error: Any) -> float:
        """How many seconds to keep trying."""
        if self.known or error.sqlstate is not None:
            return self.patience if self.is_lost(error) else 0.0
        # Never reached: the address may be wrong, or the server is just starting.
        if any(words in str(error) for words in BUSY):
            return self.patience
        return 0.0 if any(words in str(error) for words in FATAL) else min(FIRST, self.patience)

    def is_lost(self, error: Any) -> bool:
        """Whether the connection is lost, or there is none."""
        if error.sqlstate is not None:
            return str(error.sqlstate).startswith(LOST)
        return self.connection is None or self.connection.closed

    def in_words(self, error: Any) -> StoreError:
        said = self.path.without_secrets(error.diag.message_primary or str(error).strip().split("\n")[0])
        if not self.is_lost(error):
            advice = ADVICE.get(error.sqlstate or "", "earlier results are safe")
            return StoreError(f"{self.path} cannot be used now ({said}): {advice}")
        if self.known:
            return StoreError(
                f"{self.path} cannot be reached for {self.patience:g} s ({said}); earlier results are safe: "
                "check the server and try again"
            )
        return StoreError(f"{self.path} cannot be reached ({said}): check the address and the server")

    def let_go(self) -> None:
        """Close the connection: the next statement makes another."""
        self.inside = False
        if self.connection is not None and self.process == os.getpid():
            self.leave()
        self.connection = None

    def close(self) -> None:
        if not self.closed:
            self.let_go()
        self.closed = True


def driver() -> Any:
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError as error:
        raise ImportError("a store at postgresql://... needs psycopg: pip install 'varde[postgres]'") from error
    return psycopg


def leave(connection: Any, process: int) -> None:
    if process == os.getpid():
        connection.close()


OPEN: weakref.WeakSet[Connection] = weakref.WeakSet()
forking = threading.RLock()
waiting: list[Connection] = []


def before_fork() -> None:
    forking.acquire()
    waiting.extend(OPEN)
    for log in waiting:
        log.lock.acquire()


def after_fork() -> None:
    while waiting:
        waiting.pop().lock.release()
    forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
