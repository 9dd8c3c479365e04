"""Snapshots: the state after so many events, kept beside them, so that a long log is opened without reading all of it.

A snapshot names the checksum of the last event it covers, which vouches for all events before it, and has one of its
own.  If either differs it is ignored and the log is read from its beginning.  Every version of the code has its own.

What is kept are the attributes that a new ledger and a new chooser have; what a chooser computes from them when it is
first used is computed again.  They are pickled, and read as plain types, arrays and a few records and nothing else:
reading a snapshot runs no code of it.
"""

from __future__ import annotations

import io
import json
import pickle
import zlib
from typing import Any, NamedTuple

from .._files import package_digest
from .events import Event
from .ledger import Ledger
from .log import EventLog
from .settings import Settings

EVERY = 10_000  # events between two snapshots, at least
SPARSE = 200  # bytes of a snapshot for each event before the next: a large one is made less often
GIVEN = {"goal", "seeds", "prices", "failures", "chooser", "algorithm", "has_worked"}  # made anew, or known otherwise
OURS = {
    "ledger": ("Ticket",),
    "batches": ("Counts", "Summary"),
    "failures": ("Outages", "Strikes"),
}
ALLOWED = {
    *((f"{__package__}.{module}", name) for module, names in OURS.items() for name in names),
    ("varde.moments", "Moments"),
    ("array", "_array_reconstructor"),
    ("array", "array"),
    ("collections", "deque"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    *((f"numpy.{core}.multiarray", name) for core in ("core", "_core") for name in ("_reconstruct", "scalar")),
    *((f"numpy.{core}.numeric", "_frombuffer") for core in ("core", "_core")),
}


class Snapshot(NamedTuple):
    """Everything a journal knows after the event at ``position``."""

    settings: Settings
    known: list[Event]
    tests: list[Event]
    ledger: Ledger
    position: int
    checksum: int
    size: int = 0  # bytes


class Plain(pickle.Unpickler):
    """Reads no object of any other type."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"a snapshot has a {module}.{name}")
        return super().find_class(module, name)


def is_due(events: int, size: int) -> bool:
    """Whether to make another, so many events after one of that size."""
    return events >= max(EVERY, size // SPARSE)


def dump(found: Snapshot) -> bytes:
    ledger = found.ledger
    blank = Ledger(found.settings, ledger.names, ledger.prices.costs)
    state = {
        owner: {name: getattr(mine, name) for name in vars(new) if name not in GIVEN}
        for (owner, mine), new in zip(owners(ledger).items(), owners(blank).values(), strict=True)
    }
    head = [found.position, found.checksum, found.settings.saved(), found.known, found.tests]
    text = json.dumps(head).encode()
    body = len(text).to_bytes(8, "little") + text + pickle.dumps(state, protocol=5)
    return zlib.crc32(body).to_bytes(4, "little") + body


def load(log: EventLog, algorithm: Any) -> Snapshot | None:
    """The snapshot of a log, if it is intact and of this log."""
    data = log.snapshot(code())
    if not isinstance(data, bytes) or len(data) < 12 or int.from_bytes(data[:4], "little") != zlib.crc32(data[4:]):
        return None
    start = 12 + int.from_bytes(data[4:12], "little")
    position, checksum, saved, *both = json.loads(data[12:start])
    last = log.since(position - 1, 1)
    if not last or last[0][2:10] != f"{checksum:08x}":
        return None
    settings = Settings.read(saved).with_algorithm(algorithm)
    known, tests = ([Event(*each) for each in events] for events in both)
    ledger = Ledger(settings, [str(each.text) for each in known], [float(each.value or 1.0) for each in known])
    try:
        state = Plain(io.BytesIO(data[start:])).load()
    except Exception:  # of another numpy, or forged
        return None
    for owner, blank in owners(ledger).items():
        if state[owner].keys() != vars(blank).keys() - GIVEN:
            return None
        vars(blank).update(state[owner])
    ledger.chooser.ready = False
    return Snapshot(settings, known, tests, ledger, position, checksum, len(data))


def code() -> str:
    """What makes them: the version says it alone where there are no sources."""
    from .. import __version__

    return f"{__version__} {package_digest()}"


def owners(ledger: Ledger) -> dict[str, Any]:
    return {"ledger": ledger, "prices": ledger.prices, "failures": ledger.failures, "chooser": ledger.chooser}
