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
from typing import Any

from .._files import package_digest
from .ledger import Ledger
from .log import EventLog
from .settings import Settings

LEAST = 8_192  # events between two snapshots
SHARE = 5  # bits: about 1/16 to 1/32 of all events
GIVEN = {"goal", "settings", "seeds", "failures", "chooser", "algorithm", "has_worked"}  # made anew, or known otherwise
OURS = {
    "ledger": ("Item", "Ticket"),
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


class Plain(pickle.Unpickler):
    """Reads no object of any other type."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in ALLOWED:
            raise pickle.UnpicklingError(f"a snapshot has a {module}.{name}")
        return super().find_class(module, name)


def step(position: int, ledger: Ledger) -> int:
    """A snapshot is kept at every multiple of this: the more there is to keep, the rarer."""
    return max(LEAST, len(ledger.names), 1 << max(position.bit_length() - SHARE, 0))


def dump(ledger: Ledger, position: int, checksum: int) -> bytes:
    """The state after the event at ``position``."""
    both = state_of(ledger, ledger), state_of(ledger.failures, ledger.failures)
    state = *both, state_of(ledger.chooser, ledger.new_chooser())  # what it computes later is computed again
    text = json.dumps([position, checksum, ledger.settings.saved()]).encode()
    body = len(text).to_bytes(8, "little") + text + pickle.dumps(state, protocol=5)
    return zlib.crc32(body).to_bytes(4, "little") + body


def state_of(mine: Any, new: Any) -> dict[str, Any]:
    """The attributes of ``mine`` that a ``new`` one has too."""
    return {name: getattr(mine, name) for name in vars(new) if name not in GIVEN}


def load(log: EventLog) -> tuple[Ledger, int, int] | None:
    """The state in the snapshot of a log, its position and checksum, if it is intact and of this log."""
    data = log.snapshot(code())
    if not isinstance(data, bytes) or len(data) < 12 or int.from_bytes(data[:4], "little") != zlib.crc32(data[4:]):
        return None
    start = 12 + int.from_bytes(data[4:12], "little")
    position, checksum, saved = json.loads(data[12:start])
    last = log.since(position - 1, 1)
    if not last or last[0][2:10] != f"{checksum:08x}":
        return None
    try:
        of_ledger, of_failures, of_chooser = Plain(io.BytesIO(data[start:])).load()
    except Exception:  # of another numpy, or forged
        return None
    ledger = Ledger(Settings.read(saved))
    if not (restored(ledger, of_ledger) and restored(ledger.failures, of_failures)):
        return None
    ledger.chooser = ledger.new_chooser()
    if not restored(ledger.chooser, of_chooser):
        return None
    ledger.chooser.ready = False
    return ledger, position, checksum


def restored(new: Any, state: dict[str, Any]) -> bool:
    """Whether it is a state of such an object, which then has it."""
    fits = state.keys() == vars(new).keys() - GIVEN
    if fits:
        vars(new).update(state)
    return fits


def code() -> str:
    """What makes them: the version says it alone where there are no sources."""
    from .. import __version__

    return f"{__version__} {package_digest()}"
