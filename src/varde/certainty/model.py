"""From data to beliefs: relevance, noise, kind of results, beliefs, intervals.

    mu_i ~ m_i + sqrt(s2_i / N_i) Student(max(nu_i, 2))     numbers; other kinds in two_values.py and jumps.py

The leader was chosen because its mean is high: the low end of its interval goes down by as much as its mean is shrunk.

An untried option is taken to be like the relevant ones: Student(2) at the mean of their medians, with scale^2 that of
their medians, plus their own, plus that of a single result, all weighted by relevance; its interval is infinite.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .beliefs import Beliefs
from .distributions import Student
from .intervals import bent
from .jumps import sizes
from .kinds import CORE, MOSTLY, TWO, Kind, recognise
from .noise import noise, tails
from .relevance import relevance
from .samples import Sample, own_variance
from .shrinkage import together
from .two_values import rates

WIDEST = 2.0  # least degrees of freedom of a belief


class Known(NamedTuple):
    """The beliefs about every option."""

    relevant: np.ndarray  # [K] r
    variance: np.ndarray  # [K] s2, of single results
    freedom: np.ndarray  # [K] nu
    kind: str  # of the results of the options that matter
    numbers: np.ndarray  # [K] whose results are numbers
    alone: Beliefs  # each option alone; arbitrary for untried ones
    means: np.ndarray  # [K] shrunk towards each other, where they are relevant numbers
    errors: np.ndarray  # [K] and their error variances
    blank: bool  # nothing is known about the noise, so nothing about the means
    lows: np.ndarray  # [K] 95 % intervals
    highs: np.ndarray


def learn(sample: Sample) -> Known:
    """Everything the sample says about each option; some must have been tried."""
    own, free = own_variance(sample)
    relevant = relevance(sample, own, free)
    skewness, excess = tails(sample, relevant)
    if excess > 0.0:  # again, with variances that allow for spikes not seen yet
        wide = np.maximum(own, noise(sample, relevant, excess)[0])
        relevant = np.maximum(relevant, relevance(sample, wide, free))
    variance, freedom = noise(sample, relevant, excess * relevant)
    ignorant = ~(np.isfinite(variance) & (variance > 0.0))
    errors = np.sqrt(np.where(ignorant, 1.0, variance) / sample.worth)
    beliefs = Beliefs.students(sample.means, errors, np.maximum(freedom, WIDEST))
    lows, highs = bent(sample.means, errors, freedom, skewness, sample.counts)
    kind = recognise(sample, relevant)
    numbers = np.ones(free.size, dtype=bool)
    if kind.fits is not None:
        numbers = ~kind.fits
        who = np.flatnonzero(kind.fits)
        part, lows[who], highs[who] = (rates if kind.name == TWO else sizes)(sample, relevant, kind.ends, who)
        beliefs = beliefs.put(who, part)
    blank = bool((ignorant & numbers & (relevant >= CORE)).any())
    nothing = (sample.counts <= 0) | (blank & numbers & (relevant > 0.0)) | (ignorant & numbers)
    lows, highs = np.where(nothing, -np.inf, lows), np.where(nothing, np.inf, highs)
    means, drawn = draw_together(sample, relevant, np.where(ignorant, 0.0, variance))
    drawn = np.where(ignorant, errors * errors, drawn)
    best = sample.leader
    least = min(kind.ends) if kind.fits is not None and kind.fits[best] and not is_cost(kind) else -np.inf
    if sample.line is None:
        lows[best] = max(lows[best] - max(0.0, sample.means[best] - means[best]), least)
    if sample.bounds is not None:
        lows, highs = np.clip(lows, *sample.bounds), np.clip(highs, *sample.bounds)
    return Known(relevant, variance, freedom, kind.name, numbers, beliefs, means, drawn, blank, lows, highs)


def is_cost(kind: Kind) -> bool:
    """Whether results jump downwards, so that their means have no lower bound."""
    return kind.name == MOSTLY and kind.ends[1] < kind.ends[0]


def draw_together(sample: Sample, relevant: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[K] means and error variances; those of relevant options are shrunk towards each other."""
    means, errors = sample.means.astype(float), variance / sample.worth
    who = np.flatnonzero((relevant > 0.0) & (variance > 0.0))
    means[who], errors[who] = together(means[who], errors[who], relevant[who])
    return means, errors


def compared(sample: Sample, known: Known) -> Beliefs:
    """The beliefs for comparing options: shrunken means, and untried options among them."""
    beliefs = known.alone
    who = np.flatnonzero((known.relevant > 0.0) & known.numbers)
    if who.size:
        scales = np.sqrt(known.errors[who])
        beliefs = beliefs.put(who, Student(known.means[who], scales, np.maximum(known.freedom[who], WIDEST)))
    new = np.flatnonzero(sample.counts <= 0)
    if new.size:
        beliefs = beliefs.put(new, another(sample, known, beliefs, new.size))
    return beliefs


def another(sample: Sample, known: Known, beliefs: Beliefs, many: int) -> Student:
    """The belief about an untried option, ``many`` times."""
    tried = np.flatnonzero(sample.counts > 0)
    share = known.relevant[tried] / known.relevant[tried].sum()
    middle, deviation = beliefs.take(tried).quantile(np.array([0.0, 1.0]))
    center = float(share @ middle)
    between = float(share @ ((middle - center) ** 2 + (deviation - middle) ** 2))
    single = float(share @ np.where(np.isfinite(known.variance[tried]), known.variance[tried], 0.0))
    wide = math.sqrt(between + single) or 1.0
    return Student(np.full(many, center), np.full(many, wide), np.full(many, WIDEST))
