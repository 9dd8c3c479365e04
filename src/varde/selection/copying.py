"""Copy a selection: a file in use, or everything that is intact in a damaged one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from .. import bandits
from .._files import StoreError
from .address import Address, as_place
from .file import COLUMNS, File, is_intact
from .journal import beginning
from .ledger import Ledger
from .log import Event, open_log

PAGE = File.page
TOLD = ("tell", "batch")  # events that are results
LEAF = 13  # how a page with rows of a table begins


class Copied(NamedTuple):
    """What was copied."""

    events: int
    lost: int  # at least; there may have been more after the last readable event
    whole: bool  # nothing is damaged


Store = str | os.PathLike[str] | Address


def copy(source: Store, target: Store) -> Copied:
    """Copy a selection, which may be in use and is not changed; of a damaged one, everything that is intact."""
    source, target = as_place(source), as_place(target)
    if isinstance(target, Address):
        with tempfile.TemporaryDirectory() as folder:
            copied = copy(source, Path(folder) / "copy.db")
            write_new(target, events_of(Path(folder) / "copy.db"))
            return copied
    target = Path(target)
    if isinstance(source, Address):
        return copy_from(source, target)
    source = Path(source)
    if not source.is_file():
        what = "is a folder" if source.is_dir() else "does not exist"
        raise StoreError(f"{source} {what}: write the file of a selection")
    if not target.parent.is_dir():
        raise StoreError(f"the folder {target.parent} does not exist: make it, or write another name")
    if target.exists():
        raise StoreError(f"{target} exists already: write another name")
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        try:
            back_up(source, part)
            events, lost, whole = events_of(part), 0, True
        except StoreError as error:
            events, lost = intact_events(source, part, error)
            whole = False
        kept = list(fitting(events))
        whole, lost = whole and len(kept) == len(events), lost + len(events) - len(kept)
        if not whole:
            part.unlink(missing_ok=True)
            write(part, kept)
        os.replace(part, target)
        return Copied(len(kept), lost, whole)
    finally:
        part.unlink(missing_ok=True)


def copy_from(source: Address, target: Path) -> Copied:
    from .postgres import Postgres

    if target.exists():
        raise StoreError(f"{target} exists already: write another name")
    log = Postgres(source)
    try:
        events, lost = log.intact()
    finally:
        log.close()
    if not events:
        raise StoreError(f"{source} is empty: write the address of a selection")
    kept = list(fitting(events))
    lost += len(events) - len(kept)
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        write(part, kept)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    return Copied(len(kept), lost, not lost)


def write_new(target: Address, events: list[Event]) -> None:
    """Write a new selection to a database; it must not exist yet."""
    log = open_log(target)
    try:
        with log:
            if log.since(0):
                raise StoreError(f"{target} exists already: write another name after #")
            log.append(events)
    finally:
        log.close()


def back_up(source: Path, target: Path) -> None:
    """A consistent copy, even while others write."""
    file = File(source)
    try:
        copied = sqlite3.connect(target)
        try:
            file.ready().backup(copied)
            copied.execute("PRAGMA journal_mode = DELETE")
        finally:
            copied.close()
    except sqlite3.Error as error:
        raise file.in_words(error) from error
    finally:
        file.close()


def events_of(path: Path) -> list[Event]:
    file = File(path)
    try:
        return file.since(0)
    finally:
        file.close()


def write(path: Path, events: list[Event]) -> None:
    file = File(path)
    try:
        with file:
            file.append(events)
    finally:
        file.close()


def intact_events(source: Path, part: Path, error: StoreError) -> tuple[list[Event], int]:
    """The intact events, and how many others there are; ``part`` is a work file."""
    for ending in ("", "-wal"):  # the file as it is, and its log
        with suppress(FileNotFoundError):
            shutil.copyfile(f"{source}{ending}", f"{part}{ending}")
    with suppress(sqlite3.Error, UnicodeDecodeError):  # which quotes broken pages
        statements(part, "PRAGMA wal_checkpoint", "PRAGMA journal_mode = DELETE")
    pages = part.read_bytes()[PAGE:]
    for ending in ("", "-wal", "-shm"):
        Path(f"{part}{ending}").unlink(missing_ok=True)
    write(part, [])
    first = part.read_bytes()[:PAGE]  # the header; that of the source may be damaged
    length = 1 + -(-len(pages) // PAGE)
    part.write_bytes(first[:28] + length.to_bytes(4, "big") + first[32:] + pages.ljust((length - 1) * PAGE, b"\0"))
    rows: dict[int, tuple[Any, ...]] = {}
    for number in range(2, length + 1):
        if pages[(number - 2) * PAGE] == LEAF:
            look_at = f"UPDATE sqlite_master SET rootpage = {number} WHERE name = 'events'"
            statements(part, "PRAGMA synchronous = OFF", "PRAGMA writable_schema = ON", look_at)
            rows |= intact_rows(part)
    if not rows:
        raise StoreError(f"{error}: nothing in it can be read") from error
    return [Event._make(rows[number][1:-1]) for number in sorted(rows)], max(rows) - len(rows)


def statements(path: Path, *statements: str) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            db.execute(statement).fetchall()
    finally:
        db.close()


def intact_rows(path: Path) -> dict[int, tuple[Any, ...]]:
    rows: dict[int, tuple[Any, ...]] = {}
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    db.text_factory = lambda text: text.decode(errors="replace")
    for order in ("", " DESC"):  # from both sides of the damage
        with suppress(sqlite3.Error):
            for row in db.execute(f"SELECT {COLUMNS} FROM events NOT INDEXED ORDER BY id{order}"):
                if is_intact(row):
                    rows[row[0]] = row
            break
    db.close()
    return rows


def fitting(events: list[Event]) -> Iterator[Event]:
    """The events that fit together; a result whose draw is lost becomes one that was not asked for."""
    settings, options, items = beginning(events)
    begun = 1 + len(options) + len(items)
    names, costs = [str(event.text) for event in options], [float(event.value or 1.0) for event in options]
    ledger = Ledger(settings, bandits.Uniform(), names, costs)
    yield from events[:begun]
    answered: set[int | None] = set()
    whole = True
    for event in events[begun:]:
        if not ledger.fits(event):
            whole = False
            if event.kind in TOLD and event.draw not in answered:
                event = event._replace(draw=ledger.next_id)
        if event.kind == "ask" and event.text != "again" and not whole:
            event = event._replace(text="warm start")  # what the algorithm saw is no longer known
        if ledger.fits(event):
            answered.add(event.draw if event.kind in TOLD else None)
            ledger.apply(event)
            yield event
