"""How sure it is where options resemble each other: joint draws of all of them from the belief that chose the samples.

    hyper-parameters    the likeliest, and others from a normal approximation around them, in antithetic pairs
    theta               given those, N(mu, S) (``beliefs.alike``), with longer tails, as those of its own results
    strangers           the same belief with lengths of 0, weighted by the evidence for it

A chance is limited as everywhere by the number of results that the answer itself has (``chances``): however sure the
neighbours are, an option may be odd.  Where the evidence is for strangers and all were tried, they are judged as such.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..beliefs.alike import Data, Fit, Posterior, fit, likelihoods, relative_noise
from ..beliefs.features import Space
from ..beliefs.samples import Sample
from .certificate import Confidence, assess, lead
from .chances import judge, stated, telling, watched

MODELS = 8  # antithetic pairs of hyper-parameters, beside the likeliest
DRAWS = 4080  # of all options together
WIDEST = 2.0  # deviations of hyper-parameters, at most
COMPARED = 200  # options whose chances are computed, those with the highest mu + 2 sd
LEAST = 0.05  # of the weight, for strangers
LONGEST = 3.0  # sides of intervals, relative to the normal ones


class Alike(NamedTuple):
    """What resemblance says."""

    sure: Confidence
    estimates: np.ndarray  # [K] posterior means
    fit: Fit
    used: bool  # the options do resemble each other, as far as is known
    belief: Posterior  # at the likeliest hyper-parameters


def assess_alike(sample: Sample, space: Space, start: np.ndarray | None = None) -> Alike:
    """Assess the option with the highest posterior mean; ``start`` are earlier hyper-parameters."""
    tried = sample.counts > 0.0
    data, alone = data_of(sample), assess(sample)
    found = fit(space, data, start)
    belief = Posterior(space, data, found.logs)
    if found.odds < 0.0 and bool(tried.all()):
        return Alike(alone, sample.means, found, False, belief)
    everyone = np.arange(tried.size)
    means, variances = belief.marginal(everyone)
    hope = np.argsort(-(means + 2.0 * np.sqrt(variances)), kind="stable")
    who = np.sort(hope[:COMPARED])
    theta, means[who], variances[who] = draws(space, data, found, belief, who, resembling(found))
    sure = assessed(sample, tails(sample, alone, belief, variances), means, variances, who, theta)
    return Alike(sure, means, found, True, belief)


class Cells(NamedTuple):
    """What one belief about all cells, an option in a context each, says of every context."""

    sure: list[Confidence]  # of each context, among its options
    estimates: np.ndarray  # [contexts, options] posterior means
    fit: Fit
    worth: tuple[float, float, float]  # the mean over contexts of what is chosen there, and its 95 % interval


def assess_cells(sample: Sample, space: Space, options: int, start: np.ndarray | None = None) -> Cells:
    """Assess the highest posterior mean of every context; the cells are listed context by context."""
    data, alone, everyone = data_of(sample), assess(sample), np.arange(sample.counts.size)
    found = fit(space, data, start)
    belief, share = Posterior(space, data, found.logs), resembling(found)
    if not (sample.counts > 0.0).all():  # strangers know nothing of a cell without results
        share = max(share, 0.5)
    theta, means, variances = draws(space, data, found, belief, everyone, share)
    longer, sure, values = tails(sample, alone, belief, variances), [], np.zeros(theta.shape[1])
    for first in range(0, everyone.size, options):
        own = slice(first, first + options)
        sides = longer[0][own], longer[1][own]
        sure.append(assessed(sample.take(own), sides, means[own], variances[own], everyone[:options], theta[own]))
        values += theta[first + sure[-1].best]
    values /= len(sure)
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    return Cells(sure, means.reshape(-1, options), found, (float(values.mean()), low, high))


def data_of(sample: Sample) -> Data:
    tried = sample.counts > 0.0
    return Data(sample.counts, np.where(tried, sample.means, 0.0), np.where(tried, sample.squares, 0.0))


def resembling(found: Fit) -> float:
    """The chance that options resemble each other, from the evidence; never sure."""
    return min(1.0 / (1.0 + math.exp(-found.odds)), 1.0 - LEAST)


def assessed(
    sample: Sample,
    longer: tuple[np.ndarray, np.ndarray],
    means: np.ndarray,
    variances: np.ndarray,
    who: np.ndarray,
    theta: np.ndarray,
) -> Confidence:
    """How sure the highest of ``means`` [K] is, from ``theta`` [n, draws] of the options ``who``, all others out of it.

    ``longer`` are the two sides of each interval, relative to those of a known and normal noise.
    """
    # What all have in common must stay so: one factor, half-way to that of the answer, whose own makes timid chances.
    place = int(means[who].argmax())
    best, plain = int(who[place]), np.zeros(means.size)
    theta = means[who][:, None] + (theta - means[who][:, None]) * math.sqrt(longer[0][best])
    plain[who] = np.bincount(theta.argmax(axis=0), minlength=who.size) / theta.shape[1]
    regret = float((theta.max(axis=0) - theta[place]).mean())
    count = float(telling(sample)[best]) if sample.counts[best] else 0.0
    chances = stated(plain, best, count, means)
    margin = 1.96 * np.sqrt(variances)
    ends = means - longer[0] * margin, means + longer[1] * margin
    if sample.bounds is not None:
        ends = np.clip(ends[0], *sample.bounds), np.clip(ends[1], *sample.bounds)
    gap = lead(means, np.ones(means.size, bool), chances, best, ends)
    stop = min(watched(float(plain[best]), count), float(chances[best]))
    return Confidence(best, chances, regret, *ends, judge(chances, best), gap, stop)


def tails(sample: Sample, alone: Confidence, belief: Posterior, variances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[K] by how much the lower and upper side of each interval is longer than if the noise was known and normal.

    As much as in the interval from its own results, which allows for few of them and for skewness; but only that part
    of the variance which is due to them: with w the weight of the own mean, sqrt(1 + (f^2 - 1) w).
    """
    who = np.flatnonzero(sample.counts > 0.0)
    noise = belief.noise * relative_noise(belief.space, belief.data, belief.logs, who)
    error = np.maximum(noise / sample.counts[who], 1e-300)
    weight = np.minimum(variances[who] / error, 1.0)
    found = np.ones((2, sample.counts.size))
    for row, side in zip(found, (sample.means - alone.lows, alone.highs - sample.means), strict=True):
        longer = np.clip(side[who] / (1.96 * np.sqrt(error)), 1.0, LONGEST)
        row[who] = np.sqrt(1.0 + (longer * longer - 1.0) * weight)
    return found[0], found[1]


def draws(
    space: Space, data: Data, found: Fit, belief: Posterior, who: np.ndarray, share: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[n, draws] of the options ``who``, and [n] the means and variances of them, over all hyper-parameters.

    Of the draws ``share`` are of options that resemble each other.
    """
    rng = np.random.default_rng(0)
    values, axes = np.linalg.eigh(likelihoods(space, data, found.logs)[0].curvature(found.logs))
    steps = np.clip(rng.standard_normal((MODELS, values.size)), -WIDEST, WIDEST) / np.sqrt(values)
    others = [found.logs + step for away in steps @ axes.T for step in (away, -away)]
    models = [belief, *(Posterior(space, data, logs, belief.odd) for logs in others)]
    models.append(Posterior(space, data, found.alone))
    weights = np.append(np.full(len(models) - 1, share / (len(models) - 1)), 1.0 - share)
    some, means, variances = [], [], []
    for model, weight in zip(models, weights, strict=True):
        mean, covariance, _ = model.joint(who)
        roots, vectors = np.linalg.eigh(covariance)
        many = round(DRAWS * weight)
        half = vectors * np.sqrt(np.maximum(roots, 0.0))
        some.append(mean[:, None] + half @ rng.standard_normal((who.size, many)))
        means.append(mean)
        variances.append(np.diagonal(covariance))
    center = weights @ np.array(means)
    spread = weights @ np.array(variances) + weights @ (np.array(means) - center) ** 2
    return np.concatenate(some, axis=1), center, spread
