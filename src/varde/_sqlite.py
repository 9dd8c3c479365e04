"""SQLite files that several processes share: opening, transactions, error messages.

The format of a file is the number of steps that made it (``PRAGMA user_version``).  Its path is resolved once, so that
neither ``os.chdir`` nor a symbolic link leads elsewhere later.  While a file is in use its last changes are in a
write-ahead log next to it (WAL); what a commit has returned survives the death of the process.
"""

from __future__ import annotations

import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from ._files import StoreError
from ._fork import ForkSafe

PATIENCE = 60.0  # seconds to wait for another process's transaction, which takes milliseconds
PAGES, SECONDS = 200, 60.0  # the log is written into the file after so many pages or seconds
ADVICE = {
    "SQLITE_FULL": "free some space and try again",
    "SQLITE_IOERR": "check the disk (is it full?) and try again",
    "SQLITE_BUSY": "another process has locked it; wait until it is done",
    "SQLITE_READONLY": "make the file writable",
}

Step = str | Callable[["Database"], None]  # statements, or a function that is called inside the transaction


class Database(ForkSafe):
    """One such file; the settings of its kind come first."""

    application: ClassVar[int]  # in the header of the file: its kind
    steps: ClassVar[Sequence[Step]]  # from nothing to format 1, from there to format 2, and so on
    check: ClassVar[str | None] = "quick_check"  # of the pages, when the file is opened
    page: ClassVar[int] = 4096  # bytes
    otherwise: ClassVar[str] = "write another name"  # what to do if the file cannot be used

    def __init__(self, path: str | os.PathLike[str], read_only: bool = False):
        self.name: str = os.fspath(path)  # as the user wrote it
        self.path: Path = Path(os.path.realpath(path))
        self.read_only: bool = read_only
        self.closed: bool = False
        self.files: tuple[str, str] = str(self.path), f"{self.path}-wal"
        self.identity: list[tuple[int, int] | None] = []  # of both
        self.connection: sqlite3.Connection | None = None
        self.connect()

    def connect(self) -> None:
        if self.path.is_dir():
            raise StoreError(f"{self.name} is a folder: {self.otherwise}")
        if not self.path.parent.is_dir():
            raise StoreError(f"the folder {self.path.parent} does not exist: make it, or {self.otherwise}")
        first = not self.identity
        if not first and self.identity[0] != identity_of(self.files[0]):
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
                self.format = self.inspected()
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
        self.identity = [*map(identity_of, self.files)]
        self.leave = weakref.finalize(self, leave, db, self.process)
        self.checkpointed = time.monotonic()

    def inspected(self) -> int:
        """The format; a file of another program, of a later version, or with broken pages is refused."""
        self.execute("BEGIN")  # a consistent view: another process may be creating it
        kind, version = self.pragma("application_id"), self.pragma("user_version")
        tables = self.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        self.execute("ROLLBACK")
        if kind != self.application and (kind or version or tables):
            raise StoreError(f"{self.name} belongs to another program and was left unchanged: {self.otherwise}")
        if version > len(self.steps):
            raise StoreError(
                f"{self.name} has format {version}, this varde reads up to {len(self.steps)}: install a newer varde"
            )
        if self.check and kind == self.application and (found := self.pragma(f"{self.check}(1)")) != "ok":
            raise sqlite3.DatabaseError(found)
        return int(version)

    def in_words(self, error: sqlite3.Error) -> Exception:
        name = getattr(error, "sqlite_errorname", None) or ""
        advice = next((words for start, words in ADVICE.items() if name.startswith(start)), None)
        if advice is not None:
            return StoreError(f"{self.name} cannot be used now ({error}); earlier results are safe: {advice}")
        if "decode" in str(error):  # a text that is none
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

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return (self.connection or self.ready()).execute(statement, values)
        except sqlite3.Error as error:
            raise self.in_words(error) from error
        except UnicodeDecodeError as error:  # sqlite's message quotes broken pages
            raise self.damaged(str(error)) from error

    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows at once."""
        try:
            return self.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise self.in_words(error) from error
        except UnicodeDecodeError as error:
            raise self.damaged(str(error)) from error

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            (self.connection or self.ready()).executemany(statement, rows)
        except sqlite3.Error as error:
            raise self.in_words(error) from error

    def script(self, statements: str) -> None:
        """Several statements, separated by semicolons, in the transaction that is open."""
        for statement in filter(str.strip, statements.split(";")):
            self.execute(statement)

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
        return self.connection  # type: ignore[return-value]

    def begin(self, at_once: bool = True) -> None:
        """Begin a write transaction: no other process writes from here on.

        With ``at_once`` a commit is on disk when it returns.  Otherwise a power cut may undo the last commits; the next
        commit with ``at_once`` makes all earlier ones durable too.
        """
        self.ready()
        if at_once is not self.at_once and self.logs:
            self.execute("PRAGMA synchronous = FULL" if at_once else "PRAGMA synchronous = NORMAL")
            self.at_once = at_once
        self.execute("BEGIN IMMEDIATE")
        if self.format < len(self.steps):
            try:
                for step in self.steps[self.pragma("user_version") :]:  # another process may have upgraded it
                    self.script(step) if isinstance(step, str) else step(self)
                self.execute(f"PRAGMA application_id = {self.application}")
                self.execute(f"PRAGMA user_version = {len(self.steps)}")
            except BaseException:
                self.roll_back()
                raise

    def commit(self) -> None:
        found = [*map(identity_of, self.files)]
        if found != self.identity:
            if found[0] != self.identity[0] or self.identity[1] is not None:
                raise self.is_gone()
            self.identity = found  # another process has created the log
        self.execute("COMMIT")
        now = time.monotonic()
        if self.format < len(self.steps) or now - self.checkpointed > SECONDS:
            with suppress(StoreError):  # it is already on disk
                self.execute("PRAGMA wal_checkpoint")
            self.checkpointed = now
        self.format = len(self.steps)

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

    def let_go(self) -> None:
        """Close the connection: the next statement opens another one."""
        if self.connection is not None and self.process == os.getpid():
            self.leave()
            self.connection = None

    def close(self) -> None:
        if not self.closed:
            self.let_go()
        self.closed = True


def leave(db: sqlite3.Connection, process: int) -> None:
    if process == os.getpid():
        db.close()


def identity_of(path: str) -> tuple[int, int] | None:
    """The identity of the file of that name."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino
