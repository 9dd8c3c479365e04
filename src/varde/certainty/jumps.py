"""Results that are mostly one value, the end of their range, and now and then a jump away from it.

With y = |x - end|, S1 = sum y, S2 = sum y^2, c = number of jumps, the belief about each option allows for one more jump
at any moment, as large as its own and six typical ones of the others, weighted by size:

    typical = sum r S1 / sum r c,   biased = sum r S2 / sum r S1
    w_i = (S2_i + 6 biased typical) / (S1_i + 6 typical)          the size of one jump more
    n0_i = w_i sum r N / sum r S1                                 prior: one such jump at the common rate
    mean = (S1_i + w_i) / (N_i + n0_i),  var = (M2_i + w_i^2) / (N_i + n0_i)^2
    |mu_i - end| ~ Gamma with that mean and variance

Intervals after Fay and Feuer: near the end mean S1/N, variance M2/N^2 (the end itself if there was no jump), away from
it mean (S1 + w)/N, variance (M2 + w^2)/N^2.
"""

from __future__ import annotations

import numpy as np

from .distributions import Gamma
from .samples import Sample
from .student import DEVIATE

EVENTS = 6.0  # weight of the other options, in jumps
STEEP = 1e9  # the shape of a mean without variance


def sizes(
    sample: Sample, relevant: np.ndarray, ends: tuple[float, float], who: np.ndarray
) -> tuple[Gamma, np.ndarray, np.ndarray]:
    """The beliefs about the options ``who``, and their intervals."""
    assert sample.values is not None and sample.owners is not None
    end, sign, size = ends[0], np.sign(ends[1] - ends[0]), sample.counts.size
    away, times = np.abs(sample.values - end), 1.0 if sample.times is None else sample.times
    sums, powers, events = (np.bincount(sample.owners, times * x, size)[who] for x in (away, away * away, away > 0.0))
    tries, weight = sample.counts[who], relevant[who]
    if not weight @ sums > 0.0:  # no relevant option ever jumped: use those that did
        weight = np.ones(who.size)
    typical, biased = (weight @ sums) / (weight @ events), (weight @ powers) / (weight @ sums)
    event = (powers + EVENTS * biased * typical) / (sums + EVENTS * typical)
    prior = event * (weight @ tries) / (weight @ sums)
    more = sample.worth[who] / tries  # results count for more if the mean is nearly known

    def gamma(extra: float, prior: np.ndarray | float) -> Gamma:
        tried = tries + prior
        mean, var = (sums + extra * event) / tried, (sample.squares[who] + extra * event**2) / tried**2 / more
        shape = np.divide(mean**2, var, out=np.full(mean.size, STEEP), where=var > mean**2 / STEEP)
        shape = np.where(mean > 0.0, shape, 1.0)
        return Gamma(np.full(mean.size, end), sign * mean / shape, shape)

    near = gamma(0.0, 0.0).quantile(-sign * np.array(DEVIATE))
    far = gamma(1.0, 0.0).quantile(sign * np.array(DEVIATE))
    return (gamma(1.0, prior), near, far) if sign > 0 else (gamma(1.0, prior), far, near)
