"""Files that are sqlite databases: open, check, upgrade to the current format; errors as messages.

The format of a file is the number of migration steps that made it (``PRAGMA user_version``).  An older file is upgraded
by the steps it lacks, in one transaction, when something is first written; a newer one is refused.

While a file is in use its last changes are in a write-ahead log next to it (WAL), and its header says so; the last
process to close it leaves one plain file.  So a header that mentions a log that is missing means lost changes.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from ._files import StoreError, StoreWarning

PATIENCE = 60.0  # seconds to wait for another process's transaction, which takes milliseconds
PAGES, SECONDS = 200, 60.0  # the log is written into the file after so many pages or seconds
GLANCES, PAUSE = 40, 0.025  # how often, and seconds apart, to look whether other processes have closed the file
ADVICE = {
    "SQLITE_FULL": "free some space and try again",
    "SQLITE_IOERR": "check the disk (is it full?) and try again",
    "SQLITE_BUSY": "another process has locked it; wait until it is done",
    "SQLITE_READONLY": "make the file writable",
}

Step = str | Callable[["Database"], None]  # statements, or a function that is called inside the transaction

OPEN: weakref.WeakSet[Database] = weakref.WeakSet()


class Database:
    """One such file; the settings of its kind come first."""

    application: ClassVar[int]  # in the header of the file: its kind
    steps: ClassVar[Sequence[Step]]  # from nothing to format 1, from there to format 2, and so on
    check: ClassVar[str] = "quick_check"  # of the pages, when the file is opened
    page: ClassVar[int] = 4096  # bytes
    otherwise: ClassVar[str] = "write another name"  # what to do if the file cannot be used

    def __init__(self, path: str | os.PathLike[str], read_only: bool = False):
        self.path: Path = Path(path)
        self.read_only: bool = read_only
        self.closed: bool = False
        self.beside: Path = Path(f"{self.path}-wal")
        self.names: tuple[str, str] = str(self.path), str(self.beside)
        self.lock = threading.RLock()  # held while several statements belong together: no fork in between
        self.identity: list[tuple[int, int] | None] = []  # of the file and of its log
        self.connection: sqlite3.Connection | None = None
        self.connect()
        OPEN.add(self)

    def connect(self) -> None:
        if self.path.is_dir():
            raise StoreError(f"{self.path} is a folder: {self.otherwise}")
        if not self.path.parent.is_dir():
            raise StoreError(f"the folder {self.path.parent} does not exist: make it, or {self.otherwise}")
        first, has_log = not self.identity, self.beside.exists()
        if not first and self.identity[0] != identity_of(self.path):
            raise self.is_gone()
        self.process, self.logs, self.at_once = os.getpid(), False, True
        try:
            db = self._connected(has_log)
        except sqlite3.Error as error:
            raise self.in_words(error) from error
        try:
            if first:
                db = self._accepted(db, has_log)
            if not self.read_only:
                db.execute(f"PRAGMA page_size = {self.page}")
                with suppress(sqlite3.OperationalError):  # without shared memory sqlite's rollback journal is used
                    self.logs = db.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal"
                db.execute("PRAGMA synchronous = FULL")
                db.execute(f"PRAGMA wal_autocheckpoint = {PAGES}")
                db.execute("SELECT count(*) FROM sqlite_master").fetchone()  # from here on there is a log
        except BaseException as error:
            db.close()
            self.connection = None
            if isinstance(error, sqlite3.Error):
                raise self.in_words(error) from error
            raise
        self.connection = db
        self.identity = [*map(identity_of, self.names)]
        closing = None if self.read_only else self.path.absolute()
        self.leave = weakref.finalize(self, leave, db, self.process, closing, self.identity[0])
        self.checkpointed = time.monotonic()

    def _connected(self, has_log: bool) -> sqlite3.Connection:
        # A read-only file: do not even look for a log.
        how = "mode=rwc" if not self.read_only else "mode=ro" if has_log else "mode=ro&immutable=1"
        where = f"{self.path.absolute().as_uri()}?{how}"
        # Threads that share a file take turns, so one connection may serve them all.
        return sqlite3.connect(where, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=True)

    def _accepted(self, db: sqlite3.Connection, has_log: bool) -> sqlite3.Connection:
        """A connection to the file, if it is of this kind; warns if its log is missing."""
        self.connection = db
        self.format = self._checked()
        if has_log or not self.format:
            return db
        for _ in range(GLANCES):  # others may be closing it right now: see ``leave``
            if self.read_only:
                with self.path.open("rb") as file:
                    missing = file.read(20)[18:] == b"\2\2" and not self.beside.exists()
                time.sleep(PAUSE * missing)
            elif missing := self.pragma("journal_mode") == "wal" and is_empty(self.beside):
                db.close()  # while it is open here, nobody else can finish closing it
                time.sleep(PAUSE)
                missing = not self.beside.exists()  # otherwise another process has just created it
                self.connection = db = self._connected(False)
            if not missing:
                return db
        words = f"{self.path} was not closed, and {self.beside.name} is not next to it: the last results may be"
        warnings.warn(f"{words} missing. To copy a file in use, write varde copy", StoreWarning, stacklevel=2)
        return db

    def _checked(self) -> int:
        """The format; a file of another program, of a later version, or with broken pages is refused."""
        self.execute("BEGIN")  # a consistent view: another process may be creating it
        kind, version = self.pragma("application_id"), self.pragma("user_version")
        tables = self.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        self.execute("ROLLBACK")
        if kind != self.application and (kind or version or tables):
            raise StoreError(f"{self.path} belongs to another program and was left unchanged: {self.otherwise}")
        if version > len(self.steps):
            raise StoreError(
                f"{self.path} has format {version}, this varde reads up to {len(self.steps)}: install a newer varde"
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
            return StoreError(f"{self.path} cannot be used now ({error}); earlier results are safe: {advice}")
        if isinstance(error, sqlite3.OperationalError | sqlite3.ProgrammingError):
            return StoreError(f"{self.path} cannot be used ({error}): {self.otherwise}")
        return StoreError(f"{self.path} is damaged or not a varde store ({error}), and was left unchanged")

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        try:
            return (self.connection or self.ready()).execute(statement, values)
        except sqlite3.Error as error:
            raise self.in_words(error) from error
        except UnicodeDecodeError as error:  # sqlite's message quotes broken pages
            raise self.in_words(sqlite3.DatabaseError(str(error))) from error

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
            raise StoreError(f"{self.path} was closed: open it again")
        if self.connection is None:
            self.connect()
        elif self.process != os.getpid():
            raise StoreError(f"{self.path} was being changed when this process was forked: open it again")
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
                self._migrate()
            except BaseException:
                self.roll_back()
                raise

    def _migrate(self) -> None:
        for step in self.steps[self.pragma("user_version") :]:  # another process may have upgraded it
            self.script(step) if isinstance(step, str) else step(self)
        self.execute(f"PRAGMA application_id = {self.application}")
        self.execute(f"PRAGMA user_version = {len(self.steps)}")

    def commit(self) -> None:
        """Commit; it is on disk when this returns unless ``begin`` said otherwise."""
        self._still_there()
        self.execute("COMMIT")
        now = time.monotonic()
        if self.format < len(self.steps) or now - self.checkpointed > SECONDS:
            with suppress(StoreError):  # it is already on disk
                self.execute("PRAGMA wal_checkpoint")
            self.checkpointed = now
        self.format = len(self.steps)

    def _still_there(self) -> None:
        """Check that the file and its log are still those we opened; accept a log that another process created."""
        found = [*map(identity_of, self.names)]
        if found != self.identity:
            if found[0] != self.identity[0] or self.identity[1] is not None:
                raise self.is_gone()
            self.identity = found

    def is_gone(self) -> StoreError:
        return StoreError(
            f"{self.path} was deleted, moved or replaced while it was in use, so nothing more can be saved: put it back"
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

    def let_go(self) -> None:
        """Close the connection: the next statement opens another one."""
        if self.connection is not None and self.process == os.getpid():
            self.leave()
            self.connection = None

    def close(self) -> None:
        if not self.closed:
            self.let_go()
        self.closed = True


def leave(db: sqlite3.Connection, process: int, path: Path | None, identity: tuple[int, int] | None) -> None:
    """Close a connection; the last one leaves a plain file without a log.

    Of two that close at the same time neither is alone, so neither can; then the later one finds that its own closing
    has deleted the log, and opens the file (``path``, None if it was only read) once more to make it plain.
    """
    if process != os.getpid():
        return
    plain = made_plain(db)
    db.close()
    for _ in range(GLANCES):
        if plain or path is None or Path(f"{path}-wal").exists() or identity_of(path) != identity:
            return
        # Not in step with others that try the same, and without drawing from the generator that is the user's.
        time.sleep(random.SystemRandom().uniform(0.0, PAUSE))
        with suppress(sqlite3.Error):
            again = sqlite3.connect(f"{path.as_uri()}?mode=rw", isolation_level=None, uri=True)
            plain = made_plain(again)
            again.close()


def made_plain(db: sqlite3.Connection) -> bool:
    """Whether the file now has no log, or cannot be freed of it; False if another process has it open."""
    try:
        db.execute("PRAGMA busy_timeout = 0")
        db.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:
        return not (getattr(error, "sqlite_errorname", None) or "").startswith("SQLITE_BUSY")
    return True


def is_empty(log: Path) -> bool:
    """Whether a log is missing or empty, as after a process that only read the file."""
    try:
        return log.stat().st_size == 0
    except OSError:
        return True


def identity_of(path: str | Path) -> tuple[int, int] | None:
    """The identity of the file of that name."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


# If a connection is open when a process forks, sqlite in the child believes that it holds the locks, which it does not:
# the child would write into a log that its parent deletes.  So all connections are closed before a fork.

forking = threading.RLock()
waiting: list[Database] = []


def before_fork() -> None:
    forking.acquire()
    waiting.extend(OPEN)
    for database in waiting:
        database.lock.acquire()
        if not database.in_transaction:
            database.let_go()


def after_fork() -> None:
    while waiting:
        waiting.pop().lock.release()
    forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
