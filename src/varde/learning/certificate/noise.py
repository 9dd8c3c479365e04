"""What may be wrong with the mean of one backup, r + gamma V(s'): noise, outcomes never seen, actions never tried.

With n samples and squared deviations SS the variance of one sample is (2 local + SS)/(2 + n - 1): the local noise has
the weight of two samples.  It is the variance of all backups seen in the state, whatever the action, since an action
may yet lead where the others led; it is itself shrunk towards the average of all noisy pairs, which has the weight of
five.

There may be an outcome that was never seen.  If the n-th sample shows a new one with a chance of theta/(n + theta) (the
Chinese restaurant process), n samples have k outcomes with k - 1 = theta H(n) on average, H = 1 + ... + 1/(n - 1), and
what was never seen has a share x of E x^2 = theta (theta + 1)/((n + theta)(n + 1 + theta)).  So with a chance of
theta (theta + 1)/2 the error has another 2 local/(n (n + 1)).  theta is judged by the pairs of the family, the states
that the same pair leads to, with an exponential prior around that of the world: (1 + sum (k - 1))/(1/world + sum H).
In the world each family counts once, and theta is at least 1/20: however many rooms behind one door are deterministic,
and however many doors there are, three equal outcomes are not certain to be followed by a fourth.

Actions never tried are taken to be like the tried ones of their state, their values as far apart as its backups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...rows import added
from .model import Model, Solved

OWN, SHARED = 2.0, 5.0  # samples that the local noise counts for, and in it the average of the whole world
NEVER = 0.5  # samples that a pair counts for of a state that was never acted in
LEAST = 0.05  # the least theta, in a world in which everything seems to be deterministic
EULER = 0.5772


class Noise(NamedTuple):
    """Of the mean backup of each pair, [P]."""

    variances: np.ndarray  # by the outcomes seen
    unseen: np.ndarray  # the chance that there is another outcome
    jumps: np.ndarray  # the variance that this adds
    shifts: np.ndarray  # what an action never tried is expected to be above its value in the model; 0 for others

    @property
    def total(self) -> np.ndarray:
        return self.variances + self.unseen * self.jumps

    def after(self, factor: float) -> Noise:
        """With so many times as much data; nothing untried is left."""
        never = self.shifts != 0.0
        variances = np.where(never, 0.0, self.variances / factor)
        return Noise(variances, self.unseen / factor, self.jumps / factor, np.zeros_like(self.shifts))


def errors(solved: Solved) -> Noise:
    model, worth = solved.model, solved.worth
    n, owners, size = model.tried.astype(float), model.owners, model.states.size
    pairs = np.repeat(np.arange(n.size), np.diff(model.rows))
    squares = model.squares + added(model.counts * (solved.backups - worth[pairs]) ** 2, model.rows)
    known, nothing = n > 0, np.zeros(n.size)
    if not known.any():
        return Noise(nothing, nothing, nothing, nothing)
    range_, top = np.ptp(worth[known]), np.abs(worth[known]).max()
    rounding = 1e-14 * range_**2 + (1e-11 * top) ** 2
    noisy, free = known & (squares > rounding * n), np.maximum(n - 1.0, 0.0)
    average = float(squares[noisy].sum() / max(free[noisy].sum(), 1.0))
    average = max(average, float(worth[known].var()) / (n.sum() + 1.0))  # one outcome not seen yet
    visits = np.bincount(owners, n, size)
    center = (np.bincount(owners, n * worth, size) / np.maximum(visits, 1.0))[owners]
    about = np.bincount(owners, squares + n * (worth - center) ** 2, size)
    local = ((SHARED * average + about) / (SHARED + np.maximum(visits - 1.0, 0.0)))[owners]
    same, samples = known & (np.diff(model.rows) == 1) & ~noisy, np.where(known, n, NEVER)
    variances = np.where(same, 0.0, (OWN * local + squares) / (OWN + free) / samples)
    jumps = np.where(known, OWN * local / (OWN + free) / samples, 0.0)
    theta = new_outcomes(model, np.where(same, 0, np.maximum(np.diff(model.rows) - 1, 1)) * known)
    unseen = np.minimum(theta * (theta + 1.0) / 2.0, 1.0) * known
    tried = np.maximum(np.bincount(owners, known, size), 1.0)
    mean = (np.bincount(owners, np.where(known, worth, 0.0), size) / tried)[owners]
    shifts = np.where(model.open, mean - worth, 0.0)
    return Noise(np.where(model.open, local, variances), unseen, jumps, shifts)


def new_outcomes(model: Model, more: np.ndarray) -> np.ndarray:
    """[P] theta; ``more``: outcomes of a pair beyond the first, 1 if only its rewards differ."""
    n, family = model.tried, families(model)[model.owners]
    expected = np.where(n > 1, np.log(np.maximum(n - 0.5, 0.5)) + EULER, 0.0)
    seen, found = (np.bincount(family, x, family.max() + 1) for x in (expected, np.where(n > 1, more, 0)))
    rates = found[seen > 0.0] / seen[seen > 0.0]
    world = max((0.5 + rates.sum()) / (1.0 + rates.size), LEAST)
    return np.maximum((1.0 + found) / (1.0 / world + seen), LEAST)[family]


def families(model: Model) -> np.ndarray:
    """[S] a number for the pair that leads to a state most often; a state that none leads to is its own family."""
    size, pairs = model.states.size, np.repeat(np.arange(model.tried.size), np.diff(model.rows))
    parents = np.arange(size) + model.tried.size
    inner = np.flatnonzero((model.to < size) & (model.to != model.owners[pairs]))
    order = inner[np.lexsort((model.counts[inner], model.to[inner]))]  # the most frequent last
    parents[model.to[order]] = pairs[order]
    return np.unique(parents, return_inverse=True)[1]
