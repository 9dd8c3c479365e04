"""The log of a selection in one sqlite file, for several processes at once.

Rows are added to the table ``events`` and never changed, so two processes that have read the same rows are in the
same state.  WAL with synchronous=FULL: what a call has returned survives the death of the process and a power cut.

    events                       id, and the fields of ``Event``
    options, results, failures   the same as views for people: id, name, value (JSON), cost; draw, name, replicate,
                                 seed, value or reason, time, worker

``PRAGMA application_id`` is 0x56617264 ("Vard"), ``PRAGMA user_version`` the number of the format.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Self

from .._sqlite import Database
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
CREATE TABLE events (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, draw INTEGER, option INTEGER, replicate INTEGER, seed INTEGER,
    value REAL, text TEXT, time REAL NOT NULL, worker TEXT NOT NULL, data TEXT
)
"""
TOGETHER = """
DROP TABLE old_events;
DROP TABLE old_options;
DROP TABLE settings;
CREATE UNIQUE INDEX one_result ON events (draw) WHERE kind = 'tell';
CREATE UNIQUE INDEX one_option ON events (option) WHERE kind = 'option';
CREATE VIEW options AS SELECT option AS id, text AS name, data AS value, value AS cost
    FROM events WHERE kind = 'option' ORDER BY option;
CREATE VIEW results AS SELECT e.draw, o.text AS name, e.replicate, e.seed, e.value, e.time, e.worker
    FROM events e JOIN events o ON o.option = e.option AND o.kind = 'option' WHERE e.kind = 'tell' ORDER BY e.id;
CREATE VIEW failures AS SELECT e.draw, o.text AS name, e.replicate, e.seed, e.text AS reason, e.time, e.worker
    FROM events e JOIN events o ON o.option = e.option AND o.kind = 'option'
    WHERE e.kind IN ('fail', 'expire') ORDER BY e.id
"""
COLUMNS = ", ".join(Event._fields)
INSERT = f"INSERT INTO events ({COLUMNS}) VALUES ({', '.join('?' * len(Event._fields))})"


def to_format_2(db: Database) -> None:
    """Settings and options, in tables of their own before, become the first events, notes the last."""
    saved = {name: json.loads(value) for name, value in db.execute("SELECT name, value FROM settings")}
    notes = {name.removeprefix("note: "): saved.pop(name) for name in list(saved) if name.startswith("note: ")}
    db.script(APART)
    if saved:
        when = db.execute("SELECT coalesce(min(time), 0.0) FROM old_events").fetchone()[0]
        saved["seed"], saved["algorithm"] = saved.pop("rng"), algorithm_of(saved.pop("rule"))
        db.execute(INSERT, Event("settings", time=when, data=json.dumps(saved)))
        db.execute(
            "INSERT INTO events (kind, option, text, value, data, time, worker) "
            "SELECT 'option', id, name, cost, value, ?, '' FROM old_options WHERE id < ? ORDER BY id",
            (when, saved["size"]),
        )
        db.execute(
            f"INSERT INTO events ({COLUMNS}) SELECT {', '.join(Event._fields[:-1])}, CASE kind WHEN 'option' THEN "
            "(SELECT value FROM old_options WHERE old_options.id = old_events.option) END FROM old_events ORDER BY id"
        )
        for name, value in notes.items():
            db.execute(INSERT, Event("note", text=name, time=when, data=json.dumps(value)))
    db.script(TOGETHER)


def algorithm_of(rule: Any) -> Any:
    """A saved rule in today's words: GapVarDE(focus, prior, guard, warm_start) and
    VarDE(decision, floor, warm_start, ddof, equal_noise) are both VarDE(decision, noise, warm_start)."""
    if rule[0] == "GapVarDE":
        focus, prior, guard, warm_start = rule[1:]
        return ["VarDE", ["Gaps", focus, True], ["Pooled", prior, guard], warm_start]
    if rule[0] == "VarDE":
        decision, floor, warm_start, ddof, equal = rule[1:]
        return ["VarDE", decision, ["Equal"] if equal else ["Floor", floor, ddof], warm_start]
    return rule


class File(Database):
    """The log in a file, opened or made."""

    application = 0x56617264
    steps = (FORMAT_1, to_format_2)

    def connect(self) -> None:
        super().connect()
        self.read, self.version = 0, -1  # how many events were read or written here, and as of which state of the file

    def append(self, events: Sequence[Event]) -> None:
        self.execute_many(INSERT, events)
        self.read += len(events)

    def since(self, position: int) -> list[Event]:
        self.ready()
        version = self.pragma("data_version")
        if version == self.version and position == self.read:  # nobody else has written
            return []
        if self.format < len(self.steps) and not self.db.in_transaction:
            if self.pragma("application_id") != self.application:
                return []  # a new file
            with self.alone():  # an older format
                pass
        rows = self.execute(f"SELECT {COLUMNS} FROM events WHERE id > ? ORDER BY id", (position,)).fetchall()
        self.version, self.read = version, position + len(rows)
        return list(map(Event._make, rows))

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        if kind is None:
            self.commit()
        else:
            self.roll_back()
            self.version = -1
