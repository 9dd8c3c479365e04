"""How sure it is where options resemble each other: joint draws of all of them from the belief that chose the samples.

    hyper-parameters    the likeliest, and others from a normal approximation around them, in antithetic pairs
    theta               given those, N(mu, S) (``beliefs.alike``), with the tails of Student's t: scales are estimated
    strangers           the same results without resemblance (``certificate``), weighted by the evidence for them

A chance is the mean of the two, and limited as everywhere by the number of results that the answer itself has
(``chances``): however sure the neighbours are, an option may be odd.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..beliefs.alike import Data, Fit, Posterior, fit, likelihoods
from ..beliefs.features import Space
from ..beliefs.samples import Sample
from .certificate import Confidence, assess, lead
from .chances import judge, stated, telling, watched

MODELS = 8  # antithetic pairs of hyper-parameters, beside the likeliest
DRAWS = 4080  # of all options together
WIDEST = 2.0  # deviations of hyper-parameters, at most
COMPARED = 200  # options whose chances are computed, those with the highest mu + 2 sd
LEAST = 0.05  # of the weight, for strangers
WIDER = 1.0  # factor of the deviations


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
    data = Data(sample.counts, np.where(tried, sample.means, 0.0), np.where(tried, sample.squares, 0.0))
    alone = assess(sample)
    found = fit(space, data, start)
    belief = Posterior(space, data, found.logs)
    if found.odds < 0.0 and bool(tried.all()):
        return Alike(alone, sample.means, found, False, belief)
    everyone = np.arange(tried.size)
    means, variances = belief.marginal(everyone)
    hope = np.argsort(-(means + 2.0 * np.sqrt(variances)), kind="stable")
    who = np.sort(hope[:COMPARED])
    theta, estimates, spread = draws(space, data, found, belief, who)
    means[who], variances[who] = estimates, spread
    best = int(means.argmax())
    if best not in who:
        best = int(who[estimates.argmax()])
    share = min(1.0 / (1.0 + math.exp(-min(found.odds, 50.0))), 1.0 - LEAST)
    plain = (1.0 - share) * alone.chances
    plain[who] += share * np.bincount(theta.argmax(axis=0), minlength=who.size) / theta.shape[1]
    regret = float((theta.max(axis=0) - theta[int(np.flatnonzero(who == best)[0])]).mean())
    if math.isfinite(alone.regret):
        regret = share * regret + (1.0 - share) * alone.regret
    count = float(telling(sample)[best]) if tried[best] else 0.0
    chances = stated(plain, best, count, means)
    margin = 1.96 * WIDER * np.sqrt(variances)
    ends = means - margin, means + margin
    gap = lead(means, np.ones(tried.size, bool), chances, best, ends)
    stop = min(watched(float(plain[best]), count), float(chances[best]))
    sure = Confidence(best, chances, regret, *ends, judge(chances, best), gap, stop)
    return Alike(sure, means, found, True, belief)


def draws(
    space: Space, data: Data, found: Fit, belief: Posterior, who: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[n, draws] of the options ``who``, and [n] the means and variances of them, over all hyper-parameters."""
    rng = np.random.default_rng(0)
    bent = likelihoods(space, data, found.logs)[0].curvature(found.logs)
    values, axes = np.linalg.eigh(bent)
    steps = np.clip(rng.standard_normal((MODELS, values.size)), -WIDEST, WIDEST) / np.sqrt(values)
    away = steps @ axes.T
    models = [belief, *(Posterior(space, data, found.logs + step) for d in away for step in (d, -d))]
    freedom = max(float(data.counts.sum()) - 1.0, 3.0)
    some, means, variances = [], [], []
    for model in models:
        mean, covariance, _ = model.joint(who)
        roots, vectors = np.linalg.eigh(covariance)
        roots = np.sqrt(np.maximum(roots, 0.0))
        many = DRAWS // len(models)
        wide = np.sqrt(freedom / rng.chisquare(freedom, many)) * WIDER
        some.append(mean[:, None] + ((vectors * roots) @ rng.standard_normal((who.size, many))) * wide)
        means.append(mean)
        variances.append(np.diagonal(covariance))
    center = np.mean(means, axis=0)
    spread = np.mean(variances, axis=0) * freedom / (freedom - 2.0) + np.var(means, axis=0)
    return np.concatenate(some, axis=1), center, spread
