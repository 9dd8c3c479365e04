"""Copy a selection, which may be in use, from any store to another."""

from __future__ import annotations

import os
from pathlib import Path

from .._files import StoreError
from .address import Address, as_place
from .events import event_of
from .log import EventLog, open_log

AT_ONCE = 20_000  # lines

Store = str | os.PathLike[str] | Address | EventLog


def copy(source: Store, target: Store) -> int:
    """Copy all events to a new store; returns how many.  A damaged log is refused, and nothing is left behind."""
    target = as_place(target)
    new = isinstance(target, str | os.PathLike) and not os.path.exists(target)
    old, log = open_log(source, existing=True), None
    try:
        log = open_log(target)
        with log:
            if log.since(0, 1):
                raise StoreError(f"{log.name} exists already: write another name")
            position = copy_lines(old, log)
            if not position:
                raise StoreError(f"{old.name} is empty: write the file or address of a selection")
    except BaseException:
        if log is not None:
            log.close()
        if new and isinstance(target, str | os.PathLike):
            Path(target).unlink(missing_ok=True)
        raise
    finally:
        old.close()
    log.close()
    return position


def copy_lines(old: EventLog, new: EventLog) -> int:
    position = checksum = 0
    while lines := old.since(position, AT_ONCE):
        for number, line in enumerate(lines, position + 1):
            try:
                _, checksum = event_of(line, checksum)
            except ValueError as error:
                raise StoreError(f"{old.name} is damaged (event {number} {error}): {old.advice}") from error
        new.append(lines)
        position += len(lines)
    return position
