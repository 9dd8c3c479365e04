"""A connection to a PostgreSQL server: made again when it is lost, never waited for longer than ``patience``.

A lost server closes its connections; one that hangs says nothing.  So every wait has a deadline, after which the
connection counts as lost.
"""

from __future__ import annotations

import functools
import os
import random
import secrets
import selectors
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .._files import StoreError
from .._fork import Connected
from .address import ESCAPED, FORM, Address
from .log import EventLog

# Prefixes of error codes after which reconnecting helps: lost, ended by an administrator, cancelled, or out of luck.
LOST = ("57P0", "57014", "08", "25P03", "40001", "40P01")
FIRST = 10.0  # seconds to wait for a server that was never reached
BUSY = ("the database system is", "too many clients", "remaining connection slots", "closed the connection")
FATAL = ("FATAL", "resolve", "invalid")
# Timeouts after which the network counts as down; settings in the address take precedence.
PATIENT = {"keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "25000"}
MINE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s AND pid <> pg_backend_pid()"
ADVICE = {
    "42501": "ask its owner for the right (docs/many-machines.md)",
    "25006": "write the address of a server that can be written to",
    "42P01": "its tables were deleted: restore them, or open it again for a new selection",
    "53100": "free some space on the server and try again",
    "55P03": "another process has locked it; wait until it is done",
}


class Connection(Connected, EventLog):
    """A log that is reached by a connection to one database; ``settle`` is called for each new one."""

    def __init__(self, address: Address, patience: float):
        self.address, self.name, self.patience = address, str(address), patience
        self.begin_again()
        self.patiently(self.connected)

    def begin_again(self) -> None:
        """Set the state that belongs to this process."""
        self.process, self.token = os.getpid(), f"varde {secrets.token_hex(8)}"
        self.inside = False  # a transaction
        self.was_there = False  # whether there was a connection before
        self.deadline = float("inf")  # of all waiting

    def settle(self, connection: Any) -> None:
        """Refuse a database that is not ours, and set timeouts."""
        if self.was_there:  # the previous one may still hold a lock
            connection.execute(MINE, (self.token,))

    def connected(self) -> Any:
        """A connection of this process, to tables that are ours."""
        if self.closed:
            raise StoreError(f"{self.name} was closed: open it again")
        if self.process != os.getpid():
            if self.inside:
                raise StoreError(f"{self.name} was being changed when this process was forked: open it again")
            self.connection = None  # of the parent; the driver does not close it here
            self.begin_again()
        if self.connection is None:
            connection = self.connect()
            try:
                self.settle(connection)
            except BaseException:
                connection.close()
                raise
            self.hold(connection)
            self.was_there = True
        return self.connection

    def connect(self) -> Any:
        psycopg, given = driver(), None
        with suppress(psycopg.Error):  # whose message may contain the password
            given = psycopg.conninfo.conninfo_to_dict(self.address.connection)
        if given is None:
            raise StoreError(f"the address {self.name} cannot be read: write {FORM}, and in a {ESCAPED}")
        wait = f"{min(FIRST, max(self.deadline - time.monotonic(), 2.0)):.0f}"
        how = {"connect_timeout": wait, **PATIENT, **given, "application_name": self.token, "client_encoding": "utf8"}
        connection = limited().connect(**how, autocommit=True, cursor_factory=psycopg.ClientCursor)
        connection.owner = weakref.proxy(self)
        return connection

    def patiently(self, work: Callable[[], Any], share: float = 1.0) -> Any:
        """Do ``work`` outside a transaction; repeat it if the connection is lost, for a share of the patience."""
        psycopg, pause = driver(), 0.05
        began, self.deadline = time.monotonic(), time.monotonic() + share * self.patience
        try:
            while True:
                try:
                    return work()
                except psycopg.Error as error:
                    words, waits = self.in_words(error), min(self.waits(error), share * self.patience)
                    self.let_go()
                    if time.monotonic() + pause > began + waits:
                        raise words from error
                except BaseException:  # it is unclear what the next answer would belong to
                    self.let_go()
                    raise
                time.sleep(pause * random.SystemRandom().uniform(0.5, 1.0))  # the global generator is the user's
                pause = min(2.0 * pause, 2.0)
        finally:
            self.deadline = float("inf")

    def waits(self, error: Any) -> float:
        """How many seconds to keep trying."""
        if self.was_there or error.sqlstate is not None:
            return self.patience if self.is_lost(error) else 0.0
        # Never reached: the address may be wrong, or the server is just starting.
        if any(words in str(error) for words in BUSY):
            return self.patience
        return 0.0 if any(words in str(error) for words in FATAL) else FIRST

    def is_lost(self, error: Any) -> bool:
        """Whether the connection is lost, or there is none."""
        if error.sqlstate is not None:
            return str(error.sqlstate).startswith(LOST)
        return self.connection is None or self.connection.closed

    def in_words(self, error: Any) -> StoreError:
        said = self.address.without_secrets(error.diag.message_primary or str(error).strip().split("\n")[0])
        if not self.is_lost(error):
            advice = ADVICE.get(error.sqlstate or "", "earlier results are safe")
            return StoreError(f"{self.name} cannot be used now ({said}): {advice}")
        if self.was_there:
            return StoreError(
                f"{self.name} cannot be reached for {self.patience:g} s ({said}); earlier results are safe: "
                "check the server and try again"
            )
        return StoreError(f"{self.name} cannot be reached ({said}): check the address and the server")

    def let_go(self) -> None:
        self.inside = False
        super().let_go()


def driver() -> Any:
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError as error:
        raise ImportError("a store at postgresql://... needs psycopg: pip install 'varde[postgres]'") from error
    return psycopg


@functools.cache
def limited() -> Any:
    """The driver's connection, with a deadline for every wait: that of its ``owner``."""
    psycopg: Any = driver()

    class Limited(psycopg.Connection[Any]):
        owner: Any = None

        def wait(self, gen: Any, *_: Any, **__: Any) -> Any:
            try:
                wanted = next(gen)
                with selectors.DefaultSelector() as selector:
                    selector.register(self.fileno(), wanted)
                    while True:
                        deadline = float("inf") if self.owner is None else self.owner.deadline
                        left = None if deadline == float("inf") else max(deadline - time.monotonic(), 0.0)
                        selector.modify(self.fileno(), wanted)
                        ready = selector.select(left)
                        if not ready:
                            self.close()
                            raise psycopg.OperationalError("no answer in time")
                        wanted = gen.send(ready[0][1])
            except StopIteration as end:
                return end.value

    return Limited
