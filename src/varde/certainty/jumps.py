"""Results that are mostly one value, the end of their range, and now and then a jump away from it.

With y = |x - end|, S1 = sum y, S2 = sum y^2, c = number of jumps, each option believes that one more may come at any
moment, as large as its own and six typical ones of the others are, counted by size:

    typical = sum r S1 / sum r c,   biased = sum r S2 / sum r S1
    w_i = (S2_i + 6 biased typical) / (S1_i + 6 typical)          the size of one jump more
    n0_i = w_i sum r N / sum r S1                                 prior: one such jump at the common rate,
    q_i = max(1, lent / n0_i)                                     more where the spread of the means says so
    mean = (S1_i + q_i w_i) / (N_i + q_i n0_i),  var = (M2_i + q_i w_i^2) / (N_i + q_i n0_i)^2
    |mu_i - end| ~ Gamma with that mean and variance

together.py has what is lent; sum r S2 / sum r N - (sum r S1 / sum r N)^2 is the variance of one result.
Intervals after Fay and Feuer: near the end mean S1/N, variance M2/N^2 (the end itself if there was no jump), away from
it mean (S1 + w)/N, variance (M2 + w^2)/N^2.
"""

from __future__ import annotations

import numpy as np

from .distributions import Gamma
from .samples import Sample
from .student import DEVIATE
from .together import strength

EVENTS = 6.0  # jumps lent by the other options
STEEP = 1e9  # the shape of a mean without variance


def sizes(
    sample: Sample, relevant: np.ndarray, ends: tuple[float, float], who: np.ndarray
) -> tuple[Gamma, np.ndarray, np.ndarray]:
    """The beliefs about the options ``who``, and both ends of their intervals."""
    assert sample.values is not None and sample.owners is not None
    end, sign, size = ends[0], np.sign(ends[1] - ends[0]), sample.counts.size
    away = np.abs(sample.values - end)
    sums, powers, events = (
        np.bincount(sample.owners, x, size)[who] for x in (away, away * away, (away > 0.0).astype(float))
    )
    tries, weight = sample.counts[who], relevant[who]
    typical, biased = (weight @ sums) / (weight @ events), (weight @ powers) / (weight @ sums)
    event = (powers + EVENTS * biased * typical) / (sums + EVENTS * typical)
    prior = event * (weight @ tries) / (weight @ sums)
    worth = sample.worth[who]
    more = worth / tries  # results count for more where the mean is all but known
    center = (weight @ sums) / (weight @ tries)
    single = (weight @ powers) / (weight @ tries) - center**2
    many = np.maximum(1.0, strength(sums / tries, float(single), worth, weight, float(center), sign) / prior)

    def gamma(extra: np.ndarray | float, prior: np.ndarray | float) -> Gamma:
        tried = tries + prior
        mean, var = (sums + extra * event) / tried, (sample.squares[who] + extra * event**2) / tried**2 / more
        shape = np.divide(mean**2, var, out=np.full(mean.size, STEEP), where=var > mean**2 / STEEP)
        shape = np.where(mean > 0.0, shape, 1.0)
        return Gamma(np.full(mean.size, end), sign * mean / shape, shape)

    near = gamma(0.0, 0.0).quantile(-sign * np.array(DEVIATE))
    far = gamma(1.0, 0.0).quantile(sign * np.array(DEVIATE))
    beliefs = gamma(many, many * prior)
    return (beliefs, near, far) if sign > 0 else (beliefs, far, near)
