"""The log of a selection in one sqlite file, for several processes at once.

Rows are added to the table ``events`` and never changed, so two processes that have read the same rows are in the same
state.  What a call has returned survives a crash of the process (WAL) and a power cut (synchronous=FULL); only draws
handed out to this process, which a power cut ends as well, do not wait for the disk.

    events                       id, line
    options, results, failures   the same as views for people: id, name, value (JSON), cost; draw, name, replicate,
                                 seed, value or reason, time, worker
    items                        replicate, id, name, value (JSON)
    snapshots                    code, position, data: the state after so many events, to open long logs quickly

``PRAGMA application_id`` is 0x56617264 ("Vard"), ``PRAGMA user_version`` the number of the format.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from .._files import StoreError
from .._sqlite import Database
from .events import Fail, Item, Option, Tell, place_of
from .log import EventLog


def columns(kind: type, **names: str) -> str:
    """Fields of the lines of a kind, as columns of these names."""
    return ", ".join(f"e.line ->> '$[{place_of(kind, field)}]' AS {name}" for name, field in names.items())


OBJECT = "e.line -> '$[{}][0]' AS value"
KIND = "e.line ->> '$[1]'"
DRAWS = {name: name for name in ("replicate", "seed", "value", "reason", "time", "worker")}
NAMES = f"(SELECT {columns(Option, option='option', name='name')} FROM events e WHERE {KIND} = 'option') o"


def view_of_draws(name: str, kind: type, kinds: str) -> str:
    """The statement that makes the view of results, or of failures."""
    shown = {each: each for each in DRAWS if each in kind._fields}  # type: ignore[attr-defined]
    of = f"JOIN {NAMES} ON o.option = e.line ->> '$[{place_of(kind, 'option')}]'"
    return (
        f"CREATE VIEW {name} AS SELECT {columns(kind, draw='draw')}, o.name, {columns(kind, **shown)} "
        f"FROM events e {of} WHERE {KIND} IN ({kinds}) ORDER BY e.id"
    )


TABLES = f"""
CREATE TABLE events (id INTEGER PRIMARY KEY, line TEXT NOT NULL);
CREATE TABLE snapshots (code TEXT PRIMARY KEY, position INTEGER NOT NULL, data BLOB NOT NULL) WITHOUT ROWID;
CREATE VIEW options AS SELECT {columns(Option, id="option", name="name", cost="cost")},
    {OBJECT.format(place_of(Option, "kept"))} FROM events e WHERE {KIND} = 'option' ORDER BY e.id;
CREATE VIEW items AS SELECT {columns(Item, replicate="replicate", id="item", name="name")},
    {OBJECT.format(place_of(Item, "kept"))} FROM events e WHERE {KIND} = 'item' ORDER BY e.id;
{view_of_draws("results", Tell, "'tell'")};
{view_of_draws("failures", Fail, "'fail', 'expire'")}
"""
INSERT = "INSERT INTO events VALUES (?, ?)"
# Two versions of the code may use one file at the same time.
OLD = "DELETE FROM snapshots WHERE code NOT IN (SELECT code FROM snapshots ORDER BY position DESC LIMIT 2)"


class File(Database, EventLog):
    """The log in a file, opened or created; a read-only file can still be read."""

    application, format = 0x56617264, 2
    keeps_snapshots = True
    tables = TABLES
    check = None  # every line has a checksum, and the log has one of the snapshot

    def __init__(self, path: str | os.PathLike[str]):
        super().__init__(path, read_only=os.path.isfile(path) and not is_writable(path))
        self.advice = f"save the rows that can still be read with sqlite3 {self.name} .recover | sqlite3 NEW"

    def connect(self) -> None:
        super().connect()
        self.read, self.version = 0, -1  # lines read or written here, and the version of the file then

    def append(self, lines: Sequence[str]) -> None:
        if self.read_only:
            raise StoreError(f"{self.name} is read-only here: to continue, copy it to a place of yours")
        if len(lines) == 1:
            self.execute(INSERT, (self.read + 1, lines[0]))
        else:
            self.execute(INSERT, enumerate(lines, self.read + 1), many=True)
        self.read += len(lines)

    def since(self, position: int, most: int | None = None) -> list[str]:
        version = self.execute("PRAGMA data_version").fetchone()[0]
        if version == self.version and position == self.read:  # no other process has written
            return []
        if not self.made and not self.in_transaction:
            self.made = self.pragma("application_id") == self.application  # another process may have made it
            if not self.made:
                return []
        limit = -1 if most is None else most
        rows = self.fetch("SELECT line FROM events WHERE id > ? ORDER BY id LIMIT ?", (position, limit))
        self.version = version if most is None or len(rows) < most else -1  # there may be more
        self.read = position + len(rows)
        return [line for (line,) in rows]

    def roll_back(self) -> None:
        if self.in_transaction:
            self.version = -1
        super().roll_back()

    def snapshot(self, code: str) -> bytes | None:
        rows = self.fetch("SELECT data FROM snapshots WHERE code = ?", (code,)) if self.made else []
        return rows[0][0] if rows else None

    def keep_snapshot(self, data: bytes, position: int, code: str) -> None:
        self.execute("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", (code, position, data))
        self.execute(OLD)


def is_writable(path: str | os.PathLike[str]) -> bool:
    """Whether a file can be changed, including the files sqlite writes next to it."""
    return os.access(path, os.W_OK) and os.access(os.path.dirname(os.path.realpath(path)), os.W_OK)
