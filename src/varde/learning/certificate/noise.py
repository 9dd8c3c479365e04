"""The noise of one backup, r + gamma V(s'): rewards and successors together, since they may depend on each other.

With n samples and squared deviations SS the estimate is (2 local + SS)/(2 + n - 1): the local noise has the weight of
two samples.  It is the variance of all backups seen in the state, whatever the action, since an action may yet lead
where the others led; it is itself shrunk towards the average of all noisy pairs, which has the weight of five.

A pair that always had the same outcome may be deterministic.  If a share rho of the pairs tried twice or more is not,
and the chance of another outcome could be anything, n equal ones leave rho h/(rho h + 1 - rho), h = 2/(n + 1), of the
local noise: nearly nothing in a deterministic world, nearly all of it where the others are random.
"""

from __future__ import annotations

import numpy as np

from ...rows import added
from .model import Solved

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
    judged = n >= 2.0
    rho = ((judged & ~same).sum() + 0.5) / (judged.sum() + 1.0)
    h = rho * 2.0 / (n + 1.0)
    local *= np.where(same, h / (h + 1.0 - rho), 1.0)
    return (OWN * local + squares) / (OWN + free) / np.where(known, n, UNSEEN)
