"""Snapshots: the state after so many events, kept beside them, so that a long log is opened without reading all of it.

A snapshot is vouched for by the event that follows those it covers, which holds a digest of all its bytes: one that was
not kept in the log's own chain at that place is not used, and the log is read from its beginning.  Every version of the
code has its own.

It is data: a JSON head that says what is where, and arrays as their bytes.  Lengths and types have to be those that a
ledger and a chooser with so many options have.  What a chooser computes when it is first used is computed again.
"""

from __future__ import annotations

import hashlib
import json
import struct
from array import array
from collections import deque
from typing import Any

import numpy as np

from .._files import package_digest
from ..moments import Moments
from .batches import Counts, Summary
from .failures import Outages, Strikes
from .ledger import Ledger, Ticket
from .settings import Settings

LEAST = 8_192  # events between two snapshots
SHARE = 5  # bits: about 1/16 to 1/32 of all events
ANEW = {  # made anew, or known otherwise
    "ledger": {"goal", "settings", "seeds", "failures", "chooser", "results", "names", "places"},
    "results": {"groups"},
    "failures": {"has_worked"},
    "chooser": {"algorithm", "goal"},
}
RECORDS = {kind.__name__: kind for kind in (Counts, Summary, Outages, Strikes, Moments)}
FEW = 100  # whole numbers that are written one by one
DTYPES = ("<f8", "<i8", "<i4", "|b1")


class Snapshot:
    """Bytes of a state: an array is written once, however many names it has, and one number if all are the same."""

    def __init__(self, options: int) -> None:
        self.options, self.body, self.arrays = options, bytearray(), dict[int, tuple[int, Any]]()

    def head_of(self, value: Any) -> Any:
        """``value`` as JSON has it, where arrays are places in the body."""
        if isinstance(value, np.ndarray | array):
            return self.place_of(value)
        if value is None or isinstance(value, bool | int | float | str):
            return value.item() if isinstance(value, np.generic) else value
        if isinstance(value, Ticket):
            return {"ticket": [getattr(value, name) for name in Ticket.__slots__]}
        if type(value).__name__ in RECORDS:
            return {"record": type(value).__name__, "fields": [*map(self.head_of, value)]}
        if isinstance(value, dict):
            return {"dict": [[self.head_of(key), self.head_of(part)] for key, part in value.items()]}
        for name, kind in (("list", list), ("tuple", tuple), ("set", set), ("deque", deque)):
            if type(value) is kind:
                parts = sorted(value) if kind is set else value
                if len(parts) > FEW and all(type(part) is int for part in parts):
                    return {name: self.place_of(array("q", parts))}
                return {name: [part if type(part) is str else self.head_of(part) for part in parts]}
        raise TypeError(f"a snapshot cannot keep {value!r:.80}, a {type(value).__name__}")

    def place_of(self, value: Any) -> dict[str, Any]:
        kind = value.dtype.str if isinstance(value, np.ndarray) else value.typecode
        shape = list(value.shape) if isinstance(value, np.ndarray) else [len(value)]
        same = shape == [self.options] and bool((np.asarray(value) == value[0]).all())
        if id(value) not in self.arrays:  # the value is kept, so that no other has its id
            self.arrays[id(value)] = len(self.body), value
            self.body += value[:1].tobytes() if same else value.tobytes()
        return {"array": self.arrays[id(value)][0], "type": kind, "shape": shape, "same": same}


class Reading:
    """The other way: nothing is made but plain types, arrays of numbers, and a few records."""

    def __init__(self, options: int, body: memoryview) -> None:
        self.options, self.body, self.arrays = options, body, dict[int, Any]()

    def value_of(self, head: Any) -> Any:
        if not isinstance(head, dict):
            return head
        if "array" in head:
            return self.array_of(head["array"], head["type"], head["shape"], head["same"])
        if "dict" in head:
            return {self.value_of(key): self.value_of(part) for key, part in head["dict"]}
        if "ticket" in head:
            ticket = Ticket(0, 0, 0)
            for name, part in zip(Ticket.__slots__, head["ticket"], strict=True):
                if type(part) is not type(getattr(ticket, name)):
                    raise ValueError("a draw has fields of other types")
                setattr(ticket, name, part)
            return ticket
        if "record" in head:
            return RECORDS[head["record"]](*map(self.value_of, head["fields"]))
        for name, kind in (("list", list), ("tuple", tuple), ("set", set), ("deque", deque)):
            if name in head and isinstance(head[name], dict):
                return kind(self.value_of(head[name]))
            if name in head:
                return kind(part if type(part) is str else self.value_of(part) for part in head[name])
        raise ValueError("a snapshot has something else")

    def array_of(self, place: Any, kind: Any, shape: Any, same: Any) -> Any:
        if type(place) is not int or not all(type(size) is int and size >= 0 for size in shape):
            raise ValueError("a place is none")
        if place in self.arrays and 0 not in shape:
            return self.arrays[place]
        if kind not in ("d", "q", *DTYPES):
            raise ValueError("an array has another type")
        size = np.prod([1, *([1] if same else shape)], dtype=object) * np.dtype(kind).itemsize
        if not 0 <= place <= place + size <= len(self.body):
            raise ValueError("an array is not all there")
        piece = bytes(self.body[place : place + int(size)]) * (self.options if same else 1)
        found: Any = np.frombuffer(piece, kind).reshape(shape).copy() if kind in DTYPES else array(kind, piece)
        if size:
            self.arrays[place] = found
        return found


PREFIX = struct.Struct("<QLQ")  # position, checksum, length of the head


def step(position: int, ledger: Ledger) -> int:
    """A snapshot is kept at every multiple of this: the more there is to keep, the rarer."""
    return max(LEAST, len(ledger.names), 1 << max(position.bit_length() - SHARE, 0))


def dump(ledger: Ledger, settings: Any = None, position: int = 0, checksum: int = 0) -> bytes:
    """The state after the event at ``position``, which has this ``checksum``, of a selection with these settings."""
    kept, parts = Snapshot(len(ledger.names)), {}
    new = Ledger(ledger.settings)
    new.names, new.costs = ledger.names[:2], ledger.costs[:2]
    new.chooser = new.new_chooser()  # which has nothing yet that choosers compute when they are used
    for (name, mine), (_, usual) in zip(parts_of(ledger), parts_of(new), strict=True):
        parts[name] = {key: kept.head_of(getattr(mine, key)) for key in vars(usual) if key not in ANEW[name]}
    head = json.dumps([settings, ledger.names, parts], separators=(",", ":")).encode()
    return PREFIX.pack(position, checksum, len(head)) + head + kept.body


def place_of(data: Any) -> tuple[int, int]:
    """The number of events that a snapshot covers, and the checksum of the last; 0, 0 if it is none."""
    return PREFIX.unpack_from(data)[:2] if isinstance(data, bytes) and len(data) > PREFIX.size else (0, 0)


def parts_of(ledger: Ledger) -> list[tuple[str, Any]]:
    """(name, it) of all that has a state."""
    return [(name, getattr(ledger, name, ledger)) for name in ANEW]


def load(data: bytes, settings: Settings | None = None) -> Ledger:
    """The state; an error of ``record.WRONG`` if it is none.  ``settings``, if it has none."""
    start = PREFIX.size + PREFIX.unpack_from(data)[2]
    saved, names, parts = json.loads(data[PREFIX.size : start])
    ledger, reading = Ledger(settings or Settings.read(saved)), Reading(len(names), memoryview(data)[start:])
    ledger.names = [name for name in names if type(name) is str]
    ledger.costs = reading.value_of(parts["ledger"]["costs"])
    if not len(names) == len(set(ledger.names)) == len(ledger.costs) >= ledger.settings.size:
        raise ValueError("the names of the options are none")
    ledger.chooser = ledger.new_chooser()
    for name, new in parts_of(ledger):
        there = {key: part for key, part in vars(new).items() if key not in ANEW[name]}
        for key, usual in there.items():
            found = reading.value_of(parts[name][key])
            if not is_like(found, usual):
                raise ValueError(f"{key} has another type or length")
            setattr(new, key, found)
    if ledger.names != names or not ledger.is_consistent():
        raise ValueError("it contradicts itself")
    ledger.chooser.ready = False
    return ledger


def is_like(found: Any, usual: Any) -> bool:
    """Whether it may take the place of what is new and usual."""
    if usual is None or found is None:
        return True
    if isinstance(usual, np.ndarray):
        return isinstance(found, np.ndarray) and (found.dtype, found.shape) == (usual.dtype, usual.shape)
    if isinstance(usual, array):
        return isinstance(found, array) and found.typecode == usual.typecode
    if isinstance(usual, int | float) and not isinstance(usual, bool):
        return isinstance(found, int | float) and not isinstance(found, bool)
    if type(found) is not type(usual):
        return False
    if not isinstance(usual, tuple | list) or not usual:
        return True
    parts = any(isinstance(part, np.ndarray | array | tuple) for part in usual)
    return len(found) == len(usual) and (not parts or all(map(is_like, found, usual)))


def digest_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=32).hexdigest()


def code() -> str:
    """What makes them: the version says it alone where there are no sources."""
    from .. import __version__

    return f"{__version__} {package_digest()}"
