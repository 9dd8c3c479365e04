"""Finished blocks on disk: one sqlite file beside the results, in which every block is safe as soon as it is put.

A block is kept under the fingerprint of everything its numbers depend on (``fingerprint.py``), so that finding it is
always right and whatever else the file holds does no harm.  Its record proves itself (``records.py``): where the file
is damaged, intact blocks are found in its raw bytes, without asking sqlite.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from .records import Block, block_of, frame, frame_of, frames, now

T = TypeVar("T")

NAME = "blocks.db"
FORMAT = 1
APPLICATION = 0x56617244  # "VarD", in the header of the file
PAGE = 8192  # holds the record of about 500 columns whole; only sqlite can put a longer one together
PATIENCE = 60.0  # seconds to wait for another process that writes
DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
TABLES = (
    "CREATE TABLE IF NOT EXISTS blocks (fingerprint TEXT PRIMARY KEY, study TEXT NOT NULL, record BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS studies (study TEXT PRIMARY KEY, record BLOB NOT NULL)",
)


class StoreError(RuntimeError):
    """The store cannot be used; the message says what to do."""


class Blocks:
    """The store of a folder of results.

    A store of one thread; other processes may use the same file at the same time.  ``say`` is told of damage.  With
    ``read_only`` nothing is made or mended, and a store that is missing or cannot be read is an empty one.
    """

    def __init__(self, path: str | Path, say: Callable[[str], None] | None = None, read_only: bool = False):
        self.path, self.read_only = Path(path), read_only
        self.say = say or (lambda message: print(f"varde: {message}", file=sys.stderr))
        self._connection: Any = None
        if not read_only:
            self._try(lambda: None)  # open it: what is wrong with it is said before any work is done

    # -- blocks ----------------------------------------------------------------------------------

    def get(self, fingerprint: str) -> Block | None:
        """The block of that fingerprint, if it is there and intact."""
        found = self._one("SELECT record FROM blocks WHERE fingerprint = ?", fingerprint)
        if found is None:
            return None
        block = next(map(block_of, frames(found)), None)
        if block is None or block.fingerprint != fingerprint:
            self.say(f"a block in {self.path} is damaged: it is measured again")
            return None
        return block

    def put(self, *blocks: Block) -> None:
        """Keep blocks; when this returns, neither a crash nor a power cut loses them."""
        rows = [(block.fingerprint, block.study, frame_of(block)) for block in blocks]
        with self.alone() as connection:
            connection.executemany("INSERT OR REPLACE INTO blocks VALUES (?, ?, ?)", rows)

    def __len__(self) -> int:
        return self._one("SELECT count(*) FROM blocks")

    # -- studies ---------------------------------------------------------------------------------

    def describe(self, study: str, description: Mapping[str, Any]) -> None:
        """Keep what a report needs to know of a study's last result, as JSON."""
        record = frame({"name": study, "described": now(), "description": dict(description)})
        with self.alone() as connection:
            connection.execute("INSERT OR REPLACE INTO studies VALUES (?, ?)", (study, record))

    def description(self, study: str) -> dict[str, Any] | None:
        """What was told of a study, or None."""
        found = self._one("SELECT record FROM studies WHERE study = ?", study)
        for head, _ in frames(found):
            return head["description"]
        return None

    def seconds(self, study: str) -> float | None:
        """Seconds of computing in the blocks that make up the last result of a study, or None."""
        return (self.description(study) or {}).get("seconds")

    # -- transactions ----------------------------------------------------------------------------

    @contextmanager
    def alone(self) -> Iterator[Any]:
        """A transaction: all of it or nothing, and no other process writes meanwhile."""
        connection = self._try(lambda: self._connection)
        if connection.in_transaction:  # within another one
            yield connection
            return
        self._try(lambda: self._connection.execute("BEGIN IMMEDIATE"))
        try:
            yield self._connection
            self._connection.execute("COMMIT")
        except BaseException as error:
            with suppress(sqlite3.Error):  # sqlite may have rolled back by itself
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise self._words(error) from error
            raise

    def close(self) -> None:
        """Leave one plain file behind, without the -wal and -shm beside it, unless another process uses them."""
        if self._connection is None:
            return
        with suppress(sqlite3.Error):  # read only, or in use
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        self._connection = None

    def __enter__(self) -> Blocks:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _one(self, query: str, *values: object) -> Any:
        """The first column of the first row, or None."""
        if self.read_only and not self.path.exists():
            return None
        row = self._try(lambda: self._connection.execute(query, values).fetchone())
        return None if row is None else row[0]

    def _try(self, act: Callable[[], T]) -> T:
        """Act on the open store; if it is found damaged, rescue what is intact and act again."""
        try:
            self._open()
            return act()
        except sqlite3.Error as error:
            if self.read_only:
                self.say(f"{self.path} cannot be read ({error})")
                return None  # type: ignore[return-value]
            if not errorname(error).startswith(DAMAGE):
                raise self._words(error) from error
        self._rescue()
        try:
            self._open()
            return act()
        except sqlite3.Error as error:
            raise self._words(error) from error

    def _open(self) -> None:
        if self._connection is not None:
            return
        where = f"{self.path.absolute().as_uri()}?mode={'ro' if self.read_only else 'rwc'}"
        self._connection = connection = sqlite3.connect(where, timeout=PATIENCE, isolation_level=None, uri=True)
        kind, version = (
            connection.execute(f"PRAGMA {what}").fetchone()[0] for what in ("application_id", "user_version")
        )
        fresh = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if not fresh and kind != APPLICATION:
            raise StoreError(f"{self.path} is a database of another program: write --out with another folder")
        if version > FORMAT:
            raise StoreError(
                f"{self.path} is of format {version}, this varde reads {FORMAT}: use a newer varde, or write "
                "--out with another folder"
            )
        if self.read_only:
            return
        if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
            raise damaged("integrity check failed")
        connection.execute(f"PRAGMA page_size = {PAGE}")
        with suppress(sqlite3.OperationalError):  # where there is no shared memory, sqlite's rollback journal does
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("BEGIN IMMEDIATE")  # also finds out whether it can be written
        for table in TABLES:
            connection.execute(table)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")

    def _rescue(self) -> None:
        """Put a damaged file aside and begin a new one with the intact blocks found in it."""
        raw = []
        if self._connection is not None:
            with suppress(sqlite3.Error):  # as far as it comes
                raw += [row[0] for row in self._connection.execute("SELECT record FROM blocks NOT INDEXED")]
            self._connection.close()
            self._connection = None
        beside = [self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-journal", "-shm")]
        raw += [path.read_bytes() for path in beside[:2] if path.exists()]
        aside = self.path.with_name(self.path.name + ".damaged")
        self.path.replace(aside)
        for path in beside[1:]:
            path.unlink(missing_ok=True)
        blocks: dict[str, Block] = {}
        studies: dict[str, tuple[str, dict[str, Any]]] = {}
        for head, rest in (found for data in raw for found in frames(data)):
            if "fingerprint" in head:
                blocks[head["fingerprint"]] = block_of((head, rest))
            else:  # old versions may be found too
                studies[head["name"]] = max(
                    studies.get(head["name"], ("", {})), (head["described"], head["description"]), key=lambda s: s[0]
                )
        self.put(*blocks.values())
        for name, (_, description) in studies.items():
            self.describe(name, description)
        self.say(
            f"{self.path} is damaged: {len(blocks)} intact blocks are kept, the others are measured again "
            f"(the damaged file is now {aside.name})"
        )

    def _words(self, error: sqlite3.Error) -> Exception:
        if isinstance(error, sqlite3.ProgrammingError):
            return error  # a mistake of ours
        name = errorname(error)
        advice = next(
            (said for start, said in ADVICE.items() if name.startswith(start)), "write --out with another folder"
        )
        return StoreError(f"cannot keep blocks in {self.path} ({error}): {advice}")


ADVICE = {
    "SQLITE_FULL": "blocks finished before are kept; make room and run the same command again",
    "SQLITE_IOERR": "blocks finished before are kept; see to the disk (is it full?) and run the same command again",
    "SQLITE_BUSY": "another process holds it; wait for that to end, or write --out with another folder",
    "SQLITE_READONLY": "make the file writable, or write --out with another folder",
}


def errorname(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", None) or ""


def damaged(message: str) -> sqlite3.DatabaseError:
    error = sqlite3.DatabaseError(message)
    error.sqlite_errorname = "SQLITE_CORRUPT"
    return error
