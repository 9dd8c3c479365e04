"""How much memory a search may use."""

from __future__ import annotations

import math
import re
from pathlib import Path


def memory_left() -> float:
    """Bytes this process may still use before the machine swaps or kills it; inf if unknown."""
    machine = number_in("/proc/meminfo", r"MemAvailable:\s+(\d+) kB") * 1024.0
    group = "/sys/fs/cgroup/memory"
    container = number_in(f"{group}.max", r"(\d+)")
    if container < math.inf:
        container -= number_in(f"{group}.current", r"(\d+)")
    return max(min(machine, container), 0.0)


def number_in(path: str, pattern: str) -> float:
    try:
        match = re.search(pattern, Path(path).read_text(encoding="ascii"))
    except (OSError, ValueError):
        match = None
    return float(match[1]) if match else math.inf
