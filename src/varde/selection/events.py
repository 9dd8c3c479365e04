"""Events: what happens in a selection, each a line of text; the one door through which anything reaches a log.

A line is a JSON array: a checksum and the fields of an event, without the empty ones at its end.

    ["5f3c0a11","tell",7,2,3,1822110475,0.25,null,1731876543.2,"host/4026531836/1c9e:4242:99"]

The checksum is over the bytes of the rest and the checksum of the line before, so that the last line vouches for all of
them.  Lines are ASCII: whatever a text holds, every file and database takes it.  What cannot be written this way, and
read back equal, is refused before anything is stored: see ``plain``.
"""

from __future__ import annotations

import json
import math
import zlib
from typing import Any, NamedTuple

import numpy as np

from ..check import shown

DEEPEST = 64  # lists and dicts within each other
LONGEST = 2**24  # characters of one event
WIDEST = 2**256  # whole numbers; seeds have up to 128 bits
ENCODE = json.JSONEncoder(allow_nan=False, separators=(",", ":"), check_circular=False).encode
DECODE = json.JSONDecoder().raw_decode  # json.loads takes three times as long


class Event(NamedTuple):
    """One thing that happened, when (``time``) and where (``worker``).

    The other fields of each kind of event::

        settings  data: those of ``Settings``; the first event, followed by options and items
        option    option (its number, from 0), text (its name), value (its cost), data ([the option]; None if it is an
                  object that cannot be kept)
        features  option, data (what it has in common with others, where options resemble each other)
        fit       data (how much they do: hyper-parameters, and the evidence)
        item      option (its number in the fixed test set), replicate (its place in the common order), text (its name),
                  data ([the item], or None); after the options, as many as settings say
        ask       draw, option, replicate, seed, text (why: warm start, rule, again, instead), value (1: to see whether
                  an outage is over)
        tell      draw, option, replicate, seed, value (the result), data (its numbers, where the goal names several)
        batch     draw, option, value (the mean), data (successes and trials, or mean, sem and n)
        fail      draw, option, replicate, seed, text (the reason), data ({"pause": seconds} until the next ask)
        expire    the same: no result came in time
        drop      option, text (its last reason): it is left out from here on, unless a result of it comes
        lost      draw, option: its worker is gone
        budget    value (the total)
        remove    option: it is no longer drawn or recommended
        restore   option: it is drawn and recommended again
        note      text (its name), data ([what was noted])
    """

    kind: str
    draw: int | None = None
    option: int | None = None
    replicate: int | None = None
    seed: int | None = None
    value: float | None = None
    text: str | None = None
    time: float = 0.0
    worker: str = ""
    data: Any = None


def line_of(event: Event, before: int) -> tuple[str, int]:
    """The line of an event after one with the checksum ``before``, and its own checksum."""
    body = ENCODE(event if event.data is not None else event[:-1])
    if len(body) > LONGEST:
        raise ValueError(f"{event.kind} {event.text or ''} has {len(body):,} characters: write at most {LONGEST:,}")
    own = zlib.crc32(body.encode(), before)
    return f'["{own:08x}",{body[1:]}', own


def event_of(line: str, before: int) -> tuple[Event, int]:
    """The event of a line, and its checksum; ValueError if the line is not what was written after ``before``."""
    own = zlib.crc32(b"[" + line[12:].encode(), before)
    if line[:12] != f'["{own:08x}",':
        raise ValueError("differs from what was written")
    return Event(*DECODE(line)[0][1:]), own


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
