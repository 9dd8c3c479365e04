"""Goals and results of several numbers as text: on the command line, and in the output of a command."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ...check import DECIMAL, decimal
from . import RECORDS
from .goal import SENSES, Goal, Mean
from .limits import Best

WRITTEN = "max, min, top:5, quantile:0.95 or best:NAME"
LINE = re.compile(rf"^\s*([A-Za-z_][\w. -]*?)\s*[=:]\s*({DECIMAL.pattern})\s*,?\s*$")


def read_goal(text: str, limits: Sequence[str] = (), smaller: bool = False) -> Goal:
    """The goal for text such as ``top:5`` or ``quantile:0.95:min``; ``smaller`` is the default direction.

    >>> read_goal("best:profit", ["latency <= 200"])
    Best('profit', 'max', latency='<= 200')
    """
    kind, *rest = text.split(":")
    sense = rest.pop() if rest and rest[-1] in SENSES else "min" if smaller else "max"
    if limits and kind != "best":
        raise ValueError(f"--limit is for the best that keeps limits, and --goal is {text}: write --goal best:NAME")
    if kind in SENSES and not rest and not (kind == "max" and smaller):
        return Mean(kind)
    if kind == "best" and rest:
        return Best(":".join(rest), sense, **dict(map(read_limit, limits)))
    record = {name.lower(): record for name, record in RECORDS.items()}.get(kind)
    if record is not None and len(rest) == 1:
        number = read_number(text, rest[0])
        goal: Goal = record(number, sense) if "sense" in record._fields else record(number)
        return goal
    raise ValueError(f"--goal is {text!r}: write {WRITTEN}")


def read_number(text: str, number: str) -> float:
    found = decimal(number)
    if found is None:
        raise ValueError(f"--goal is {text!r}, and {number!r} is not a number: write {WRITTEN}")
    return found


def read_limit(text: str) -> tuple[str, str]:
    """Name and limit of ``latency <= 200``."""
    match = re.fullmatch(r"\s*(.*?)\s*([<>]=?.*)", text)
    if match is None or not match.group(1):
        raise ValueError(f"--limit is {text!r}: write a name and a limit, such as 'latency <= 200'")
    return match.group(1), match.group(2)


def read_numbers(text: str) -> dict[str, Any] | None:
    """The numbers by name in a text: a JSON object in the last line, or lines such as ``latency = 140``.

    >>> read_numbers("done\\nprofit=3.5, latency: 140\\n")
    {'profit': 3.5, 'latency': 140.0}
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and lines[-1].startswith("{"):
        try:
            found = json.loads(lines[-1])
        except json.JSONDecodeError:
            return None
        return found if isinstance(found, dict) else None
    parts = [LINE.match(part) for line in lines for part in re.split(r"[,;]\s*", line)]
    return {match.group(1): float(match.group(2)) for match in parts if match} or None
