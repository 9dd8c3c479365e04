"""Events: what happens in a selection, a record for each kind, and the one door through which anything reaches a log.

A line is a JSON array: a checksum, the kind, and the fields of the record in their order.

    ["5f3c0a11","tell",7,2,0.25,3,1822110475,null,1731876543.2,"host/4026531836/1c9e:4242:99"]

The checksum is over the bytes of the rest and the checksum of the line before, so that the last line vouches for all of
them.  Lines are ASCII: whatever a text holds, every file and database takes it.  What cannot be written this way, and
read back equal, is refused before anything is stored: see ``plain``.
"""

from __future__ import annotations

import json
import math
import zlib
from typing import Any, NamedTuple, get_args

import numpy as np

from ..check import shown

DEEPEST = 64  # lists and dicts within each other
LONGEST = 2**24  # characters of one event
WIDEST = 2**256  # whole numbers; seeds have up to 128 bits
ENCODE = json.JSONEncoder(allow_nan=False, separators=(",", ":"), check_circular=False).encode
DECODE = json.JSONDecoder().raw_decode  # json.loads takes three times as long


class Begin(NamedTuple):
    """The first event, followed by options, their features, and items."""

    settings: dict[str, Any]  # those of ``Settings``
    time: float = 0.0  # when it happened, here and below
    worker: str = ""  # and in which process


class Option(NamedTuple):
    option: int  # its number, from 0
    name: str
    cost: float
    kept: list[Any] | None = None  # [the option]; None: an object that cannot be kept
    time: float = 0.0
    worker: str = ""


class Features(NamedTuple):
    """What an option has in common with others, where options resemble each other."""

    option: int
    row: Any
    time: float = 0.0
    worker: str = ""


class Fit(NamedTuple):
    """How much they do: hyper-parameters, and the evidence."""

    found: dict[str, Any]
    time: float = 0.0
    worker: str = ""


class Item(NamedTuple):
    """An item of the fixed test set; after the options, as many as the settings say."""

    item: int  # its number among those given
    replicate: int  # its place in the order in which every option sees them
    name: str
    kept: list[Any] | None = None  # [the item]; None: an object that cannot be kept
    time: float = 0.0
    worker: str = ""


class Ask(NamedTuple):
    draw: int
    option: int
    replicate: int
    seed: int
    why: str  # warm start, rule, again, instead
    probe: bool  # whether it is to see if an outage is over
    time: float = 0.0
    worker: str = ""


class Tell(NamedTuple):
    draw: int
    option: int
    value: float
    replicate: int | None = None  # None: it was not asked for
    seed: int | None = None
    data: dict[str, Any] | None = None  # its numbers, where the goal names several; what a batch is made of
    time: float = 0.0
    worker: str = ""


class Batch(Tell):
    """Many results without their values: ``value`` is their mean."""

    __slots__ = ()


class Fail(NamedTuple):
    draw: int
    option: int
    reason: str
    replicate: int | None = None
    seed: int | None = None
    pause: float | None = None  # seconds until the next ask
    wait: float | None = None  # seconds to wait that were asked for
    time: float = 0.0
    worker: str = ""


class Expire(Fail):
    """No result came in time."""

    __slots__ = ()


class Drop(NamedTuple):
    """An option is left out from here on, unless a result of it comes."""

    option: int
    reason: str  # the last
    time: float = 0.0
    worker: str = ""


class Lost(NamedTuple):
    """The worker of a draw is gone, or has given it back."""

    draw: int
    option: int
    time: float = 0.0
    worker: str = ""


class Budget(NamedTuple):
    total: float
    time: float = 0.0
    worker: str = ""


class Remove(NamedTuple):
    """An option is no longer drawn or recommended."""

    option: int
    time: float = 0.0
    worker: str = ""


class Restore(NamedTuple):
    """It is drawn and recommended again."""

    option: int
    time: float = 0.0
    worker: str = ""


class Note(NamedTuple):
    name: str
    value: Any
    time: float = 0.0
    worker: str = ""


class Snapshot(NamedTuple):
    """The state after all events before this one was kept beside the log."""

    digest: str  # of its bytes
    code: str  # the version that made it
    time: float = 0.0
    worker: str = ""


Plan = Begin | Option | Features | Fit | Item | Budget | Remove | Restore | Note | Snapshot
Event = Plan | Ask | Tell | Batch | Fail | Expire | Drop | Lost
KINDS: dict[str, Any] = {each.__name__.lower(): each for each in get_args(Event)}
KIND = {each: name for name, each in KINDS.items()}


def place_of(kind: type[Any], field: str) -> int:
    """Where a line has this field of a kind."""
    place: int = kind._fields.index(field)
    return place + 2


def line_of(event: Event, before: int, worker: str = "") -> tuple[str, int]:
    """The line of an event after one with the checksum ``before``, and its own checksum.

    It happened in the process ``worker``, unless it names another.
    """
    kind = KIND[type(event)]
    body = ENCODE((kind, *event[:-1], event[-1] or worker))
    if len(body) > LONGEST:
        name = getattr(event, "name", "")
        raise ValueError(f"{kind} {name} has {len(body):,} characters: write at most {LONGEST:,}")
    own = zlib.crc32(body.encode(), before)
    return f'["{own:08x}",{body[1:]}', own


def read(line: str) -> Event:
    """The event of a line that is known to be whole."""
    _, kind, *fields = DECODE(line)[0]
    event: Event = KINDS[kind](*fields)
    return event


def event_of(line: str, before: int) -> tuple[Event, int]:
    """The event of a line, and its checksum; ValueError if the line is not what was written after ``before``."""
    own = zlib.crc32(b"[" + line[12:].encode(), before)
    if line[:12] != f'["{own:08x}",':
        raise ValueError("differs from what was written")
    return read(line), own


# -- plain types -----------------------------------------------------------------------------------


class LimitError(ValueError):
    """Plain types, but too deep, too long, or a number too large."""


def plain(what: str, given: Any, exact: bool = False, depth: int = 0) -> Any:
    """``given`` in types that every store gives back equal, or an error that says what cannot be kept.

    None, truth values, finite numbers, text, and lists and dicts of these.  Numbers of numpy become plain numbers;
    tuples become lists and keys plain text, unless it has to be ``exact``.
    """
    if isinstance(given, np.generic) and not isinstance(given, np.void):
        given = given.item()
    kind = type(given)
    if given is None or kind is str or kind is bool:
        return given
    if kind is int and abs(given) < WIDEST:
        return given
    if kind is float and math.isfinite(given):
        return given
    if kind in (list, tuple, dict) and depth >= DEEPEST:
        raise LimitError(f"{what} has more than {DEEPEST} lists or dicts within each other: write fewer")
    if kind is list or (kind is tuple and not exact):
        return [plain(what, part, exact, depth + 1) for part in given]
    if kind is dict:
        for key in given:
            if not isinstance(key, str) or (exact and type(key) is not str):
                raise TypeError(f"{what} has the key {shown(key)}: write text, as in {{{str(key)!r}: ...}}")
        return {exactly(key): plain(what, part, exact, depth + 1) for key, part in given.items()}
    if kind is int:
        raise LimitError(f"{what} has {shown(given)}: write a number below {float(WIDEST):.0e} in size")
    if kind is float:
        raise ValueError(f"{what} has {shown(given)}: write a finite number")
    raise TypeError(f"{what} has {shown(given)}, a {kind.__name__}: write numbers, text, lists and dicts")


def kept(what: str, given: Any) -> list[Any] | None:
    """[``given`` in plain types]; None if it is an object that would not come back equal and of the same kind."""
    try:
        found = [plain(what, given, exact=True)]
    except LimitError:
        raise
    except (TypeError, ValueError):
        return None
    if (long := len(ENCODE(found))) > LONGEST // 2:
        raise LimitError(f"{what} has {long:,} characters as JSON: write at most {LONGEST // 2:,}")
    return found


def is_kept(given: Any) -> bool:
    """Whether this is what ``kept`` returns."""
    return given is None or (type(given) is list and len(given) == 1)


def exactly(text: str) -> str:
    """A text of the type str itself: a subclass may print otherwise."""
    return text if type(text) is str else str.__str__(text)


def check_writable(what: str, text: str) -> None:
    """Refuse a text that no database prints."""
    if "\0" in text or (not text.isascii() and text.encode(errors="ignore") != text.encode(errors="replace")):
        raise ValueError(f"{what} {text!r} has a character that no database takes: write another")


def printable(text: str, most: int = 10_000) -> str:
    """A text that every database prints: the reason of a failure may hold anything."""
    return exactly(text)[:most].replace("\0", "␀").encode(errors="replace").decode()
