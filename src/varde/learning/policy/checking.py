"""Whether the columns of a policy fit together, and what its episodes pay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .policy import Policy

LONGEST, MOST = 20_000_000, 10_000  # outcomes times steps, and steps: what an episode pays is not computed beyond that
LOOK = 256  # steps until it is asked whether episodes end at all
RARE = 1e-4  # of the episodes, still running: what they pay then is left out


def check(policy: Policy) -> None:
    """Whether all columns fit together."""
    seen, size = policy.seen, len(policy.states)
    widths = [len(names) for names in policy.legal]
    fits = (
        len(policy.index) == size == len(widths) == policy.choices.size == seen.starts.size
        and seen.first.tolist() == np.concatenate([[0], np.cumsum(widths, dtype=np.int64)]).tolist()
        and seen.rows.size == seen.first[-1] + 1
        and seen.squares.size == seen.first[-1]
        and seen.to.size == seen.counts.size == seen.means.size == seen.rows[-1]
        and bool((np.diff(seen.rows) >= 0).all() and (seen.counts > 0).all())
        and bool(((seen.to >= -1) & (seen.to < size)).all())
        and bool(((policy.choices >= 0) & (policy.choices < widths)).all())
        and bool(np.isfinite(seen.means).all() and np.isfinite(seen.squares).all())
    )
    if not fits:
        problem = "its columns do not fit together"
        raise ValueError(problem)


def undiscounted(policy: Policy) -> float:
    """Follow the policy in the model of the data until nearly all episodes are over, and add up what they pay."""
    seen, size = policy.seen, len(policy)
    taken = seen.first[:-1] + policy.choices
    pairs = seen.pairs
    outcomes = np.flatnonzero(np.isin(pairs, taken))
    owners = seen.owners[pairs[outcomes]]
    shares = seen.counts[outcomes] / seen.tried[taken][owners]
    paid = np.bincount(owners, shares * seen.means[outcomes], size)
    to = np.where(seen.to[outcomes] < 0, size, seen.to[outcomes])
    mass, total, left = policy.certified.starts.copy(), 0.0, 1.0
    for step in range(1, min(MOST, LONGEST // max(outcomes.size, size)) + 1):
        total += float(mass @ paid)
        mass = np.bincount(to, shares * mass[owners], size + 1)[:size]
        if mass.sum() < RARE:
            return total
        if step % max(size, LOOK) == 0:  # longer than any path: from now on episodes end at the same rate
            before, left = left, float(mass.sum())
            if (left / before) ** (MOST / max(size, LOOK)) > RARE:
                break
    return float("nan")
