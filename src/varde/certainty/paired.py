"""Common random numbers and fixed test sets: results that share a replicate are compared on it.

    x = mu_i + c_r + e,      c_r ~ (0, tau2) common to all options in replicate r,      e ~ (0, s2_i)

An easy case is easy for every option.  ``split`` estimates tau2 and s2 (EM); given those, the means have precision P:

    w_i = 1/s2_i,   I_r = 1/tau2 + sum_{i in r} w_i,   P = sum_r (diag(w_r) - w_r w_r' / I_r),   mu = P^-1 h

C = P^-1 is the covariance of the means.  What all have in common cancels in every difference:

    a = min over j != b of C_bj,      error variance of option i = max(C_ii - a, s2_i / N_i)

Items of a fixed set of n are drawn without replacement, and what counts is the mean over the whole set.  Its best
estimate is mu as well: after all items mu would be that mean exactly, with covariance (diag(s2) + tau2)/n, and the
remaining change of an efficient estimate is uncorrelated with its final value.  So the remaining error is C minus that:
s2_i/n less in every error variance, and 0 for an option judged on all items.

Of the N_i - 1 degrees of freedom of an option, sum_r w_i / I_r went into the common parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..beliefs.means import relevance
from ..beliefs.noise import PRIOR
from ..beliefs.samples import Ragged, Sample

ROUNDS = 40  # of EM, at most
ENOUGH = 1e-4  # relative change of tau2 and s2 below which it has converged
SHARED = 5  # least number of replicates with two or more options for a common part,
PARTNERS = 8  # and of results in them beyond the first of each: five pairs of two options are too few
MOST = 256  # options whose covariance is computed; C is [K, K]
LEAST = 1e-6, 1e-9  # of s2 and tau2, as shares of the whole variance


class Split(NamedTuple):
    """The components of the variance of results."""

    common: float  # tau2
    noise: np.ndarray  # [K] s2


class Paired(NamedTuple):
    """The means and their errors from paired results, for comparisons."""

    means: np.ndarray  # [K] anything without results
    errors: np.ndarray  # [K] variances of the means, without the common part
    freedom: np.ndarray  # [K] degrees of freedom left for the noise; below 0 without results
    split: Split

    @property
    def sample(self) -> Sample:
        """An equivalent sample of independent results, with the same errors."""
        noise = self.split.noise
        counts = np.where(self.freedom >= 0.0, self.freedom + 1.0, 0.0)
        return Sample(counts, self.means, noise * (counts - 1.0), left=self.errors * counts / noise)


def pair(
    sample: Sample, values: Ragged | Sequence[np.ndarray], replicates: Sequence[np.ndarray], items: int = 0
) -> Paired | None:
    """Means and errors from pairs; None if too few replicates are shared, or no value differs from its mean.

    ``replicates`` [K] are those of the raw ``values``, ``items`` the size of the fixed set that they are drawn from, 0
    if there is none.  Options that are clearly worse than the leader do not affect the noise of the others.

    >>> from varde.certainty import from_values
    >>> rng = np.random.default_rng(1)
    >>> easy = rng.normal(size=40)
    >>> values = [easy + 0.1 * rng.normal(size=40), easy + 0.3 + 0.1 * rng.normal(size=40)]
    >>> found = pair(from_values(values), values, [np.arange(40)] * 2)
    >>> round(found.split.common, 2), (found.errors * 40).round(3)
    (0.88, array([0.007, 0.006]))
    """
    values = Ragged.of(values)
    counts, owner, origin = sample.counts, values.owners, float(sample.means[sample.leader])
    size, flat = counts.size, values.flat - origin  # a large shift must not cost digits
    names, row = np.unique(np.concatenate([np.asarray(r, np.int64) for r in replicates]), return_inverse=True)
    found = split(flat, owner, row, size, relevance(sample._replace(left=None)))
    if found is None:
        return None
    many, weights = np.maximum(counts, 1), 1.0 / found.noise
    raw = np.bincount(owner, flat, size) / many
    promise = np.where(counts > 0, raw + 2.0 * np.sqrt((found.noise + found.common) / many), -np.inf)
    kept = np.sort(np.argsort(-promise, kind="stable")[: min(MOST, int(np.count_nonzero(counts)))])
    place = np.full(size, -1)
    place[kept] = np.arange(kept.size)
    together = place[owner] >= 0
    at, who, x = row[together], place[owner[together]], flat[together]
    seen = np.zeros((names.size, kept.size))
    np.add.at(seen, (at, who), weights[kept][who])
    info = 1.0 / found.common + seen.sum(axis=1)
    covariance = np.linalg.inv(precision(seen, info))
    pull = np.bincount(at, weights[kept][who] * x, names.size) / info
    means = covariance @ (weights[kept] * np.bincount(who, x - pull[at], kept.size))
    # Options beyond the most promising ones are compared with what those say about each replicate.
    effect = np.bincount(at, weights[kept][who] * (x - means[who]), names.size) / info
    every = np.bincount(owner, flat - effect[row], size) / many
    errors = (found.noise + np.bincount(owner, 1.0 / info[row], size) / many) / many
    best = int(np.argmax(means))
    shared = float(np.delete(covariance[best], best).min(initial=np.inf)) if kept.size > 1 else 0.0
    every[kept] = means
    errors[kept] = np.diagonal(covariance) - max(shared, 0.0)
    errors = np.maximum(errors, found.noise / many)
    every += origin
    if items:
        whole = counts >= items
        every = np.where(whole, sample.means, every)  # the same but for rounding
        errors = np.where(whole, 0.0, np.maximum(errors - found.noise / items, 0.0))
    spent = weights * np.bincount(owner, 1.0 / info[row], size)  # on the common parts
    freedom = np.where(counts > 0, np.maximum(counts - 1.0 - spent, 0.0), -1.0)
    return Paired(every, errors, freedom, found)


def split(
    values: np.ndarray,
    owner: np.ndarray,
    row: np.ndarray,
    size: int,
    relevant: np.ndarray | float = 1.0,
    rounds: int = ROUNDS,
) -> Split | None:
    """tau2 and s2 of results of option ``owner`` in replicate ``row``, both numbered from 0; None as in ``pair``.

    The pooled variance is weighted by what is ``relevant`` [K].
    """
    counts = np.bincount(owner, minlength=size)
    rows = int(row.max(initial=-1)) + 1
    partners = np.bincount(row) - 1
    if np.count_nonzero(partners > 0) < SHARED or partners.sum() < PARTNERS:
        return None
    many, free = np.maximum(counts, 1), np.maximum(counts - 1, 0)
    share = np.broadcast_to(relevant, size)
    lent = max(float(free @ share), 1.0)
    means = np.bincount(owner, values, size) / many
    spread = np.bincount(owner, (values - means[owner]) ** 2, size)
    whole = float(spread @ share) / lent
    if not whole > 0.0:
        return None
    common, noise = 0.5 * whole, np.full(size, 0.5 * whole)
    for _ in range(rounds):
        before = common, noise
        weights = (1.0 / noise)[owner]
        doubt = 1.0 / (1.0 / common + np.bincount(row, weights, rows))  # variance of c_r
        effect = np.bincount(row, weights * (values - means[owner]), rows) * doubt
        rest = values - effect[row]
        means = np.bincount(owner, rest, size) / many
        left = np.bincount(owner, (rest - means[owner]) ** 2 + doubt[row], size)
        pooled = float(left @ share) / lent
        noise = np.maximum((left + PRIOR * pooled) / (free + PRIOR), LEAST[0] * whole)
        common = max(float((effect * effect + doubt).mean()), LEAST[1] * whole)
        if abs(common - before[0]) < ENOUGH * common and (np.abs(noise - before[1]) < ENOUGH * noise).all():
            break
    return Split(common, noise)


def precision(seen: np.ndarray, info: np.ndarray) -> np.ndarray:
    """[K, K] P; ``seen`` [R, K] holds w_i where option i has a result in replicate r, ``info`` [R] is I_r."""
    found: np.ndarray = -((seen / info[:, None]).T @ seen)
    np.einsum("ii->i", found)[:] += seen.sum(axis=0)
    return found
