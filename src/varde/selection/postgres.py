"""The log of a selection in a PostgreSQL database, for many machines at once.

    varde.events      selection, id, line (``events``), and its transaction
    varde.snapshots   selection, author, code, position, data: the state after so many events, to open long logs
                      quickly; an account reads and writes only its own (row-level security), and trusts no other
    varde.selections  id, name: one database holds many
    varde.workers     selection, worker, until: the lease of a process that asks for draws, by the server's clock
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
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import Any

from .._files import StoreError, StoreWarning
from ..check import positive
from .address import FORM, Address, as_place
from .connection import Connection, driver
from .events import ENCODE, KIND, Fail, Item, Option, Tell, place_of
from .log import TransactionLostError
from .worker import this_process

PATIENCE = 60.0  # seconds to wait for a lost server
SILENCE = 30.0  # seconds without a heartbeat after which a process counts as dead and its draws are handed out again
HELD = 20.0  # seconds after which the server ends an idle transaction, for which others wait
FORMAT = 4
KEY = 0x56617264  # of our advisory locks; the second half is the number of the selection, 0: the tables
AHEAD = 1_000  # lines of others that are read with the beginning of a transaction
LOST_IN_A_ROW = 10  # transactions
# What JSON may hold and text in PostgreSQL may not: the character 0, and half of a pair of surrogates.
HIGH, LOW = r"\\ud[89ab][0-9a-f]{2}", r"\\ud[c-f][0-9a-f]{2}"
TABLES = r"""
CREATE SCHEMA IF NOT EXISTS varde;
CREATE TABLE varde.format (number integer NOT NULL);
INSERT INTO varde.format VALUES (4);
CREATE TABLE varde.selections (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, made timestamptz DEFAULT now()
);
CREATE TABLE varde.events (
    selection integer NOT NULL, id bigint NOT NULL, line text NOT NULL, transaction_id bigint NOT NULL,
    PRIMARY KEY (selection, id)
);
CREATE TABLE varde.snapshots (
    selection integer NOT NULL, author name NOT NULL DEFAULT current_user, code text NOT NULL, position bigint NOT NULL,
    data bytea NOT NULL, PRIMARY KEY (selection, author, code)
);
ALTER TABLE varde.snapshots ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON varde.snapshots USING (author = current_user) WITH CHECK (author = current_user);
CREATE TABLE varde.workers (
    selection integer NOT NULL REFERENCES varde.selections ON DELETE CASCADE, worker text NOT NULL,
    until timestamptz NOT NULL, PRIMARY KEY (selection, worker)
);
CREATE VIEW varde.read AS SELECT s.id AS number, s.name AS selection, e.id, e.line ->> 1 AS kind, e.line
    FROM (SELECT selection, id, regexp_replace(replace(line, '\\', '\u005c'), '{unfit}', '\ufffd', 'g')::json AS line
    FROM varde.events) e JOIN varde.selections s ON s.id = e.selection;
CREATE VIEW varde.options AS SELECT selection, {option option} AS id, {option name} AS name, {option kept} AS value,
    {option cost} AS cost FROM varde.read WHERE kind = 'option' ORDER BY selection, id;
CREATE VIEW varde.items AS SELECT selection, {item replicate} AS replicate, {item item} AS id, {item name} AS name,
    {item kept} AS value FROM varde.read WHERE kind = 'item' ORDER BY selection, id;
CREATE VIEW varde.results AS SELECT e.selection, {tell draw} AS draw, o.name, {tell replicate} AS replicate,
    {tell seed} AS seed, {tell value} AS value, {tell time} AS time, {tell worker} AS worker
    FROM varde.read e JOIN varde.options o ON o.selection = e.selection AND o.id = {tell option}
    WHERE e.kind = 'tell' ORDER BY e.selection, e.id;
CREATE VIEW varde.failures AS SELECT e.selection, {fail draw} AS draw, o.name, {fail replicate} AS replicate,
    {fail seed} AS seed, {fail reason} AS reason, {fail time} AS time, {fail worker} AS worker
    FROM varde.read e JOIN varde.options o ON o.selection = e.selection AND o.id = {fail option}
    WHERE e.kind IN ('fail', 'expire') ORDER BY e.selection, e.id;
"""
TABLES = TABLES.replace("{unfit}", rf"\\u0000|{HIGH}(?!{LOW})|(?<!{HIGH}){LOW}")
SHOWN = {"time": "to_timestamp((line ->> {})::double precision)", "kept": "(line -> {} -> 0)::text"}
SHOWN |= dict.fromkeys(("name", "reason", "worker"), "line ->> {}")
SHOWN |= dict.fromkeys(("cost", "value"), "(line ->> {})::double precision")
for kind in (Option, Item, Tell, Fail):
    for field in kind._fields:
        text = SHOWN.get(field, "(line ->> {})::bigint").format(place_of(kind, field))
        TABLES = TABLES.replace(f"{{{KIND[kind]} {field}}}", text)
SESSION = """
SET search_path = pg_catalog;
SET idle_in_transaction_session_timeout = {held:.0f};
SET lock_timeout = {patience:.0f};
SET statement_timeout = 0;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
"""
# The number of tables in the schema, whether ours are there, whether it is read-only, fsync, and the encoding.
FOUND = """
SELECT count(*), count(*) FILTER (WHERE relname IN ('format', 'selections', 'events', 'snapshots', 'workers')) = 5,
    current_setting('transaction_read_only') = 'on', current_setting('fsync') = 'on', current_setting('server_encoding')
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'varde'
"""
RIGHTS = """
SELECT has_table_privilege('varde.events', 'INSERT') AND has_table_privilege('varde.workers', 'INSERT'),
    (SELECT bool_and(has_table_privilege('varde.snapshots', verb))
     FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) verb)
"""
BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off"
FLUSH = "SELECT pg_logical_emit_message(true, 'varde', '')"  # commits nothing, but flushes everything before it to disk
INSERT = """
INSERT INTO varde.events SELECT %s, %s + place, line, %s FROM unnest(%s::text[]) WITH ORDINALITY AS new(line, place)
"""
SNAPSHOT = """
INSERT INTO varde.snapshots (selection, code, position, data) VALUES (%(selection)s, %(code)s, %(position)s, %(data)s)
ON CONFLICT (selection, author, code) DO UPDATE SET position = excluded.position, data = excluded.data;
DELETE FROM varde.snapshots WHERE selection = %(selection)s AND author = current_user AND code NOT IN
    (SELECT code FROM varde.snapshots WHERE selection = %(selection)s AND author = current_user
     ORDER BY position DESC LIMIT 2)
"""
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

    keeps_snapshots = True

    def __init__(self, address: str | Address, *, patience: float = PATIENCE, silence: float = SILENCE):
        place = as_place(address)
        if not isinstance(place, Address):
            raise TypeError(f"the store is {address!r}: write the address of a database, {FORM}")
        self.silence = positive("silence", silence, "seconds, more than 0")
        self.selection: int | None = None  # its number; None if it does not exist yet
        self.read_only = False
        self.read, self.last = 0, ""  # lines that were read or written here, and the last of them
        self.lasting = 0, ""  # the same, for lines known to be on disk
        self.lost = 0  # transactions, in a row
        super().__init__(place, positive("patience", patience, "seconds, more than 0"))

    def begin_again(self) -> None:
        super().begin_again()
        self.worker = this_process()
        self.new: list[str] = []  # appended in this transaction
        self.ahead: tuple[int, list[str]] = (0, [])  # what others added before it, from which number on
        self.making: int | None = None  # the number of a selection that it makes
        self.asks = False  # whether draws were handed out to this process
        self.heard = -float("inf")  # when the last heartbeat was sent
        self.over: threading.Event | None = None  # ends the thread that sends heartbeats

    def settle(self, connection: Any) -> None:
        super().settle(connection)
        connection.execute(SESSION.format(held=1e3 * HELD, patience=1e3 * self.patience))
        tables, ours, reads_only, lasting, encoding = connection.execute(FOUND).fetchone()
        self.read_only = reads_only
        if not lasting and not self.was_there:
            words = f"the server of {self.name} has fsync off: a power cut there may lose results"
            warnings.warn(words, StoreWarning, stacklevel=2)
        if encoding not in ("UTF8", "SQL_ASCII"):
            raise StoreError(f"{self.name} has the encoding {encoding}, which lacks characters: use one with UTF8")
        if tables and not ours:
            raise StoreError(f"the schema varde at {self.name} belongs to another program and was left unchanged")
        if tables:
            self.check_format(connection)

    def check_format(self, connection: Any) -> None:
        found = connection.execute("SELECT max(number) FROM varde.format").fetchone()[0]
        if found != FORMAT:
            raise StoreError(f"{self.name} has format {found}, this varde reads format {FORMAT}: install a newer varde")
        select = "SELECT id FROM varde.selections WHERE name = %s"
        row = connection.execute(select, (self.address.name,)).fetchone()
        if row is None and self.selection is not None:
            raise StoreError(f"{self.name} was deleted while it was in use, and nothing more is kept: open it again")
        self.selection = row and row[0]
        writes, self.keeps_snapshots = connection.execute(RIGHTS).fetchone()
        self.read_only = self.read_only or not writes

    def close(self) -> None:
        if self.over is not None:
            self.over.set()
        super().close()

    # -- transactions ------------------------------------------------------------------------------

    def begin(self, at_once: bool = True) -> None:
        if not self.read_only:
            self.patiently(self.begin_now)

    def begin_now(self) -> None:
        if self.inside:  # interrupted while it began
            self.let_go()
        connection, self.making = self.connected(), None
        self.new, self.transaction_id = [], secrets.randbits(63)
        if self.selection is None:
            self.make(connection)
        else:
            lock = f"SELECT pg_advisory_xact_lock({KEY}, {self.selection})"
            cursor = connection.execute(f"{BEGIN}; {lock}; {self.reading(self.read, AHEAD)}")
            while cursor.nextset():
                pass
            self.ahead = self.read, self.taken(cursor.fetchall(), self.read, AHEAD)
        self.before, self.inside = (self.read, self.last), True

    def make(self, connection: Any) -> None:
        """Create the tables and a row for a new selection, if the transaction commits; another process may be first."""
        patient = "SET LOCAL idle_in_transaction_session_timeout = '10min'"  # there may be a million options
        connection.execute(f"{BEGIN}; {patient}; SELECT pg_advisory_xact_lock({KEY}, 0)")
        if not connection.execute(FOUND).fetchone()[0]:
            connection.execute(TABLES)
        connection.execute(
            "INSERT INTO varde.selections (name) VALUES (%s) ON CONFLICT (name) DO NOTHING", (self.address.name,)
        )
        select = "SELECT id, pg_advisory_xact_lock(%s, id) FROM varde.selections WHERE name = %s"
        self.making = connection.execute(select, (KEY, self.address.name)).fetchone()[0]
        self.ahead = 0, self.taken(connection.execute(self.reading(0, AHEAD)).fetchall(), 0, AHEAD)

    def roll_back(self) -> None:
        if self.read_only or not self.inside:
            return
        self.read, self.last = self.before
        try:
            self.within(1.0, lambda: self.connection.execute("ROLLBACK"))
        except driver().Error:
            self.let_go()  # without its connection the transaction is undone anyway
        except BaseException:
            self.let_go()
            raise
        self.inside = False

    def commit(self) -> None:
        if self.read_only:
            return
        if not self.inside:  # the lock was lost in the middle
            self.read, self.last = self.before
            raise self.transaction_lost()
        try:
            self.within(0.5, self.send)
        except driver().Error as problem:
            reached, (self.read, self.last) = (self.read, self.last), self.before
            words, lost = self.in_words(problem), self.is_lost(problem)
            self.let_go()
            if not lost:
                raise words from problem
            if self.new and not self.was_kept():
                raise self.transaction_lost() from problem
            self.read, self.last = reached
        except BaseException:
            self.read, self.last = self.before
            self.let_go()
            raise
        self.lost, self.inside = 0, False
        self.selection = self.selection or self.making
        if self.new:
            self.lasting = self.read, self.last
        if self.asks and self.over is None:
            self.over = threading.Event()
            weakref.finalize(self, self.over.set)
            given = weakref.ref(self), self.silence / 3.0, self.over
            threading.Thread(target=beat, args=given, name="varde heartbeat", daemon=True).start()

    def within(self, share: float, work: Any) -> Any:
        """Do ``work``, for a share of the patience."""
        self.deadline = time.monotonic() + share * self.patience
        try:
            return work()
        finally:
            self.deadline = float("inf")

    def send(self) -> None:
        """The second round trip: the appended lines, a heartbeat if it is due, and the commit."""
        statements, given, now = ["COMMIT"], [], time.monotonic()  # type: list[str], list[Any], float
        renews = self.asks and now - self.heard > self.silence / 3.0
        if renews:
            statements, given = [LEASE, *statements], [self.number, self.worker, self.silence]
        if self.new:
            first = self.read - len(self.new)
            statements, given = (
                [INSERT, *statements, FLUSH],
                [self.number, first, self.transaction_id, self.new, *given],
            )
        self.connection.execute("; ".join(statements), given or None)
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
            return bool(self.patiently(look, 0.5))
        except StoreError as error:
            raise StoreError(f"{error}; the last change may or may not be saved: check before you repeat it") from error

    def transaction_lost(self) -> StoreError:
        self.lost += 1
        if self.lost > LOST_IN_A_ROW:
            return StoreError(f"the connection to {self.name} keeps being lost: check the server")
        return TransactionLostError(f"the connection to {self.name} was lost, and the last change with it: repeat it")

    # -- events ------------------------------------------------------------------------------------

    def append(self, lines: Sequence[str]) -> None:
        if self.read_only:
            raise StoreError(f"{self.name} is read-only here: to continue, use an account that may write")
        self.new += lines
        self.read += len(lines)
        self.last = lines[-1] if lines else self.last
        self.asks = self.asks or any(line.startswith('"ask"', 12) and ENCODE(self.worker) in line for line in lines)

    def since(self, position: int, most: int | None = None) -> list[str]:
        if not self.inside:
            return list(self.patiently(lambda: self.read_from(position, most)))
        first, lines = self.ahead
        if position >= first and len(lines) < AHEAD:  # all there are
            return lines[position - first :][:most]
        end = self.read, self.last
        try:
            return list(self.unbroken(lambda: self.read_from(position, most)))
        finally:
            if len(lines) < AHEAD:  # it is known where the log ends
                self.read, self.last = end

    def read_from(self, position: int, most: int | None) -> list[str]:
        connection = self.connected()
        if self.number is None:
            self.settle(connection)  # another process may have made it
        if self.number is None:
            return []
        return self.taken(connection.execute(self.reading(position, most)).fetchall(), position, most)

    def reading(self, position: int, most: int | None = None) -> str:
        """Includes the line before, which shows that this is still the same log."""
        where = f"selection = {self.number} AND id >= {position}"
        until = "" if most is None else f" AND id <= {position + most}"
        return f"SELECT id, line FROM varde.events WHERE {where}{until} ORDER BY id"

    def taken(self, rows: list[Any], position: int, most: int | None) -> list[str]:
        if position:
            same = rows and rows[0][0] == position and (position != self.read or rows[0][1] == self.last)
            if not same:  # the server crashed before what we read was on disk: read from the beginning
                self.read, self.last = 0, ""
                raise self.transaction_lost()
            rows = rows[1:]
        number, known = self.lasting
        if position < number <= position + len(rows) and rows[number - position - 1][1] != known:
            raise self.set_back(number)
        if rows and rows[-1][0] != position + len(rows):
            raise StoreError(f"{self.name} is damaged (lines are missing), and was left unchanged: {self.advice}")
        lines = [line for _, line in rows]
        self.last = lines[-1] if lines else self.last
        self.read = position + len(lines)
        if self.read < number and (most is None or len(lines) < most):
            raise self.set_back(number)
        return lines

    def set_back(self, number: int) -> StoreError:
        return StoreError(
            f"{self.name} was deleted or restored to an earlier state, event {number} has changed: open it again"
        )

    def unbroken(self, work: Callable[[], Any]) -> Any:
        """Do ``work`` inside a transaction, which is lost if the connection is."""
        if not self.inside:  # lost before
            raise self.transaction_lost()
        try:
            return self.within(1.0, work)
        except driver().Error as error:
            raise self.broken(error) from error

    def broken(self, error: Any) -> StoreError:
        """The connection broke inside a transaction: nothing of it is kept."""
        words = self.transaction_lost() if self.is_lost(error) else self.in_words(error)
        self.read, self.last = self.before
        self.let_go()
        return words

    def snapshot(self, code: str) -> bytes | None:
        if not self.inside or self.number is None or not self.keeps_snapshots:
            return None
        select = "SELECT data FROM varde.snapshots WHERE selection = %s AND code = %s AND author = current_user"
        row = self.unbroken(lambda: self.connection.execute(select, (self.number, code)).fetchone())
        return None if row is None else bytes(row[0])

    def keep_snapshot(self, data: bytes, position: int, code: str) -> None:
        given = {"selection": self.number, "code": code, "position": position, "data": data}
        self.unbroken(lambda: self.connection.execute(SNAPSHOT, given))

    # -- leases ------------------------------------------------------------------------------------

    def beat(self) -> None:
        """Send a heartbeat, if it is due; an error is found by the next use of the connection."""
        now = time.monotonic()
        if self.inside or self.selection is None or now - self.heard < self.silence / 4.0:
            return
        try:
            lease = f"{BEGIN}; {LEASE}; COMMIT"  # need not be durable
            given = self.selection, self.worker, self.silence
            self.within(0.5, lambda: self.connected().execute(lease, given))
            self.heard = now
        except (StoreError, driver().Error):
            self.let_go()

    def silent(self, workers: Collection[str]) -> set[str]:
        """The workers whose lease has expired."""
        if not workers or not self.inside:
            return set()
        given = self.number, list(workers), self.silence
        rows = self.unbroken(lambda: self.connection.execute(SILENT, given).fetchall())
        return {row[0] for row in rows}

    def __repr__(self) -> str:
        return f"Postgres({self.name!r})"


def beat(found: weakref.ref[Postgres], every: float, over: threading.Event) -> None:
    """Send heartbeats as long as the log exists."""
    while not over.wait(every):
        log = found()
        if log is None:
            return
        # Whoever holds the lock is talking to the server, or waiting for it.
        if log.fork_lock.acquire(timeout=every):
            try:
                if not over.is_set():
                    log.beat()
            finally:
                log.fork_lock.release()
        del log
