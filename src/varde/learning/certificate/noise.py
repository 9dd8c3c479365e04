"""The noise of one backup, r + gamma V(s'): rewards and successors together, since they may depend on each other.

With n samples and squared deviations SS the estimate is (2 local + SS)/(2 + n - 1): the local noise has the weight of
two samples.  It is the variance of all backups seen in the state, whatever the action, since an action may yet lead
where the others led; it is itself shrunk towards the average of all noisy pairs, which has the weight of five.

A pair that always had the same outcome may be deterministic.  If a share rho of such pairs is not, and the chance of
another outcome could be anything, n equal ones leave rho h/(rho h + 1 - rho), h = 2/(n + 1), of the local noise: nearly
nothing among deterministic pairs, nearly all of it where the others are random.  rho is judged by the other pairs of
the family, the states that the same pair leads to, and by the world as by one pair more.  In that each family counts
once: however many rooms behind one door are deterministic, they say little about the rest.
"""

from __future__ import annotations

import numpy as np

from ...rows import added
from .model import Model, Solved

OWN, SHARED = 2.0, 5.0  # samples that the local noise counts for, and in it the average of the whole world
UNSEEN = 0.5  # samples that a pair counts for which was never tried


def errors(solved: Solved) -> np.ndarray:
    """[P] the variance of the mean backup of each pair."""
    model, worth = solved.model, solved.worth
    n, owners, size = model.tried.astype(float), model.owners, model.states.size
    pairs = np.repeat(np.arange(n.size), np.diff(model.rows))
    squares = model.squares + added(model.counts * (solved.backups - worth[pairs]) ** 2, model.rows)
    known = n > 0
    if not known.any():
        return np.zeros(n.size)
    range_, top = np.ptp(worth[known]), np.abs(worth[known]).max()
    rounding = 1e-14 * range_**2 + (1e-11 * top) ** 2
    noisy, free = known & (squares > rounding * n), np.maximum(n - 1.0, 0.0)
    average = float(squares[noisy].sum() / max(free[noisy].sum(), 1.0))
    average = max(average, float(worth[known].var()) / (n.sum() + 1.0))  # one outcome not seen yet
    visits = np.bincount(owners, n, size)
    center = (np.bincount(owners, n * worth, size) / np.maximum(visits, 1.0))[owners]
    about = np.bincount(owners, squares + n * (worth - center) ** 2, size)
    local = ((SHARED * average + about) / (SHARED + np.maximum(visits - 1.0, 0.0)))[owners]
    same = known & (np.diff(model.rows) == 1) & ~noisy
    rho = random_share(solved.model, same)
    h = rho * 2.0 / (n + 1.0)
    local *= np.where(same, h / (h + 1.0 - rho), 1.0)
    return (OWN * local + squares) / (OWN + free) / np.where(known, n, UNSEEN)


def random_share(model: Model, same: np.ndarray) -> np.ndarray:
    """[P] how likely a pair is not deterministic, by the others of its family; ``same``: had equal outcomes."""
    judged = model.tried >= 2
    random = judged & ~same
    family = families(model)[model.owners]
    seen, found = (np.bincount(family, which, family.max() + 1) for which in (judged, random))
    world = (0.5 + (found / np.maximum(seen, 1.0)).sum()) / (1.0 + np.count_nonzero(seen))
    return (world + found[family] - random) / (1.0 + seen[family] - judged)


def families(model: Model) -> np.ndarray:
    """[S] a number for the pair that leads to a state most often; a state that none leads to is its own family."""
    size, pairs = model.states.size, np.repeat(np.arange(model.tried.size), np.diff(model.rows))
    parents = np.arange(size) + model.tried.size
    inner = np.flatnonzero((model.to < size) & (model.to != model.owners[pairs]))
    order = inner[np.lexsort((model.counts[inner], model.to[inner]))]  # the most frequent last
    parents[model.to[order]] = pairs[order]
    return np.unique(parents, return_inverse=True)[1]
