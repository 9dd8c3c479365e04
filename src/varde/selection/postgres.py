"""The log of a selection in a PostgreSQL database, for many machines at once.

    varde.events      selection, id, the fields of ``Event``, the checksum of a file's events, and their transaction
    varde.selections  id, name: one database holds many
    varde.workers     selection, worker, until: the lease of a process with pending draws, by the server's clock
    varde.options, varde.results, varde.failures   views for people, as in a file
    varde.format      the number of the format

A transaction holds an advisory lock.  It takes two round trips: one that begins, locks and reads what others added,
and one that appends, commits, and waits for the disk.  That wait comes after the lock is released, so that many
processes share it.  What a call has returned is on disk, and so is everything it was based on.

A lost connection is replaced.  If it was lost while committing, the log is checked for the transaction once the lock
shows that the old one has ended; if it is missing, it is repeated (``TransactionLostError``).
"""

from __future__ import annotations

import secrets
import time
import warnings
from collections.abc import Collection, Sequence
from typing import Any, Self

from .._files import StoreError, StoreWarning
from ..check import positive
from .address import FORM, Address, as_place
from .connection import Connection, driver
from .file import COLUMNS, checksum, is_intact, row_of
from .heartbeat import Heartbeat
from .log import Event, TransactionLostError
from .worker import this_process

PATIENCE = 60.0  # seconds to wait for a lost server
SILENCE = 30.0  # seconds without a heartbeat after which a process counts as dead and its draws are handed out again
HELD = 20.0  # seconds after which the server ends an idle transaction, for which others wait
FORMAT = 1
KEY = 0x56617264  # of our advisory locks; the second half is the number of the selection, 0: the tables
FEW = 20  # up to so many events are sent as one statement rather than as a stream
LOST_IN_A_ROW = 10  # transactions
TABLES = """
CREATE SCHEMA IF NOT EXISTS varde;
CREATE TABLE varde.format (number integer NOT NULL);
INSERT INTO varde.format VALUES (1);
CREATE TABLE varde.selections (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, made timestamptz DEFAULT now()
);
CREATE TABLE varde.events (
    selection integer NOT NULL, id bigint NOT NULL,
    kind text NOT NULL, draw bigint, option bigint, replicate bigint, seed bigint,
    value double precision, text text, time double precision NOT NULL, worker text NOT NULL, data text,
    checksum bigint NOT NULL, transaction_id bigint NOT NULL, PRIMARY KEY (selection, id)
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
CREATE VIEW varde.items AS SELECT s.name AS selection, e.replicate, e.option AS id, e.text AS name, e.data AS value
    FROM varde.events e JOIN varde.selections s ON s.id = e.selection WHERE kind = 'item' ORDER BY s.name, e.option;
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
SET idle_in_transaction_session_timeout = {held:.0f};
SET lock_timeout = {patience:.0f};
SET statement_timeout = 0;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
"""
# The number of tables in the schema, whether ours are there, whether it is read-only, fsync, and the encoding.
FOUND = """
SELECT (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'varde'),
    (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'varde'
     AND c.relname IN ('format', 'selections', 'events', 'workers')) = 4,
    current_setting('transaction_read_only') = 'on', current_setting('fsync') = 'on', current_setting('server_encoding')
"""
BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off"
FLUSH = "SELECT pg_logical_emit_message(true, 'varde', '')"  # commits nothing, but flushes everything before it to disk
ROW = f"({', '.join(['%s'] * (len(Event._fields) + 4))})"
INSERT = f"INSERT INTO varde.events (selection, {COLUMNS}, transaction_id) VALUES "
LEASE = """
INSERT INTO varde.workers VALUES (%s, %s, clock_timestamp() + %s * interval '1 second')
ON CONFLICT (selection, worker) DO UPDATE SET until = excluded.until
"""
# A server that was down received no heartbeats.
SILENT = """
SELECT worker FROM varde.workers WHERE selection = %s AND worker = ANY(%s)
AND greatest(until, pg_postmaster_start_time() + %s * interval '1 second') < clock_timestamp()
"""


class Postgres(Connection):
    """The log at an address, created if it does not exist; with read-only rights it can be read.

    It waits up to ``patience`` seconds for a lost server.  A process without a heartbeat for ``silence`` seconds
    counts as dead: its pending draws are handed out again.
    """

    def __init__(self, address: str | Address, *, patience: float = PATIENCE, silence: float = SILENCE):
        place = as_place(address)
        if not isinstance(place, Address):
            raise TypeError(f"the store is {address!r}: write the address of a database, {FORM}")
        self.silence = positive("silence", silence, "seconds, more than 0")
        self.selection: int | None = None  # its number; None if it does not exist yet
        self.read_only = False
        self.read, self.last = 0, 0  # events that were read or written here, and the checksum of the last
        self.lasting = 0, 0  # the same, for events known to be on disk
        self.lost = 0  # transactions, in a row
        super().__init__(place, positive("patience", patience, "seconds, more than 0"))

    def begin_again(self) -> None:
        super().begin_again()
        self.worker = this_process()
        self.new: list[Event] = []  # appended in this transaction
        self.ahead: tuple[int, list[Event]] = (0, [])  # what others added before it, from which number on
        self.making: int | None = None  # the number of a selection that it makes
        self.mine: set[int | None] = set()  # pending draws of this process
        self.heard = -float("inf")  # when the last heartbeat was sent
        self.heartbeat: Heartbeat | None = None

    def settle(self, connection: Any) -> None:
        super().settle(connection)
        connection.execute(SESSION.format(held=1e3 * HELD, patience=1e3 * max(self.patience, 2.0 * HELD)))
        tables, ours, reads_only, lasting, encoding = connection.execute(FOUND).fetchone()
        self.read_only = reads_only
        if not lasting and not self.known:
            words = f"the server of {self.path} has fsync off: a power cut there may lose results"
            warnings.warn(words, StoreWarning, stacklevel=2)
        if encoding not in ("UTF8", "SQL_ASCII"):
            raise StoreError(
                f"{self.path} has the encoding {encoding}, which lacks characters: use a database with UTF8"
            )
        if tables and not ours:
            raise StoreError(
                f"the schema varde at {self.path} belongs to another program and was left unchanged: use another one"
            )
        if tables:
            self.check_format(connection)

    def check_format(self, connection: Any) -> None:
        found = connection.execute("SELECT max(number) FROM varde.format").fetchone()[0]
        if found != FORMAT:
            raise StoreError(f"{self.path} has format {found}, this varde reads format {FORMAT}: install a newer varde")
        select = "SELECT id FROM varde.selections WHERE name = %s"
        row = connection.execute(select, (self.path.name,)).fetchone()
        if row is None and self.selection is not None:
            raise StoreError(f"{self.path} was deleted while it was in use, and nothing more is kept: open it again")
        self.selection = row and row[0]
        rights = (
            "SELECT has_table_privilege('varde.events', 'INSERT') AND has_table_privilege('varde.workers', 'INSERT')"
        )
        self.read_only = self.read_only or not connection.execute(rights).fetchone()[0]

    def close(self) -> None:
        if self.heartbeat is not None:
            self.heartbeat.stop()
        super().close()

    # -- transactions ------------------------------------------------------------------------------

    def __enter__(self) -> Self:
        if not self.read_only:
            self.patiently(self.begin)
        return self

    def begin(self) -> None:
        """Begin: no other process appends, and everything others added is known."""
        if self.inside:  # interrupted while it began
            self.let_go()
        connection, self.making = self.connected(), None
        self.new, self.transaction_id = [], secrets.randbits(63)
        if self.selection is None:
            self.make(connection)
        else:
            lock = f"SELECT pg_advisory_xact_lock({KEY}, {self.selection})"
            cursor = connection.execute(f"{BEGIN}; {lock}; {self.reading(self.read)}")
            while cursor.nextset():
                pass
            self.ahead = self.read, self.taken(cursor.fetchall(), self.read)
        self.before, self.inside = (self.read, self.last), True

    def make(self, connection: Any) -> None:
        """Create the tables and a row for a new selection, if the transaction commits; another process may be first."""
        patient = "SET LOCAL idle_in_transaction_session_timeout = '10min'"  # there may be a million options
        connection.execute(f"{BEGIN}; {patient}; SELECT pg_advisory_xact_lock({KEY}, 0)")
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
        if kind is None and not self.inside:  # the lock was lost in the middle
            raise self.transaction_lost()
        try:
            if kind is None:
                self.commit()
            elif self.inside:
                self.connection.execute("ROLLBACK")
        except driver().Error as problem:
            words, lost = self.in_words(problem), self.is_lost(problem)
            self.let_go()
            if kind is not None:
                return  # without its connection the transaction is undone anyway
            if not lost:
                raise words from problem
            if self.new and not self.was_kept():
                raise self.transaction_lost() from problem
        except BaseException:
            self.let_go()
            raise
        finally:
            self.inside = False
        if kind is None:
            self.lost, self.read, self.last = 0, read, last
            self.selection = self.selection or self.making
            if self.new:
                self.lasting = read, last
                self.follow(self.new)

    def commit(self) -> None:
        """The second round trip: the appended events, a heartbeat if it is due, and the commit."""
        statement, given, now = "COMMIT", [], time.monotonic()  # type: str, list[Any], float
        rows = [
            (self.number, *row_of(position, event), self.transaction_id)
            for position, event in enumerate(self.new, self.before[0] + 1)
        ]
        asks = any(event.kind == "ask" and event.worker == self.worker for event in self.new)
        renews = (asks or self.mine) and now - self.heard > self.silence / 3.0
        if renews:
            statement, given = f"{LEASE}; {statement}", [self.number, self.worker, self.silence]
        if len(rows) > FEW:
            with self.connection.cursor().copy(
                f"COPY varde.events (selection, {COLUMNS}, transaction_id) FROM STDIN"
            ) as copy:
                for row in rows:
                    copy.write_row(row)
        elif rows:
            statement = f"{INSERT}{', '.join([ROW] * len(rows))}; {statement}"
            given = [value for row in rows for value in row] + given
        self.connection.execute(f"{statement}; {FLUSH}" if rows else statement, given or None)
        if renews:
            self.heard = now

    @property
    def number(self) -> int | None:
        """The number of the selection, which this transaction may be creating."""
        return self.selection or self.making

    def was_kept(self) -> bool:
        """Whether the transaction that was being committed when the connection was lost is in the log."""

        def look() -> bool:
            connection = self.connected()
            connection.execute(f"BEGIN; SELECT pg_advisory_xact_lock({KEY}, {self.selection or 0}); ROLLBACK")
            if self.selection is None:
                self.settle(connection)
                if self.selection is None:
                    return False
            select = "SELECT transaction_id FROM varde.events WHERE selection = %s AND id = %s"
            row = connection.execute(select, (self.selection, self.before[0] + 1)).fetchone()
            connection.execute(FLUSH)
            return row is not None and row[0] == self.transaction_id

        try:
            return bool(self.patiently(look))
        except StoreError as error:
            raise StoreError(f"{error}; the last change may or may not be saved: check before you repeat it") from error

    def transaction_lost(self) -> StoreError:
        self.lost += 1
        if self.lost > LOST_IN_A_ROW:
            return StoreError(f"the connection to {self.path} keeps being lost: check the server")
        return TransactionLostError(f"the connection to {self.path} was lost, and the last change with it: repeat it")

    # -- events ------------------------------------------------------------------------------------

    def append(self, events: Sequence[Event]) -> None:
        if self.read_only:
            raise StoreError(f"{self.path} is read-only here: to continue, write varde copy")
        for event in events:
            if event.text is not None and not is_text(event.text):
                if event.kind in ("option", "note"):
                    raise ValueError(
                        f"the name {event.text!r} has a character that the database does not accept: write another"
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
        """Includes the event before, which shows that this is still the same log."""
        return f"SELECT {COLUMNS} FROM varde.events WHERE selection = {self.number} AND id >= {position} ORDER BY id"

    def taken(self, rows: list[Any], position: int) -> list[Event]:
        if position:
            same = rows and rows[0][0] == position and (position != self.read or rows[0][-1] == self.last)
            if not same:  # the server crashed before what we read was on disk: read from the beginning
                self.read, self.last = 0, 0
                raise self.transaction_lost()
            rows = rows[1:]
        number, known = self.lasting
        if position < number and not (len(rows) >= number - position and rows[number - position - 1][-1] == known):
            raise StoreError(
                f"{self.path} was deleted or restored to an earlier state, event {number} has changed: open it again"
            )
        for number, row in enumerate(rows, position + 1):
            if row[0] != number or not is_intact(row):
                raise StoreError(
                    f"{self.path} is damaged (event {number} differs from what was written), and was left unchanged: "
                    "varde copy makes a file of everything that is intact"
                )
        events = [Event._make(row[1:-1]) for row in rows]
        if rows:
            self.last = rows[-1][-1]
        self.read = position + len(rows)
        self.follow(events)
        return events

    def broken(self, error: Any) -> StoreError:
        """The connection broke inside a transaction: nothing of it is kept."""
        words = self.transaction_lost() if self.is_lost(error) else self.in_words(error)
        self.let_go()
        return words

    def intact(self) -> tuple[list[Event], int]:
        """The intact events, and how many others there are."""

        def look() -> list[Any]:
            return self.connected().execute(self.reading(0)).fetchall() if self.number is not None else []

        rows = self.patiently(look)
        events = [Event._make(row[1:-1]) for row in rows if is_intact(row)]
        return events, (rows[-1][0] if rows else 0) - len(events)

    # -- leases ------------------------------------------------------------------------------------

    def follow(self, events: Any) -> None:
        """Track the pending draws of this process: while there are any, a thread sends heartbeats."""
        for event in events:
            if event.kind == "ask" and event.worker == self.worker:
                self.mine.add(event.draw)
            elif event.draw is not None:
                self.mine.discard(event.draw)
        if self.mine and self.heartbeat is None and not self.read_only:
            self.heartbeat = Heartbeat(self, self.silence / 3.0)

    def beat(self) -> None:
        """Send a heartbeat, if it is due; an error is found by the next use of the connection."""
        now = time.monotonic()
        if not self.mine or self.inside or self.selection is None or now - self.heard < self.silence / 4.0:
            return
        try:
            lease = f"{BEGIN}; {LEASE}; COMMIT"  # need not be durable
            self.connected().execute(lease, (self.selection, self.worker, self.silence))
            self.heard = now
        except (StoreError, driver().Error):
            self.let_go()

    def silent(self, workers: Collection[str]) -> set[str]:
        """The workers whose lease has expired."""
        if not workers or not self.inside:
            return set()
        try:
            rows = self.connection.execute(SILENT, (self.number, list(workers), self.silence)).fetchall()
        except driver().Error as error:
            raise self.broken(error) from error
        return {row[0] for row in rows}

    def __repr__(self) -> str:
        return f"Postgres({str(self.path)!r})"


def is_text(text: str) -> bool:
    """Whether the server accepts it as text."""
    return "\0" not in text and text.encode(errors="ignore") == text.encode(errors="replace")
