"""One sqlite file that holds a whole selection, for several processes at once.

The file is a journal: rows are added to ``events`` and never changed, so whoever reads them in order knows everything
that happened, and two processes that have read the same rows are in the same state.  Asking and telling happen
inside a transaction that first reads what others have added.  WAL with synchronous=FULL: what a call has returned
survives the death of the process and a power cut.

    events   id, kind, draw, option, replicate, seed, value, text, time, worker
             kind: ask (text: why), tell (value), fail and expire (text: the reason; value 1: the option counts as
             failing from here on), lost (its process died), option (one more), budget (value: the whole of it)
    options  id (from 0), name, value (JSON, NULL if it cannot be), cost
    settings name, value (JSON): goal, rng, crn, costs (whether there are any), rule, budget, warm_start, retries,
             expire, size (how many options there were at the start)
    results, failures    the same as views for people: name, replicate, seed, value or reason, time, worker

``PRAGMA application_id`` is 0x56617264 ("Vard"), ``PRAGMA user_version`` the number of the format.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from .events import Event, StoreError
from .settings import as_json

APPLICATION, FORMAT = 0x56617264, 1
PATIENCE = 60.0  # seconds to wait for another process's transaction, which takes milliseconds

SCHEMA = f"""
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE options (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT, cost REAL NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, draw INTEGER, option INTEGER REFERENCES options, replicate INTEGER,
    seed INTEGER, value REAL, text TEXT, time REAL NOT NULL, worker TEXT NOT NULL
);
CREATE UNIQUE INDEX one_result ON events (draw) WHERE kind = 'tell';
CREATE VIEW results AS SELECT draw, name, replicate, seed, events.value, time, worker
    FROM events JOIN options ON options.id = option WHERE kind = 'tell' ORDER BY events.id;
CREATE VIEW failures AS SELECT draw, name, replicate, seed, text AS reason, time, worker
    FROM events JOIN options ON options.id = option WHERE kind IN ('fail', 'expire') ORDER BY events.id;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
"""


class Store:
    """A selection's file, opened or made."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self.seen = 0  # the last event read
        self.closed = False
        self._connect()

    def _connect(self) -> None:
        if self.path.is_dir():
            raise StoreError(f"{self.path} is a folder: write the name of a file")
        if not self.path.parent.is_dir():
            raise StoreError(f"the folder {self.path.parent} does not exist: make it, or write another name")
        self.process, self.version = os.getpid(), -1
        try:
            # The lock of the selector keeps threads apart, so one connection may serve them all.
            self.db = sqlite3.connect(self.path, PATIENCE, isolation_level=None, check_same_thread=False)
            self._check()
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = FULL")
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    def _unusable(self, error: sqlite3.DatabaseError) -> Exception:
        if isinstance(error, sqlite3.OperationalError):
            return StoreError(f"{self.path}: {error}; nothing was changed")
        return StoreError(f"{self.path} is damaged or no store of varde ({error}): it was left as it is")

    def _check(self) -> None:
        """Refuse a file of somebody else, of a later version, or with broken pages."""
        kind, version = self._pragma("application_id"), self._pragma("user_version")
        tables = self.db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if kind != APPLICATION and (kind or version or tables):
            raise StoreError(f"{self.path} is another program's file: it was left as it is; write another name")
        if version > FORMAT:
            raise StoreError(f"{self.path} has format {version}, this varde reads up to {FORMAT}: install a newer one")
        if kind == APPLICATION:
            found = self.db.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise StoreError(f"{self.path} is damaged ({found}): it was left as it is; restore a copy")

    def _pragma(self, name: str) -> int:
        return int(self._execute(f"PRAGMA {name}").fetchone()[0])

    def begin(self, how: str = "BEGIN IMMEDIATE") -> None:
        """From here on nobody else writes."""
        if self.closed:
            raise StoreError(f"{self.path} was closed: open it again")
        if self.process != os.getpid():  # a connection must not be used by a forked child
            self._connect()
        self._execute(how)

    def commit(self) -> None:
        """What was added is on the disk when this returns."""
        self._execute("COMMIT")

    def roll_back(self) -> None:
        if not self.closed and self.db.in_transaction:
            self._execute("ROLLBACK")

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self.db.execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise self._unusable(error) from error

    @property
    def empty(self) -> bool:
        return self._pragma("application_id") != APPLICATION

    def create(self, settings: dict[str, Any]) -> None:
        """Make the tables, inside a transaction."""
        for statement in SCHEMA.split(";"):
            if statement.strip():
                self._execute(statement)
        for name, value in settings.items():
            self._execute("INSERT INTO settings VALUES (?, ?)", (name, json.dumps(value)))

    def settings(self) -> dict[str, Any]:
        return {name: json.loads(value) for name, value in self._execute("SELECT name, value FROM settings")}

    def add_options(self, first: int, entries: Iterable[tuple[str, Any]], costs: Iterable[float]) -> None:
        rows = (
            (first + i, name, as_json(option), cost)
            for i, ((name, option), cost) in enumerate(zip(entries, costs, strict=True))
        )
        self.db.executemany("INSERT INTO options VALUES (?, ?, ?, ?)", rows)

    def options(self, first: int = 0) -> list[tuple[str, str | None, float]]:
        """(name, JSON or None, cost) from number ``first`` on."""
        return self._execute("SELECT name, value, cost FROM options WHERE id >= ? ORDER BY id", (first,)).fetchall()

    def append(self, event: Event) -> None:
        """Add a row, inside a transaction that has read all the others."""
        added = self._execute(
            "INSERT INTO events (kind, draw, option, replicate, seed, value, text, time, worker) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            event,
        )
        self.seen = int(added.lastrowid or self.seen)

    def rewind(self) -> None:
        """Read from the beginning again."""
        self.seen, self.version = 0, -1

    def news(self) -> list[Event]:
        """What was added since the last time."""
        version = self._pragma("data_version")
        if version == self.version:  # nobody else has written
            return []
        self.version = version
        columns = ", ".join(Event._fields)
        rows = self._execute(f"SELECT id, {columns} FROM events WHERE id > ? ORDER BY id", (self.seen,)).fetchall()
        if rows:
            self.seen = rows[-1][0]
        return [Event(*row[1:]) for row in rows]

    def close(self) -> None:
        if not self.closed and self.process == os.getpid():
            self.db.close()
        self.closed = True


def is_store(path: str | os.PathLike[str]) -> bool:
    """Whether there is a selection in the file."""
    if not Path(path).is_file():
        return False
    with closing(Store(path)) as store:
        return not store.empty
