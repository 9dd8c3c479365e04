"""The memory a search may use: what the user allows, or what the machine has left."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

from ..check import refuse

UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
WANTED = "how much memory a search may take, such as '500 MB', or a number of bytes, 10 MB or more"
LEAST = 10**7
LEFT = 0.8  # of what the machine has left: the rest is for others
SMALL = 1 << 28  # bytes that are always allowed


def as_bytes(given: Any) -> int:
    """A number of bytes, from a number or from words like "500 MB"."""
    size: Any = given
    if isinstance(given, str):
        match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([A-Za-z]*)\s*", given)
        size = float(match[1]) * UNITS.get(match[2].upper(), 0) if match else 0
    if isinstance(size, bool) or (not isinstance(size, (int, float)) and not hasattr(size, "__index__")):
        refuse("memory", given, WANTED, TypeError)
    if not LEAST <= size < math.inf:
        refuse("memory", given, WANTED)
    return int(size)


def left() -> float:
    """Bytes this process may still use before the machine swaps or kills it; inf if unknown."""
    machine = _number("/proc/meminfo", r"MemAvailable:\s+(\d+) kB") * 1024.0
    group = "/sys/fs/cgroup/memory"
    container = _number(f"{group}.max", r"(\d+)")
    if container < math.inf:
        container -= _number(f"{group}.current", r"(\d+)")
    return max(min(machine, container), 0.0)


def _number(path: str, pattern: str) -> float:
    try:
        match = re.search(pattern, Path(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        match = None
    return float(match[1]) if match else math.inf
