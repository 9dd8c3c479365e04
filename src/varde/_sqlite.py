"""SQLite files that several processes share: opening, transactions, error messages.

The path of a file is resolved once, so that neither ``os.chdir`` nor a symbolic link leads elsewhere later.  While it
is in use its last changes are in a write-ahead log next to it (WAL); what a commit has returned survives the death of
the process.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from ._files import StoreError
from ._fork import Connected

PATIENCE = 60.0  # seconds to wait for another process's transaction, which takes milliseconds
PAGES, SECONDS = 200, 60.0  # the log is written into the file after so many pages or seconds
LOCKS = "its file system has no locks that work: put it on a local disk, or use a database (docs/many-machines.md)"
ADVICE = {
    **dict.fromkeys(("SQLITE_IOERR_LOCK", "SQLITE_IOERR_UNLOCK", "SQLITE_IOERR_RDLOCK", "SQLITE_IOERR_SHM"), LOCKS),
    **dict.fromkeys(("SQLITE_IOERR_CHECKRESERVEDLOCK", "SQLITE_PROTOCOL", "SQLITE_NOLFS"), LOCKS),
    "SQLITE_FULL": "free some space and try again",
    "SQLITE_IOERR": "check the disk (is it full?) and try again",
    "SQLITE_BUSY": "another process has locked it; wait until it is done",
    "SQLITE_READONLY": "make the file writable",
}


class Database(Connected):
    """One such file; the settings of its kind come first."""

    application: ClassVar[int]  # in the header of the file: its kind
    tables: ClassVar[str]  # the statements that make it
    format: ClassVar[int] = 1  # also in the header
    check: ClassVar[str | None] = "quick_check"  # of the pages, when the file is opened
    page: ClassVar[int] = 4096  # bytes
    otherwise: ClassVar[str] = "write another name"  # what to do if the file cannot be used

    def __init__(self, path: str | os.PathLike[str], read_only: bool = False):
        self.name: str = os.fspath(path)  # as the user wrote it
        self.path: Path = Path(os.path.realpath(path))
        self.read_only: bool = read_only
        self.files: tuple[str, str] = str(self.path), f"{self.path}-wal"
        self.identity: list[tuple[int, int] | None] = []  # of both
        self.connect()

    def connect(self) -> None:
        if self.path.is_dir():
            raise StoreError(f"{self.name} is a folder: {self.otherwise}")
        if not self.path.parent.is_dir():
            raise StoreError(f"the folder {self.path.parent} does not exist: make it, or {self.otherwise}")
        first = not self.identity
        if not first and self.identity[0] != identities(self.files)[0]:
            raise self.is_gone()
        if first and self.path.exists() and self.path.stat().st_nlink > 1:
            raise StoreError(
                f"{self.name} has several names (hard links), and what is written under one of them is missing under "
                f"the others: delete all but one, or {self.otherwise}"
            )
        self.process, self.logs, self.at_once = os.getpid(), False, True
        # A read-only file without a log is read as it is: sqlite could not even look for one.
        how = "rwc" if not self.read_only else "ro" if os.path.exists(self.files[1]) else "ro&immutable=1"
        try:
            # Threads that share a file take turns, so one connection may serve them all.
            self.connection = db = sqlite3.connect(
                f"{self.path.as_uri()}?mode={how}",
                timeout=PATIENCE,
                isolation_level=None,
                check_same_thread=False,
                uri=True,
            )
            if first:
                self.made = self.inspected()  # whether its tables are there
            if not self.read_only:
                db.execute(f"PRAGMA page_size = {self.page}")
                with suppress(sqlite3.OperationalError):  # without shared memory sqlite's rollback journal is used
                    self.logs = db.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal"
                db.execute("PRAGMA synchronous = FULL")
                db.execute(f"PRAGMA wal_autocheckpoint = {PAGES}")
                db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on there is a log
        except BaseException as error:
            if self.connection is not None:
                self.connection.close()
                self.connection = None
            if isinstance(error, sqlite3.Error):
                raise self.in_words(error) from error
            raise
        self.identity = identities(self.files)
        self.hold(db)
        self.checkpointed = time.monotonic()

    def inspected(self) -> bool:
        """Whether it is new; a file of another program, of another format, or with broken pages is refused."""
        self.execute("BEGIN")  # a consistent view: another process may be creating it
        kind, version = self.pragma("application_id"), self.pragma("user_version")
        tables = self.fetch("SELECT count(*) FROM sqlite_master")[0][0]
        self.execute("ROLLBACK")
        if kind != self.application and (kind or version or tables):
            raise StoreError(f"{self.name} belongs to another program and was left unchanged: {self.otherwise}")
        if kind == self.application and version != self.format:
            other = "a newer" if version > self.format else "an older"
            raise StoreError(f"{self.name} has format {version}, this varde reads {self.format}: install {other} varde")
        if self.check and kind == self.application and (found := self.pragma(f"{self.check}(1)")) != "ok":
            raise sqlite3.DatabaseError(found)
        return bool(kind == self.application)

    def in_words(self, error: sqlite3.Error | UnicodeDecodeError) -> Exception:
        name = getattr(error, "sqlite_errorname", None) or ""
        advice = next((words for start, words in ADVICE.items() if name.startswith(start)), None)
        if advice is not None:
            return StoreError(f"{self.name} cannot be used now ({error}); earlier results are safe: {advice}")
        if "decode" in str(error):  # a text that is none; sqlite's message quotes broken pages
            return self.damaged(str(error))
        if isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError):
            return StoreError(f"{self.name} cannot be used ({error}): {self.otherwise}")
        if name == "SQLITE_NOTADB":
            return StoreError(f"{self.name} is not a varde store, and was left unchanged: {self.otherwise}")
        return self.damaged(str(error))

    def damaged(self, how: str) -> StoreError:
        return StoreError(
            f"{self.name} is damaged ({how}), and was left unchanged: restore a copy, or save the rows that can still "
            f"be read with sqlite3 {self.name} .recover | sqlite3 NEW"
        )

    def execute(self, statement: str, values: Iterable[Any] = (), many: bool = False) -> sqlite3.Cursor:
        """One statement, or the same for ``many`` rows of values."""
        try:
            db = self.connection if self.process == os.getpid() else None
            db = db or self.ready()
            return db.executemany(statement, values) if many else db.execute(statement, values)  # type: ignore[arg-type]
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self.in_words(error) from error

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows at once."""
        try:
            return self.execute(statement, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self.in_words(error) from error

    def pragma(self, name: str) -> Any:
        return self.execute(f"PRAGMA {name}").fetchone()[0]

    def ready(self) -> sqlite3.Connection:
        """Open, in this process."""
        if self.closed:
            raise StoreError(f"{self.name} was closed: open it again")
        if self.connection is None:
            self.connect()
        elif self.process != os.getpid():
            raise StoreError(f"{self.name} was being changed when this process was forked: open it again")
        found: sqlite3.Connection = self.connection
        return found

    def begin(self, at_once: bool = True) -> None:
        """Begin a write transaction: no other process writes from here on.

        With ``at_once`` a commit is on disk when it returns.  Otherwise a power cut may undo the last commits; the next
        commit with ``at_once`` makes all earlier ones durable too.
        """
        if self.read_only:
            return
        if at_once is not self.at_once and self.logs:
            self.execute("PRAGMA synchronous = FULL" if at_once else "PRAGMA synchronous = NORMAL")
            self.at_once = at_once
        if self.connection is not None and self.connection.in_transaction:
            self.roll_back()  # what an interrupt left open
        self.execute("BEGIN IMMEDIATE")
        if not self.made:
            try:
                if self.pragma("application_id") != self.application:  # else another process was first
                    for statement in filter(str.strip, self.tables.split(";")):
                        self.execute(statement)
                    self.execute(f"PRAGMA application_id = {self.application}")
                    self.execute(f"PRAGMA user_version = {self.format}")
            except BaseException:
                self.roll_back()
                raise

    def commit(self) -> None:
        if self.read_only:
            return
        found = identities(self.files)
        if found != self.identity:
            if found[0] != self.identity[0] or self.identity[1] is not None:
                raise self.is_gone()
            self.identity = found  # another process has created the log
        self.execute("COMMIT")
        now = time.monotonic()
        if not self.made or now - self.checkpointed > SECONDS:
            with suppress(StoreError):  # it is already on disk
                self.execute("PRAGMA wal_checkpoint")
            self.checkpointed = now
        self.made = True

    def is_gone(self) -> StoreError:
        return StoreError(
            f"{self.name} was deleted, moved or replaced while it was in use, so nothing more can be saved: put it back"
        )

    @property
    def in_transaction(self) -> bool:
        return self.connection is not None and self.connection.in_transaction

    def roll_back(self) -> None:
        if not self.closed and self.in_transaction:
            self.execute("ROLLBACK")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A transaction: all or nothing, and no other process writes meanwhile."""
        self.begin()
        try:
            yield
            self.commit()
        except BaseException:
            self.roll_back()
            raise

    def before_fork(self) -> None:
        """In a child, sqlite would believe that it holds its parent's locks: nothing is open during a fork."""
        if not self.in_transaction:
            self.let_go()


def identities(paths: Iterable[str]) -> list[tuple[int, int] | None]:
    """The identity of the file of each name, if there is one."""
    found: list[tuple[int, int] | None] = []
    for path in paths:
        try:
            status = os.stat(path)
            found.append((status.st_dev, status.st_ino))
        except OSError:
            found.append(None)
    return found
