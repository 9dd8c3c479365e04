"""Files of this package that are sqlite databases: opened, checked, brought to today's format, and errors in words.

The format of a file is the number of steps that made it (``PRAGMA user_version``).  An older file is brought up to date
by the steps it lacks, in one transaction, the first time something is written; a newer one is refused.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from ._files import StoreError

PATIENCE = 60.0  # seconds to wait for another process's transaction, which takes milliseconds
ADVICE = {
    "SQLITE_FULL": "make room and do the same again",
    "SQLITE_IOERR": "see to the disk (is it full?) and do the same again",
    "SQLITE_BUSY": "another process holds it; wait for that to end",
    "SQLITE_READONLY": "make the file writable",
}

Step = str | Callable[["Database"], None]  # statements, or a function that is called inside the transaction


class Database:
    """One such file; what the kinds of them differ in comes first."""

    application: ClassVar[int]  # in the header of the file, says which kind it is
    steps: ClassVar[Sequence[Step]]  # from nothing to format 1, from there to format 2, and so on
    check: ClassVar[str] = "quick_check"  # of the pages, when the file is opened
    page: ClassVar[int] = 4096  # bytes
    otherwise: ClassVar[str] = "write another name"  # what to do where the file is of no use

    def __init__(self, path: str | os.PathLike[str], read_only: bool = False):
        self.path, self.read_only, self.closed = Path(path), read_only, False
        self.connect()

    def connect(self) -> None:
        if self.path.is_dir():
            raise StoreError(f"{self.path} is a folder: {self.otherwise}")
        if not self.path.parent.is_dir():
            raise StoreError(f"the folder {self.path.parent} does not exist: make it, or {self.otherwise}")
        self.process = os.getpid()
        where = f"{self.path.absolute().as_uri()}?mode={'ro' if self.read_only else 'rwc'}"
        try:
            # Whoever uses a file from several threads keeps them apart, so one connection may serve them all.
            self.db = sqlite3.connect(where, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=True)
        except sqlite3.Error as error:
            raise self.in_words(error) from error
        try:
            self.format = self._checked()
            if not self.read_only:
                self.db.execute(f"PRAGMA page_size = {self.page}")
                with suppress(sqlite3.OperationalError):  # without shared memory sqlite's rollback journal does
                    self.db.execute("PRAGMA journal_mode = WAL")
                self.db.execute("PRAGMA synchronous = FULL")
        except BaseException as error:
            self.db.close()
            if isinstance(error, sqlite3.Error):
                raise self.in_words(error) from error
            raise

    def _checked(self) -> int:
        """The format; a file of somebody else, of a later version, or with broken pages is refused."""
        kind, version = self.pragma("application_id"), self.pragma("user_version")
        tables = self.db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if kind != self.application and (kind or version or tables):
            raise StoreError(f"{self.path} is another program's file, and was left as it is: {self.otherwise}")
        if version > len(self.steps):
            raise StoreError(
                f"{self.path} has format {version}, this varde reads up to {len(self.steps)}: install a newer one"
            )
        if kind == self.application:
            found = self.pragma(f"{self.check}(1)")
            if found != "ok":
                raise sqlite3.DatabaseError(found)
        return int(version)

    def in_words(self, error: sqlite3.Error) -> Exception:
        name = getattr(error, "sqlite_errorname", None) or ""
        advice = next((words for start, words in ADVICE.items() if name.startswith(start)), None)
        if advice is not None:
            return StoreError(f"{self.path} cannot be used now ({error}), what was written before is kept: {advice}")
        if isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError):
            return StoreError(f"{self.path} cannot be used ({error}): {self.otherwise}")
        return StoreError(f"{self.path} is damaged or no store of varde ({error}), and was left as it is")

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return self.db.execute(statement, values)
        except sqlite3.Error as error:
            raise self.in_words(error) from error

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        try:
            self.db.executemany(statement, rows)
        except sqlite3.Error as error:
            raise self.in_words(error) from error

    def script(self, statements: str) -> None:
        """Several statements, separated by semicolons, in the transaction that is open."""
        for statement in filter(str.strip, statements.split(";")):
            self.execute(statement)

    def pragma(self, name: str) -> Any:
        return self.execute(f"PRAGMA {name}").fetchone()[0]

    def ready(self) -> None:
        """Open, in this process: a forked child must not use the connection of its parent."""
        if self.closed:
            raise StoreError(f"{self.path} was closed: open it again")
        if self.process != os.getpid():
            self.connect()

    def begin(self) -> None:
        """From here on nobody else writes."""
        self.ready()
        self.execute("BEGIN IMMEDIATE")
        if self.format < len(self.steps):
            self._migrate()

    def _migrate(self) -> None:
        for step in self.steps[self.pragma("user_version") :]:  # which another process may have changed
            self.script(step) if isinstance(step, str) else step(self)
        self.execute(f"PRAGMA application_id = {self.application}")
        self.execute(f"PRAGMA user_version = {len(self.steps)}")

    def commit(self) -> None:
        """What was written is on the disk when this returns."""
        self.execute("COMMIT")
        self.format = len(self.steps)

    def roll_back(self) -> None:
        if not self.closed and self.db.in_transaction:
            self.execute("ROLLBACK")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A transaction: all of it or nothing, and nobody else writes meanwhile."""
        self.begin()
        try:
            yield
            self.commit()
        except BaseException:
            self.roll_back()
            raise

    def close(self) -> None:
        if not self.closed and self.process == os.getpid():
            self.db.close()
        self.closed = True
