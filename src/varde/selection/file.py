"""The log of a selection in one sqlite file, for several processes at once.

Rows are added to the table ``events`` and never changed, so two processes that have read the same rows are in the
same state.  What a call has returned survives a crash of the process (WAL) and a power cut (synchronous=FULL); only
draws handed out to this process, which a power cut ends as well, do not wait for the disk.

    events                       id, the fields of ``Event``, and a checksum of both
    options, results, failures   the same as views for people: id, name, value (JSON), cost; draw, name, replicate,
                                 seed, value or reason, time, worker
    items                        replicate, id, name, value (JSON)

``PRAGMA application_id`` is 0x56617264 ("Vard"), ``PRAGMA user_version`` the number of the format.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, Self

from .._files import StoreError
from .._sqlite import Database
from ..beliefs.noise import RARE
from .log import Event

FORMAT_1 = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE options (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT, cost REAL NOT NULL);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, draw INTEGER, option INTEGER REFERENCES options, replicate INTEGER,
    seed INTEGER, value REAL, text TEXT, time REAL NOT NULL, worker TEXT NOT NULL
)
"""
APART = """
DROP VIEW IF EXISTS results;
DROP VIEW IF EXISTS failures;
ALTER TABLE events RENAME TO old_events;
ALTER TABLE options RENAME TO old_options;
"""
EVENTS_2 = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, draw INTEGER, option INTEGER, replicate INTEGER, seed INTEGER,
    value REAL, text TEXT, time REAL NOT NULL, worker TEXT NOT NULL, data TEXT
)
"""
VIEWS = """
CREATE UNIQUE INDEX one_result ON events (draw) WHERE kind = 'tell';
CREATE UNIQUE INDEX one_option ON events (option) WHERE kind = 'option';
CREATE VIEW options AS SELECT option AS id, text AS name, data AS value, value AS cost
    FROM events WHERE kind = 'option' ORDER BY option;
CREATE VIEW items AS SELECT replicate, option AS id, text AS name, data AS value
    FROM events WHERE kind = 'item' ORDER BY option;
CREATE VIEW results AS SELECT e.draw, o.text AS name, e.replicate, e.seed, e.value, e.time, e.worker
    FROM events e JOIN events o ON o.option = e.option AND o.kind = 'option' WHERE e.kind = 'tell' ORDER BY e.id;
CREATE VIEW failures AS SELECT e.draw, o.text AS name, e.replicate, e.seed, e.text AS reason, e.time, e.worker
    FROM events e JOIN events o ON o.option = e.option AND o.kind = 'option'
    WHERE e.kind IN ('fail', 'expire') ORDER BY e.id
"""
EVENTS = """
CREATE TABLE events (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, draw INTEGER, option INTEGER, replicate INTEGER, seed INTEGER,
    value REAL, text TEXT, time REAL NOT NULL, worker TEXT NOT NULL, data TEXT, checksum INTEGER NOT NULL
)
"""
FIELDS = ", ".join(Event._fields)
INSERT_2 = f"INSERT INTO events ({FIELDS}) VALUES ({', '.join('?' * len(Event._fields))})"
COLUMNS = f"id, {FIELDS}, checksum"
INSERT = f"INSERT INTO events ({COLUMNS}) VALUES (?, {', '.join('?' * len(Event._fields))}, ?)"


def checksum(number: int, event: Sequence[Any]) -> int:
    """Of an event and its place; numbers as sqlite gives them back, which keeps 3 as 3.0 and -0.0 as 0.0."""
    kind, draw, option, replicate, seed, value, text, time, worker, data = event
    value = None if value is None else value + 0.0
    row = (number, kind, draw, option, replicate, seed, value, text, time + 0.0, worker, data)
    return zlib.crc32(repr(row).encode(errors="replace"))


def row_of(number: int, event: Event) -> tuple[Any, ...]:
    return (number, *event, checksum(number, event))


def is_intact(row: Sequence[Any]) -> bool:
    """Whether a row is intact; a damaged one may hold anything."""
    try:
        return bool(row[-1] == checksum(row[0], row[1:-1]))
    except TypeError:
        return False


def to_format_2(db: Database) -> None:
    """Settings and options, formerly in their own tables, become the first events, notes the last."""
    saved = {name: json.loads(value) for name, value in db.execute("SELECT name, value FROM settings")}
    notes = {name.removeprefix("note: "): saved.pop(name) for name in list(saved) if name.startswith("note: ")}
    db.script(APART)
    db.script(EVENTS_2)
    if saved:
        when = db.execute("SELECT coalesce(min(time), 0.0) FROM old_events").fetchone()[0]
        saved["seed"], saved["algorithm"] = saved.pop("rng"), algorithm_of(saved.pop("rule"))
        db.execute(INSERT_2, Event("settings", time=when, data=json.dumps(saved)))
        db.execute(
            "INSERT INTO events (kind, option, text, value, data, time, worker) "
            "SELECT 'option', id, name, cost, value, ?, '' FROM old_options WHERE id < ? ORDER BY id",
            (when, saved["size"]),
        )
        db.execute(
            f"INSERT INTO events ({FIELDS}) SELECT {', '.join(Event._fields[:-1])}, CASE kind WHEN 'option' THEN "
            "(SELECT value FROM old_options WHERE old_options.id = old_events.option) END FROM old_events ORDER BY id"
        )
        for name, value in notes.items():
            db.execute(INSERT_2, Event("note", text=name, time=when, data=json.dumps(value)))
    db.script("DROP TABLE old_events; DROP TABLE old_options; DROP TABLE settings")


def to_format_3(db: Database) -> None:
    """Every event gets a checksum."""
    before = db.execute(f"SELECT {FIELDS} FROM events ORDER BY id").fetchall()
    db.script("DROP VIEW IF EXISTS results; DROP VIEW IF EXISTS failures; DROP VIEW IF EXISTS options")
    db.script(f"DROP TABLE events; {EVENTS}; {VIEWS}")
    db.execute_many(INSERT, (row_of(number, Event._make(event)) for number, event in enumerate(before, 1)))


def algorithm_of(rule: Any) -> Any:
    """A saved rule in the current form: GapVarDE(focus, prior, guard, warm_start) and
    VarDE(decision, floor, warm_start, ddof, equal_noise) are both VarDE(decision, noise, warm_start)."""
    if rule[0] == "GapVarDE":
        focus, prior, _, warm_start = rule[1:]
        return ["VarDE", ["Gaps", focus, True], ["Pooled", prior, RARE], warm_start]
    if rule[0] == "VarDE":
        decision, floor, warm_start, ddof, equal = rule[1:]
        return ["VarDE", decision, ["Equal"] if equal else ["Floor", floor, ddof], warm_start]
    return rule


class File(Database):
    """The log in a file, opened or created; a read-only file can still be read."""

    application = 0x56617264
    steps = (FORMAT_1, to_format_2, to_format_3)
    check = "integrity_check"

    def __init__(self, path: str | os.PathLike[str]):
        self.verified = 0  # number of events known to be intact
        self.seen: list[Sequence[Any]] = []  # those, until they are asked for
        super().__init__(path, read_only=os.path.isfile(path) and not is_writable(path))

    def connect(self) -> None:
        super().connect()
        self.read, self.version = 0, -1  # events read or written here, and the file version then
        if self.read_only and self.format < len(self.steps):
            self._copy_to_memory()

    def _checked(self) -> int:
        version = super()._checked()
        if version == len(self.steps):  # before anything is written
            self.seen = self._rows_after(0)
        return version

    def _rows_after(self, position: int) -> list[Sequence[Any]]:
        where = f"SELECT {COLUMNS} FROM events NOT INDEXED WHERE id > ? ORDER BY id"
        rows = self.execute(where, (position,)).fetchall()
        self._verify(rows, position)
        return rows

    def _verify(self, rows: Iterable[Sequence[Any]], position: int) -> None:
        """Refuse damaged rows; those verified before are not checked again."""
        try:
            for number, row in enumerate(rows, position + 1):
                if number > self.verified:
                    if row[0] != number or not is_intact(row):
                        raise sqlite3.DatabaseError(f"event {number} differs from what was written")
                    self.verified = number
        except sqlite3.Error as error:
            raise self.in_words(error) from error

    def in_words(self, error: sqlite3.Error) -> Exception:
        words = super().in_words(error)
        if type(error) is not sqlite3.DatabaseError and "decode" not in str(error):
            return words
        if self.path.stat().st_size % self.page:  # it was never complete
            return StoreError(f"{words}: {self.otherwise}")
        return StoreError(f"{words}: varde copy {self.path} TO makes a file of everything that is intact")

    def _copy_to_memory(self) -> None:
        """Copy an older format, which cannot be upgraded in place, to memory."""
        memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        assert self.connection is not None
        self.connection.backup(memory)
        self.leave()
        self.connection = memory
        self.script("BEGIN")
        self._migrate()
        self.script("COMMIT")
        self.format = len(self.steps)

    def append(self, events: Sequence[Event]) -> None:
        if self.read_only:
            raise StoreError(f"{self.path} is read-only here: to continue, write varde copy {self.path} TO")
        if len(events) == 1:
            self.execute(INSERT, row_of(self.read + 1, events[0]))
        else:
            self.execute_many(INSERT, (row_of(number, event) for number, event in enumerate(events, self.read + 1)))
        self.read += len(events)

    def since(self, position: int) -> list[Event]:
        self.ready()
        version = self.pragma("data_version")
        if version == self.version and position == self.read:  # no other process has written
            return []
        if self.format < len(self.steps) and not self.in_transaction:
            if self.pragma("application_id") != self.application:
                return []  # a new file
            with self.alone():  # an older format
                pass
        seen, self.seen = self.seen[position:], []
        rows = seen + self._rows_after(position + len(seen))
        self.version, self.read = version, position + len(rows)
        return [Event._make(row[1:-1]) for row in rows]

    def __enter__(self) -> Self:
        self.enter(at_once=True)
        return self

    def enter(self, at_once: bool) -> None:
        self.ready() if self.read_only else self.begin(at_once)

    def __exit__(self, kind: Any, *error: Any) -> None:
        if self.read_only:
            return
        try:
            if kind is None:
                self.commit()
        finally:
            if self.in_transaction:
                self.roll_back()
                self.version = -1


def is_writable(path: str | os.PathLike[str]) -> bool:
    """Whether a file can be changed, including the files sqlite writes next to it."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(os.path.abspath(path)), os.W_OK)
