"""``key=8``: continuous observations as discrete states.

Every continuous part of an observation is cut into bins of equal width between the 1 % and the 99 % quantile of random
play, so that neither units nor bounds matter: those of an environment are often infinite, or far from what is ever
seen.  The outermost bins are open.  Integer parts stay as they are.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ..check import shown, whole
from .spaces import hashable

USUAL = (0.01, 0.99)  # the quantiles between which bins lie
MOST_BINS = 10_000
Bins = int | Sequence[Any] | Callable[[Any], Hashable]
WANTED = (
    "a number of bins, a list with a number, a list of edges or None (to leave it out) for every continuous part of "
    "the observation, or a function that gives it a name"
)


class Binned:
    """Names observations: the bins of their continuous parts, in order, and the other parts as they are."""

    def __init__(self, bins: int | Sequence[Any]):
        self.bins = bins
        self.edges: list[list[float] | None] = []

    @property
    def fitted(self) -> bool:
        return bool(self.edges)

    def fit(self, seen: Sequence[Any]) -> None:
        """Set the edges, given observations of random play."""
        parts = np.array([_parts(one)[0] for one in seen], float)
        if not parts.size:
            raise ValueError(f"key is {shown(self.bins)}, but no part of the observation is continuous: leave it out")
        if not np.isfinite(parts).all():
            raise ValueError("the observation is not always finite: write key=function, which gives it a name")
        many, given = parts.shape[1], self.bins
        wanted = list(given) if isinstance(given, Sequence) else [given] * many
        if len(wanted) != many:
            raise ValueError(f"key has {len(wanted)} entries, and {many} continuous parts are seen: {WANTED}")
        self.edges = [_edges(bins, column) for bins, column in zip(wanted, parts.T, strict=True)]

    def __call__(self, seen: Any) -> Hashable:
        numbers, others = _parts(seen)
        name = [bisect.bisect(edges, x) for x, edges in zip(numbers, self.edges, strict=True) if edges is not None]
        return (*name, *others) if others else tuple(name)


def binned(edges: list[list[float] | None]) -> Binned:
    """Bins with known edges, as stored in a file."""
    found = Binned(edges)
    found.edges = edges
    return found


def discretised(given: Any) -> Binned | Callable[[Any], Hashable]:
    """The meaning of ``key=``, checked as far as possible before anything was observed."""
    if callable(given):
        return given
    if isinstance(given, (str, bytes)):
        raise TypeError(f"key is {shown(given)}: write {WANTED}")
    if not isinstance(given, (Sequence, np.ndarray)):
        return Binned(whole("key", given, WANTED, 1, MOST_BINS))
    entries = [entry.tolist() if isinstance(entry, np.ndarray) else entry for entry in given]
    for entry in entries:
        if entry is not None and not isinstance(entry, (list, tuple)):
            whole("an entry of key", entry, WANTED, 1, MOST_BINS)
        elif entry and not all(np.isfinite(float(edge)) for edge in entry):
            raise ValueError(f"key has the edges {shown(entry)}: write finite numbers, the outer bins are open")
    return Binned(entries)


def _edges(bins: Any, column: np.ndarray) -> list[float] | None:
    """The inner edges of the bins of one part, ascending; None if it is left out."""
    if bins is None:
        return None
    if isinstance(bins, (list, tuple)):
        return sorted(float(edge) for edge in bins)
    low, high = np.quantile(column, USUAL)
    return np.linspace(low, high, int(bins) + 1)[1:-1].tolist() if high > low else []


def _parts(seen: Any) -> tuple[list[float], list[Hashable]]:
    """The continuous parts of an observation, and the others; dictionaries in the order of their names."""
    if isinstance(seen, np.ndarray) and seen.dtype.kind == "f":
        return seen.ravel().tolist(), []
    if isinstance(seen, (float, np.floating)):
        return [float(seen)], []
    if isinstance(seen, dict):
        seen = [seen[name] for name in sorted(seen, key=str)]
    if not isinstance(seen, (tuple, list)):
        return [], [hashable(seen)]
    found = [_parts(part) for part in seen]
    return [x for numbers, _ in found for x in numbers], [name for _, others in found for name in others]


def is_continuous(space: Any) -> bool:
    """Whether an observation space has a continuous part."""
    parts = getattr(space, "spaces", None)
    if parts is not None:
        return any(map(is_continuous, parts.values() if isinstance(parts, dict) else parts))
    return type(space).__name__ == "Box" and space.dtype.kind == "f"
