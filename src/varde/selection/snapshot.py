"""Snapshots: the state after so many events, kept beside them, so that a long log is opened without reading all of it.

A snapshot names the checksum of the last event it covers, which vouches for all events before it, and has one of its
own.  If either differs, or other code made it, it is ignored and the log is read from its beginning.

What is kept are the attributes that a new ledger and a new chooser have; what a chooser computes from them when it is
first used is computed again.  They are plain types, arrays and a few records: reading a snapshot runs no code of it.
"""

from __future__ import annotations

import json
import zlib
from array import array
from collections import deque
from typing import Any, NamedTuple

import numpy as np

from .._files import package_digest
from ..moments import Moments
from .batches import Counts, Summary
from .failures import Outages, Strikes
from .ledger import Ledger, Ticket
from .log import EventLog
from .resuming import Known
from .settings import Settings

EVERY = 10_000  # events between two snapshots, at least
SPARSE = 200  # bytes of a snapshot for each event before the next: a large one is made less often
LONG = 64  # numbers in a list that is kept as an array
RECORDS: dict[str, Any] = {kind.__name__: kind for kind in (Counts, Moments, Outages, Strikes, Summary)}
GIVEN = {"goal", "seeds", "prices", "failures", "chooser", "algorithm", "has_worked"}  # made anew, or known otherwise


class Snapshot(NamedTuple):
    """Everything a journal knows after the event at ``position``."""

    settings: Settings
    known: list[Known]
    tests: list[Known]
    ledger: Ledger
    position: int
    checksum: int
    size: int = 0  # bytes


def is_due(events: int, size: int) -> bool:
    """Whether to make another, so many events after one of that size."""
    return events >= max(EVERY, size // SPARSE)


def dump(found: Snapshot) -> bytes:
    parts = Parts()
    ledger = found.ledger
    blank = Ledger(found.settings, ledger.names, ledger.prices.costs)
    state = {
        owner: {name: parts.put(getattr(mine, name)) for name in vars(new) if name not in GIVEN}
        for owner, mine, new in zip(owners(ledger), owners(ledger).values(), owners(blank).values(), strict=True)
    }
    head = {
        "code": code(),
        "position": found.position,
        "checksum": found.checksum,
        "settings": found.settings.saved(),
        "known": found.known,
        "tests": found.tests,
        "state": state,
    }
    text = json.dumps(head).encode()
    body = b"".join([len(text).to_bytes(8, "little"), text, *parts.bytes])
    return zlib.crc32(body).to_bytes(4, "little") + body


def load(log: EventLog, algorithm: Any) -> Snapshot | None:
    """The snapshot of a log, if it is intact and of this log."""
    mine = code()  # at once, while the files are those that were imported
    data = log.snapshot()
    if not isinstance(data, bytes) or len(data) < 12 or int.from_bytes(data[:4], "little") != zlib.crc32(data[4:]):
        return None
    start = 12 + int.from_bytes(data[4:12], "little")
    head = json.loads(data[12:start])
    if head.get("code") != mine:
        return None
    last = log.since(head["position"] - 1, 1)
    if not last or last[0][2:10] != f"{head['checksum']:08x}":
        return None
    settings = Settings.read(head["settings"]).with_algorithm(algorithm)
    known, tests = ([Known(*each) for each in head[name]] for name in ("known", "tests"))
    ledger = Ledger(settings, [each.name for each in known], [each.cost for each in known])
    parts = Parts(memoryview(data)[start:])
    for owner, blank in owners(ledger).items():
        state = head["state"][owner]
        if state.keys() != vars(blank).keys() - GIVEN:
            return None
        for name, packed in state.items():
            setattr(blank, name, parts.get(packed))
    ledger.chooser.ready = False
    return Snapshot(settings, known, tests, ledger, head["position"], head["checksum"], len(data))


def code() -> str:
    """What made it: the version says it alone where there are no sources."""
    from .. import __version__

    return f"{__version__} {package_digest()}"


def owners(ledger: Ledger) -> dict[str, Any]:
    return {"ledger": ledger, "prices": ledger.prices, "failures": ledger.failures, "chooser": ledger.chooser}


class Parts:
    """Values as JSON, with their arrays in bytes after it."""

    def __init__(self, source: Any = b""):
        self.source, self.bytes, self.length = source, [], 0  # type: Any, list[bytes], int
        self.numbers: dict[int, int] = {}  # of what was put, by identity: two names of one array stay so
        self.made: list[Any] = []  # of what was got, in the same order

    def add(self, kind: str, dtype: str, values: np.ndarray) -> dict[str, Any]:
        data = np.ascontiguousarray(values).tobytes()
        self.bytes.append(data)
        self.length += len(data)
        return {kind: [dtype, list(values.shape), self.length - len(data), len(data)]}

    def put(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        if id(value) in self.numbers:
            return {"same": self.numbers[id(value)]}
        self.numbers[id(value)] = len(self.numbers)
        if kind is np.ndarray:
            return self.add("array", value.dtype.str, value)
        if kind is array:
            return self.add("numbers", value.typecode, np.frombuffer(value, value.typecode))
        if kind is list and len(value) > LONG and set(map(type, value)) in ({float}, {int}):
            numbers = np.array(value)
            return self.add("long", numbers.dtype.str, numbers)
        if kind in (list, tuple, set, deque):
            return {kind.__name__: [self.put(part) for part in (sorted(value) if kind is set else value)]}
        if kind is dict:
            return {"dict": [[self.put(key), self.put(part)] for key, part in value.items()]}
        if kind is Ticket:
            return {"Ticket": [getattr(value, name) for name in Ticket.__slots__]}
        if kind.__name__ in RECORDS:
            return {kind.__name__: [self.put(part) for part in value]}
        raise TypeError(f"a snapshot cannot hold {value!r}: add its type to RECORDS")

    def get(self, packed: Any) -> Any:
        if type(packed) is not dict:
            return packed
        ((kind, inside),) = packed.items()
        if kind == "same":
            return self.made[inside]
        number = len(self.made)
        self.made.append(None)
        self.made[number] = made = self.make(kind, inside)
        return made

    def make(self, kind: str, inside: Any) -> Any:
        if kind in ("array", "numbers", "long"):
            dtype, shape, start, size = inside
            values = np.frombuffer(self.source[start : start + size], dtype).reshape(shape)
            if kind == "array":
                return values.copy()
            return array(dtype, values.tobytes()) if kind == "numbers" else values.tolist()
        if kind == "dict":
            return {self.get(key): self.get(part) for key, part in inside}
        if kind == "Ticket":
            ticket = Ticket(0, 0, 0)
            for name, part in zip(Ticket.__slots__, inside, strict=True):
                setattr(ticket, name, part)
            return ticket
        parts = [self.get(part) for part in inside]
        if kind in RECORDS:
            return RECORDS[kind](*parts)
        return {"list": list, "tuple": tuple, "set": set, "deque": deque}[kind](parts)
