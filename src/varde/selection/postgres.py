"""The log of a selection in a PostgreSQL database, for many machines at once.

    varde.events      selection, id, the fields of ``Event``, the checksum of a file's events, and which moment wrote it
    varde.selections  id, name: one database holds many
    varde.workers     selection, worker, until: the lease of a process that has draws under way, by the server's clock
    varde.options, varde.results, varde.failures   views for people, as in a file
    varde.format      the number of the format

A moment is a transaction that holds an advisory lock.  It takes two trips to the server: one that begins, locks and
reads what others added, and one that appends and commits.

When the connection is lost, another is made.  If that was while committing, the log is asked whether the moment is in
it, once the lock shows that the old transaction has ended; if not, it is to be had again (``MomentLostError``).
"""

from __future__ import annotations

import os
import random
import secrets
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import Any, Self

from .._files import StoreError, StoreWarning
from ..check import positive
from .address import ESCAPED, FORM, Address, as_place
from .file import COLUMNS, checksum, is_intact, row_of
from .heartbeat import Heartbeat
from .log import Event, MomentLostError
from .worker import this_process

PATIENCE = 60.0  # seconds in which a lost server may come back
SILENCE = 30.0  # seconds after which a process that has said nothing is gone, and its draws are handed out again
HELD = 20.0  # seconds after which the server ends a transaction of which it hears nothing: others wait for it
FORMAT = 1
KEY = 0x56617264  # of our advisory locks; the second half is the number of the selection, 0: the tables
FEW = 20  # events that are sent as one statement rather than as a stream
LOST_IN_A_ROW = 10  # moments
LOST = ("57P0", "08", "25P03", "40001", "40P01")  # how the codes of errors begin after which another connection helps
FIRST = 10.0  # seconds in which a server that was never there may come
BUSY = (
    "starting up",
    "shutting down",
    "in recovery mode",
    "too many clients",
    "remaining connection slots",
    "closed the",
)
FATAL = ("FATAL", "resolve", "invalid")
# The network is gone when nothing comes back for so long; what the address says about these wins.
PATIENT = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}

TABLES = """
CREATE SCHEMA IF NOT EXISTS varde;
CREATE TABLE varde.format (number integer NOT NULL);
INSERT INTO varde.format VALUES (1);
CREATE TABLE varde.selections (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, made timestamptz DEFAULT now()
);
CREATE TABLE varde.events (
    selection integer NOT NULL REFERENCES varde.selections ON DELETE CASCADE,
    id bigint NOT NULL, kind text NOT NULL, draw bigint, option bigint, replicate bigint, seed bigint,
    value double precision, text text, time double precision NOT NULL, worker text NOT NULL, data text,
    checksum bigint NOT NULL, moment bigint NOT NULL, PRIMARY KEY (selection, id)
);
CREATE UNIQUE INDEX one_result ON varde.events (selection, draw) WHERE kind = 'tell';
CREATE UNIQUE INDEX one_option ON varde.events (selection, option) WHERE kind = 'option';
CREATE TABLE varde.workers (
    selection integer NOT NULL REFERENCES varde.selections ON DELETE CASCADE, worker text NOT NULL,
    until timestamptz NOT NULL, PRIMARY KEY (selection, worker)
);
CREATE VIEW varde.options AS SELECT s.name AS selection, e.option AS id, e.text AS name, e.data AS value,
    e.value AS cost FROM varde.events e JOIN varde.selections s ON s.id = e.selection
    WHERE kind = 'option' ORDER BY s.name, e.option;
CREATE VIEW varde.results AS SELECT s.name AS selection, e.draw, o.text AS name, e.replicate, e.seed, e.value,
    to_timestamp(e.time) AS time, e.worker
    FROM varde.events e JOIN varde.selections s ON s.id = e.selection
    JOIN varde.events o ON o.selection = e.selection AND o.option = e.option AND o.kind = 'option'
    WHERE e.kind = 'tell' ORDER BY s.name, e.id;
CREATE VIEW varde.failures AS SELECT s.name AS selection, e.draw, o.text AS name, e.replicate, e.seed,
    e.text AS reason, to_timestamp(e.time) AS time, e.worker
    FROM varde.events e JOIN varde.selections s ON s.id = e.selection
    JOIN varde.events o ON o.selection = e.selection AND o.option = e.option AND o.kind = 'option'
    WHERE e.kind IN ('fail', 'expire') ORDER BY s.name, e.id;
"""
SESSION = """
SET search_path = pg_catalog;
SET lock_timeout = {patience:.0f};
SET idle_in_transaction_session_timeout = {held:.0f};
SET statement_timeout = 0;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
"""
# Whether there are tables in the schema, whether they are ours, whether anything can be written, and to the disk.
FOUND = """
SELECT (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'varde'),
    (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'varde'
     AND c.relname IN ('format', 'selections', 'events', 'workers')) = 4,
    current_setting('transaction_read_only') = 'on', current_setting('fsync') = 'on'
"""
MINE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s AND pid <> pg_backend_pid()"
ROW = f"({', '.join(['%s'] * (len(Event._fields) + 4))})"
INSERT = f"INSERT INTO varde.events (selection, {COLUMNS}, moment) VALUES "
LEASE = """
INSERT INTO varde.workers VALUES (%s, %s, clock_timestamp() + %s * interval '1 second')
ON CONFLICT (selection, worker) DO UPDATE SET until = excluded.until
"""
# A server that was away could not hear anybody.
SILENT = """
SELECT worker FROM varde.workers WHERE selection = %s AND worker = ANY(%s)
AND greatest(until, pg_postmaster_start_time() + %s * interval '1 second') < clock_timestamp()
"""
ADVICE = {
    "42501": "ask its owner for the right (docs/many-machines.md)",
    "25006": "write the address of a server that can be written to",
    "42P01": "its tables were deleted: restore them, or open it again for a new selection",
    "53100": "make room on the server and do the same again",
    "55P03": "another process holds it; wait for that to end",
    "22P05": "make a database with the encoding UTF8",
}


class Postgres:
    """The log at an address, which ``varde`` makes if it is not there yet; with rights to read only, it can be read.

    A lost server is waited for up to ``patience`` seconds.  A process that was not heard of for ``silence`` seconds is
    gone: draws it had under way are handed out again.
    """

    def __init__(self, address: str | Address, *, patience: float = PATIENCE, silence: float = SILENCE):
        place = as_place(address)
        if not isinstance(place, Address):
            raise TypeError("a database is named by its address: write postgresql://user@host/database#name")
        self.path = place
        self.patience = positive("patience", patience, "seconds, more than 0")
        self.silence = positive("silence", silence, "seconds, more than 0")
        self.lock = threading.RLock()  # held by whoever uses the connection: nobody forks meanwhile
        self.connection: Any = None
        self.selection: int | None = None  # its number; None: there is none yet
        self.read_only = self.closed = False
        self.read, self.last = 0, 0  # events that were read or written here, and the checksum of the last
        self.lost = 0  # moments, in a row
        self.begin_again()
        self.patiently(self.connected)
        OPEN.add(self)

    def begin_again(self) -> None:
        """What belongs to this process alone."""
        self.process, self.worker, self.token = os.getpid(), this_process(), f"varde {secrets.token_hex(8)}"
        self.inside = False  # a moment
        self.new: list[Event] = []  # appended in it
        self.ahead: tuple[int, list[Event]] = (0, [])  # what others had added before it, and from which number on
        self.making: int | None = None  # the number of a selection that it makes
        self.mine: set[int | None] = set()  # draws that this process has under way
        self.heard = -float("inf")  # when the server last heard that we live
        self.heartbeat: Heartbeat | None = None
        self.leave: Callable[[], Any] = lambda: None
        self.known = False  # whether there was a connection before

    # -- connections -------------------------------------------------------------------------------

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
        with suppress(psycopg.Error):  # whose words may hold the password
            given = psycopg.conninfo.conninfo_to_dict(self.path.connection)
        if given is None:
            raise StoreError(f"the address {self.path} cannot be read: write {FORM}, and in a {ESCAPED}")
        how = {**PATIENT, **given, "application_name": self.token, "client_encoding": "utf8"}
        return psycopg.connect(**how, autocommit=True, cursor_factory=psycopg.ClientCursor)

    def settle(self, connection: Any) -> None:
        """Make it ours: how long to wait, what is there, and no older connection of ours that holds a lock."""
        connection.execute(SESSION.format(patience=1e3 * self.patience, held=1e3 * HELD))
        if self.known:
            connection.execute(MINE, (self.token,))
        tables, ours, reads_only, lasting = connection.execute(FOUND).fetchone()
        self.read_only = reads_only
        if not lasting and not self.known:
            words = f"the server of {self.path} has fsync off: a power cut there may lose results"
            warnings.warn(words, StoreWarning, stacklevel=2)
        if tables and not ours:
            raise StoreError(f"the schema varde at {self.path} is another program's, and was left as it is: write "
                             "another database")  # fmt: skip
        if tables:
            self.check_format(connection)

    def check_format(self, connection: Any) -> None:
        found = connection.execute("SELECT max(number) FROM varde.format").fetchone()[0]
        if found != FORMAT:
            raise StoreError(f"{self.path} has format {found}, this varde reads format {FORMAT}: install a newer one")
        select = "SELECT id FROM varde.selections WHERE name = %s"
        row = connection.execute(select, (self.path.name,)).fetchone()
        if row is None and self.selection is not None:
            raise StoreError(f"{self.path} was deleted while it was in use, and nothing more is kept: open it again")
        self.selection = row and row[0]
        rights = (
            "SELECT has_table_privilege('varde.events', 'INSERT') AND has_table_privilege('varde.workers', 'INSERT')"
        )
        self.read_only = self.read_only or not connection.execute(rights).fetchone()[0]

    def patiently(self, work: Callable[[], Any]) -> Any:
        """What ``work`` does, outside a moment; when the connection is lost, again with another."""
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
            except BaseException:  # nobody knows what the next answer would be the answer to
                self.let_go()
                raise
            time.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2.0 * pause, 2.0)

    def waits(self, error: Any) -> float:
        """For how many seconds it helps to try again."""
        if self.known or error.sqlstate is not None:
            return self.patience if self.is_lost(error) else 0.0
        # It never was there: the address may be wrong, or the server is just starting.
        if any(words in str(error) for words in BUSY):
            return self.patience
        return 0.0 if any(words in str(error) for words in FATAL) else min(FIRST, self.patience)

    def is_lost(self, error: Any) -> bool:
        """Whether the connection is of no more use, or there is none."""
        if error.sqlstate is not None:
            return str(error.sqlstate).startswith(LOST)
        return self.connection is None or self.connection.closed

    def in_words(self, error: Any) -> StoreError:
        said = self.path.without_secrets(error.diag.message_primary or str(error).strip().split("\n")[0])
        if not self.is_lost(error):
            advice = ADVICE.get(error.sqlstate or "", "what was written before is kept")
            return StoreError(f"{self.path} cannot be used now ({said}): {advice}")
        if self.known:
            return StoreError(
                f"{self.path} cannot be reached for {self.patience:g} s ({said}), what was written before is kept: "
                "see to the server and do the same again"
            )
        return StoreError(f"{self.path} cannot be reached ({said}): see to the address and to the server")

    def let_go(self) -> None:
        """Of the connection: the next statement makes another."""
        self.inside = False
        if self.connection is not None and self.process == os.getpid():
            self.leave()
        self.connection = None

    def close(self) -> None:
        if not self.closed:
            if self.heartbeat is not None:
                self.heartbeat.stop()
            self.let_go()
        self.closed = True

    # -- moments -----------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        if not self.read_only:
            self.patiently(self.begin)
            self.new, self.moment, self.before = [], secrets.randbits(63), (self.read, self.last)
        return self

    def begin(self) -> None:
        """From here on nobody else appends, and all that others added is known."""
        connection, self.making = self.connected(), None
        if self.selection is None:
            self.make(connection)
        else:
            cursor = connection.execute(
                f"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock({KEY}, {self.selection}); "
                + self.reading(self.read)
            )
            cursor.nextset()
            cursor.nextset()
            self.ahead = self.read, self.taken(cursor.fetchall(), self.read)
        self.inside = True

    def make(self, connection: Any) -> None:
        """The tables, and a row for a new selection, if the moment ends well; another process may be first."""
        connection.execute(f"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock({KEY}, 0)")
        if not connection.execute(FOUND).fetchone()[0]:
            connection.execute(TABLES)
        connection.execute(
            "INSERT INTO varde.selections (name) VALUES (%s) ON CONFLICT (name) DO NOTHING", (self.path.name,)
        )
        select = "SELECT id, pg_advisory_xact_lock(%s, id) FROM varde.selections WHERE name = %s"
        self.making = connection.execute(select, (KEY, self.path.name)).fetchone()[0]
        self.ahead = 0, self.taken(connection.execute(self.reading(0)).fetchall(), 0)

    def __exit__(self, kind: Any, *error: Any) -> None:
        if self.read_only:
            return
        (read, last), (self.read, self.last) = (self.read, self.last), self.before
        try:
            if kind is None:
                self.commit()
            elif self.inside:
                self.connection.execute("ROLLBACK")
        except driver().Error as problem:
            words, lost = self.in_words(problem), self.is_lost(problem)
            self.let_go()
            if not lost:
                raise words from problem
            if kind is None and self.new and not self.was_kept():
                raise self.moment_lost() from problem
        except BaseException:
            self.let_go()
            raise
        finally:
            self.inside = False
        if kind is None:
            self.lost, self.read, self.last = 0, read, last
            self.selection = self.selection or self.making
            self.follow(self.new)

    def commit(self) -> None:
        """The second trip: what was appended, that we live if it is time to say so, and the end."""
        statement, given, now = "COMMIT", [], time.monotonic()  # type: str, list[Any], float
        rows = [
            (self.number, *row_of(position, event), self.moment)
            for position, event in enumerate(self.new, self.before[0] + 1)
        ]
        asks = any(event.kind == "ask" and event.worker == self.worker for event in self.new)
        renews = (asks or self.mine) and now - self.heard > self.silence / 3.0
        if renews:
            statement, given = f"{LEASE}; {statement}", [self.number, self.worker, self.silence]
        if len(rows) > FEW:
            with self.connection.cursor().copy(f"COPY varde.events (selection, {COLUMNS}, moment) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        elif rows:
            statement = f"{INSERT}{', '.join([ROW] * len(rows))}; {statement}"
            given = [value for row in rows for value in row] + given
        self.connection.execute(statement, given or None)
        if renews:
            self.heard = now

    @property
    def number(self) -> int | None:
        """Of the selection, which this moment may be making."""
        return self.selection or self.making

    def was_kept(self) -> bool:
        """Whether the moment that was being committed when the connection was lost is in the log."""

        def look() -> bool:
            connection = self.connected()
            number = self.selection
            if number is None:
                connection.execute(f"BEGIN; SELECT pg_advisory_xact_lock({KEY}, 0); ROLLBACK")
                self.check_format(connection)
                number = self.selection
                if number is None:
                    return False
            connection.execute(f"BEGIN; SELECT pg_advisory_xact_lock({KEY}, {number}); ROLLBACK")
            select = "SELECT moment FROM varde.events WHERE selection = %s AND id = %s"
            row = connection.execute(select, (number, self.before[0] + 1)).fetchone()
            return row is not None and row[0] == self.moment

        try:
            return bool(self.patiently(look))
        except StoreError as error:
            raise StoreError(f"{error}; the last change may be there or not: look before you make it again") from error

    def moment_lost(self) -> StoreError:
        self.lost += 1
        if self.lost > LOST_IN_A_ROW:
            return StoreError(f"the connection to {self.path} is lost again and again: see to the server")
        return MomentLostError(f"the connection to {self.path} was lost, and the last change with it: make it again")

    # -- events ------------------------------------------------------------------------------------

    def append(self, events: Sequence[Event]) -> None:
        if self.read_only:
            raise StoreError(f"{self.path} is read-only here and stays as it is: to go on, write varde copy")
        for event in events:
            if event.text is not None and not is_text(event.text):
                if event.kind in ("option", "note"):
                    raise ValueError(
                        f"the name {event.text!r} has a letter that a database does not take: write another"
                    )
                event = event._replace(text=event.text.replace("\0", "␀").encode(errors="replace").decode())
            self.new.append(event)
            self.read += 1
            self.last = checksum(self.read, event)

    def since(self, position: int) -> list[Event]:
        if not self.inside:
            return self.patiently(lambda: self.read_from(position))
        first, events = self.ahead
        if position in (first, self.read):
            return events if position == first else []
        try:
            return self.read_from(position)
        except driver().Error as error:
            raise self.broken(error) from error

    def read_from(self, position: int) -> list[Event]:
        connection = self.connected()
        if self.number is None:
            self.settle(connection)  # another process may have made it
        if self.number is None:
            return []
        return self.taken(connection.execute(self.reading(position)).fetchall(), position)

    def reading(self, position: int) -> str:
        """With the event before: it shows that this is still the log that was read."""
        return f"SELECT {COLUMNS} FROM varde.events WHERE selection = {self.number} AND id >= {position} ORDER BY id"

    def taken(self, rows: list[Any], position: int) -> list[Event]:
        if position:
            same = rows and rows[0][0] == position and (position != self.read or rows[0][-1] == self.last)
            if not same:
                raise StoreError(f"{self.path} was deleted or set back to an earlier state, event {position} is not "
                                 "the one that was there: open it again")  # fmt: skip
            rows = rows[1:]
        for number, row in enumerate(rows, position + 1):
            if row[0] != number or not is_intact(row):
                raise StoreError(f"{self.path} is damaged (event {number} is not what was written), and was left as it "
                                 f"is: varde copy makes a file of all that is intact")  # fmt: skip
        events = [Event._make(row[1:-1]) for row in rows]
        if rows:
            self.last = rows[-1][-1]
        self.read = position + len(rows)
        self.follow(events)
        return events

    def broken(self, error: Any) -> StoreError:
        """In the middle of a moment: nothing of it is kept."""
        words = self.moment_lost() if self.is_lost(error) else self.in_words(error)
        self.let_go()
        return words

    def intact(self) -> tuple[list[Event], int]:
        """The events that are what was written, and how many others there are."""

        def look() -> list[Any]:
            return self.connected().execute(self.reading(0)).fetchall() if self.number is not None else []

        rows = self.patiently(look)
        events = [Event._make(row[1:-1]) for row in rows if is_intact(row)]
        return events, (rows[-1][0] if rows else 0) - len(events)

    # -- leases ------------------------------------------------------------------------------------

    def follow(self, events: Any) -> None:
        """Which draws this process has under way: while there are any, a thread says that it lives."""
        for event in events:
            if event.kind == "ask" and event.worker == self.worker:
                self.mine.add(event.draw)
            elif event.draw is not None:
                self.mine.discard(event.draw)
        if self.mine and self.heartbeat is None and not self.read_only:
            self.heartbeat = Heartbeat(self, self.silence / 3.0)

    def beat(self) -> None:
        """Tell the server that we live, if that is due; what goes wrong the next use of the connection finds out."""
        now = time.monotonic()
        if not self.mine or self.inside or self.selection is None or now - self.heard < self.silence / 4.0:
            return
        try:
            self.connected().execute(LEASE, (self.selection, self.worker, self.silence))
            self.heard = now
        except (StoreError, driver().Error):
            self.let_go()

    def silent(self, workers: Collection[str]) -> set[str]:
        """Those that have a lease, and it has run out."""
        if not workers:
            return set()
        try:
            rows = self.connection.execute(SILENT, (self.number, list(workers), self.silence)).fetchall()
        except driver().Error as error:
            raise self.broken(error) from error
        return {row[0] for row in rows}

    def __repr__(self) -> str:
        return f"Postgres({str(self.path)!r})"


def driver() -> Any:
    try:
        import psycopg
        import psycopg.conninfo
    except ImportError as error:
        raise ImportError("a store at postgresql://... needs psycopg: pip install 'varde[postgres]'") from error
    return psycopg


def is_text(text: str) -> bool:
    """Whether the server takes it."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def leave(connection: Any, process: int) -> None:
    if process == os.getpid():
        connection.close()


# Nobody forks while a connection is in use; the child, which must not touch that of its parent, makes its own.

OPEN: weakref.WeakSet[Postgres] = weakref.WeakSet()
waiting: list[Postgres] = []


def before_fork() -> None:
    waiting.extend(OPEN)
    for log in waiting:
        log.lock.acquire()


def after_fork() -> None:
    while waiting:
        waiting.pop().lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
