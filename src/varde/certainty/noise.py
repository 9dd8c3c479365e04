"""The noise of single results: tails, and variances shrunk towards options with *similar* noise.

With r the relevance, f = N - 1, v = M2 / f, k the excess kurtosis of the residuals, k_i = k r_i:

    d_i = f_i / (1 + k_i / 4)                             effective degrees of freedom
    h_i = max(d_i, .3) / 2,  L_i = log v_i - digamma(h_i) + log h_i,  B_i = trigamma(h_i)
    a_ij = exp(-(L_i - L_j)^2 / (2 (B_i + B_j)))          alike; 1 where i never moved
    a_ij >= exp(-6 N_i / k_i) where L_j > L_i             the chance that no spike has come yet
    D_i = sum_{j != i} a_ij r_j d_j,  at most 5, 2 where N_i < 2;   p_i = their mean variance, weighted like that
    s2_i = (D_i p_i + d_i v_i) / (D_i + d_i),  nu_i = D_i + d_i

If no option with r of .5 or more ever varied, the lead u over the next different mean stands in for one result that
did: s2_i = u^2 / (1 + d_i), nu_i = 1 + d_i; if all are equal the noise is unknown (infinite).
"""

from __future__ import annotations

import math

import numpy as np

from .samples import Sample, own_variance

LENT = 5.0  # weight of options with similar noise, in degrees of freedom
ONCE = 2.0  # to an option with a single result: heavy tails
TAIL = 0.5  # how much half the excess kurtosis devalues an option's own variance
RARE = 6.0  # excess kurtosis times the chance of a spike, if spikes are exponential
BLUR = 0.3  # least degrees of freedom that the level of noise is compared with
CORE = 0.5  # least relevance of an option that counts even alone
SMALLEST = 1e-140  # smallest variance whose powers do not underflow
GROUPS = 256  # of more options than these, neighbours are averaged


def noise(sample: Sample, relevant: np.ndarray, excess: np.ndarray | float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """[K] s2 and nu."""
    own, free = own_variance(sample)
    worth = free / (1.0 + 0.5 * TAIL * excess)
    moving = own > 0.0
    source = moving & (relevant > 0.0)
    core = relevant >= min(CORE, float(relevant.max()))
    alone, silent = np.count_nonzero(core) == 1, not (moving & core).any()
    if alone and silent and moving.any():  # a leader that never varied, and all others far below it
        source, relevant = moving, np.ones(free.size)
    elif silent:
        unit = lead_over_the_next(sample.means[sample.counts > 0 if alone else core]) ** 2
        return np.where(moving, own, unit / (1.0 + worth)), np.where(moving, worth, 1.0 + worth)
    half = np.maximum(worth, BLUR) / 2.0
    down, blur = polygamma(half)
    level = np.log(np.where(moving, own, 1.0)) - down + np.log(half)
    weight = relevant * worth * moving
    columns = [column[source] for column in (level, blur, weight, weight * own)]
    at, width, mass, heavy = columns if len(columns[0]) <= GROUPS else grouped(*columns)
    apart = at - level[:, None]
    alike = np.exp(-0.5 * apart * apart / (blur[:, None] + width))
    if np.any(excess):
        unseen = np.exp(-RARE * sample.counts / np.maximum(excess, 1e-9))
        alike = np.where(apart > 0.0, np.maximum(alike, unseen[:, None]), alike)
    alike[~moving] = 1.0
    lent = np.maximum(alike @ mass - weight, 0.0)  # without oneself
    total = np.maximum(alike @ heavy - weight * own, 0.0)
    some = lent > 1e-9
    prior = np.divide(total, lent, out=np.zeros(lent.size), where=some)
    lent = np.where(some, np.minimum(lent, np.where(free > 0.0, LENT, ONCE)), 0.0)
    freedom = lent + worth
    known = np.divide(lent * prior + worth * own, freedom, out=np.zeros(freedom.size), where=freedom > 0.0)
    return known, freedom


def lead_over_the_next(means: np.ndarray) -> float:
    """Infinite if all are equal."""
    below = means[means < means.max()]
    return float(means.max() - below.max()) if below.size else math.inf


def grouped(level: np.ndarray, *columns: np.ndarray) -> list[np.ndarray]:
    """Neighbours in the level of noise, averaged; weights add up."""
    order = np.argsort(level, kind="stable")
    cuts = np.linspace(0, level.size, GROUPS + 1).astype(int)[:-1]
    many = np.diff(np.append(cuts, level.size))
    at, width, mass, heavy = (np.add.reduceat(column[order], cuts) for column in (level, *columns))
    return [at / many, width / many, mass, heavy]


def tails(sample: Sample, relevant: np.ndarray) -> tuple[float, float]:
    """Skewness and excess kurtosis of the residuals, each option in units of its own noise."""
    if sample.cubes is None or sample.fourths is None:
        return 0.0, 0.0
    variance, _ = noise(sample, relevant)
    sound = (variance > SMALLEST) & (variance < 1.0 / SMALLEST) & np.isfinite(sample.fourths)
    who = np.flatnonzero((relevant > 0.0) & sound)
    weight, variance = relevant[who], variance[who]
    total, second = float(weight @ sample.counts[who]), float(weight @ (sample.squares[who] / variance))
    if not second > 0.0:
        return 0.0, 0.0
    third, fourth = weight @ (sample.cubes[who] / variance**1.5), weight @ (sample.fourths[who] / variance**2)
    return float(third) * math.sqrt(total) / second**1.5, max(0.0, float(fourth) * total / second**2 - 3.0)


def polygamma(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """digamma and trigamma: the recurrence up to x + 6, then the asymptotic series."""
    steps = 1.0 / (x + np.arange(6.0)[:, None])
    far = 1.0 / (x + 6.0)
    square = far * far
    first = -np.log(far) - 0.5 * far - square * (1.0 / 12.0 - square / 120.0) - steps.sum(axis=0)
    second = far + 0.5 * square + far * square * (1.0 / 6.0 - square / 30.0) + (steps * steps).sum(axis=0)
    return first, second
