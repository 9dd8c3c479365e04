"""Without a discount every episode must end; warns if one does not."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping

import numpy as np

from ..rows import END, Rows
from .policy import Policy


def refuse_endless(seen: Rows, policy: Policy, numbers: Mapping[Hashable, int]) -> None:
    """Refuse a discount of 1 if no episode has ended."""
    if not (seen.to == END).any():
        raise ValueError(
            "discount is 1, and no episode has ended yet: write a discount below 1, horizon=, or give it more steps"
        )
    choices = np.zeros(seen.starts.size, np.int64)
    choices[[numbers[name] for name in policy.states]] = policy.choices
    acting = np.flatnonzero(np.diff(seen.first) > 0)
    taken = np.zeros(seen.rows.size - 1, bool)
    taken[seen.first[acting] + choices[acting]] = True
    rows = taken[seen.pairs]
    source, to = seen.owners[seen.pairs[rows]], seen.to[rows]
    ends = np.zeros(seen.starts.size + 1, bool)
    ends[END] = True
    while True:
        more = np.zeros_like(ends)
        more[source[ends[to]]] = True
        if not (more & ~ends).any():
            break
        ends |= more
    endless = [name for name in policy.states if not ends[numbers[name]]]
    if endless:
        others = (
            f" and {len(endless) - 1} other states" if len(endless) > 2 else " and another state" * len(endless[1:])
        )
        warnings.warn(
            f"discount is 1, and from {endless[0]!r:.50}{others} no episode ends under this policy as far as was seen: "
            "such values mean nothing. Give it more steps, a discount below 1, or horizon=",
            stacklevel=5,
        )
