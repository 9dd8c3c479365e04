"""The belief about the true means of all options, one for every kind of result; larger is better.

N results with mean m, M2 and M3 (sums of squares and cubes of x - m), f = N - 1, v = M2/f; b is the leader, the m-th if
the question is which are the best m, or a line, which has no error; W(t, f) is the normal deviate of a Student one.

    unit   noise of what never varied: v_b; if 0, v of the nearest that varied, no further than the next different mean;
           else the distance to that, squared.  So it never comes from an option worse than the next
    r_i    relevance: clip((3.25 - W(t_i, f)) / 1.25, 0, 1), t_i = |m_b - m_i| / sqrt(e_i + e_b), in two passes: what an
           option lends must not depend on noise that only it has.  u is the noise to measure by: unit at first, then
           that of the relevant options that varied;  e_i = u (v_i/u)^(f_i/(f_i + 5)) / N_i, u/N_i if it never varied;
           e_b = u/N_b at first, then at least that.  In logarithms, or a few wild results would keep most of their v
    p_i    noise of the others = sum_{j != i} r_j M2_j / sum_{j != i} r_j f_j;  unit if none of them varied
    s2_i   = (D_i p_i + M2_i) / (D_i + f_i),  D_i = min(5, sum_{j != i} r_j f_j), 1 if none varied
    a_i    = exp(-f_i log(v_i/p_i)^2 / 4): for comparing, D_i a_i replaces D_i
    q_i    = g / sqrt(N_i), g the skewness of the relevant residuals, each in units of s2
    A, c   spread and centre of the true means (Paule and Mandel 1982), A with 3 (mean error)/F added, F = sum r - 1;
           infinite if F < 1, and at most the squared distance from c to the nearer end of the relevant results
    mu_i   comparing: the mean moves by r_i (1 - A/(A + e_i)) (c - m_i), at most one standard error down, where its
           error stays; elsewhere that shrinks alike.  T = (mean - mu)/error,
           T + q T^2/3 + q^2 T^3/27 + q/6 ~ Student(nu)                       Hall 1992

An option that is clearly worse than the leader has no relevance, and changes nothing but its own row.  An untried one
is taken to be like the relevant ones: Student(5) with their mean, their spread, their errors and the noise of a result.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .belief import product_of
from .noise import PRIOR, shrunk_variance
from .samples import Sample, own_variance
from .student import log_phi, normal_score, student_score

NEAR, FAR = 2.0, 3.25  # deviates below the leader: full relevance, none
LEAST = 3.0  # degrees of freedom in a relevance: with fewer, two results would be relevant however far away
ALIKE = 0.25  # a log ratio of two variances has variance 2/f; half of that, or the others would seldom count
CAUTION = 3.0  # added to the spread, in mean errors over degrees of freedom: few means show little of it
BEND = 2.0  # the most skewness of a mean: beyond it Hall's formula is not monotone in the data
SMALLEST, FARTHEST = 1e-290, 1e6  # variances and deviates beyond which doubles fail
BLOCK = 1 << 14  # numbers at a time: what is computed in between stays in the processor's cache
ROUNDS = 50  # of Newton's method, which rises towards the root from 0


class Beliefs(NamedTuple):
    """The distribution of every true mean."""

    centers: np.ndarray  # [K]
    scales: np.ndarray  # [K] standard errors
    freedom: np.ndarray  # [K] nu, may be infinite
    skewness: np.ndarray  # [K] q, of the mean

    @classmethod
    def students(cls, centers: np.ndarray, scales: np.ndarray, freedom: np.ndarray) -> Beliefs:
        """Without skewness."""
        return cls(centers, scales, freedom, np.zeros(centers.size))

    @property
    def size(self) -> int:
        return self.centers.size

    @np.errstate(over="ignore")
    def log_cdf(self, x: np.ndarray) -> np.ndarray:
        """[M, K] log P(mu_i <= x_m)."""
        x = np.asarray(x, dtype=float)[:, None]
        found, step = np.empty((x.size, self.size)), max(BLOCK // max(x.size, 1), 1)
        skewed = self.skewness.any()
        for first in range(0, self.size, step):
            part = slice(first, first + step)
            t = np.clip((self.centers[part] - x) / self.scales[part], -FARTHEST, FARTHEST)
            if skewed:
                bent = self.skewness[part] * t
                t = t * (1.0 + bent / 3.0 + bent * bent / 27.0) + self.skewness[part] / 6.0
            found[:, part] = log_phi(normal_score(-t, self.freedom[part]))
        return found

    def quantile(self, deviates: np.ndarray) -> np.ndarray:
        """[M, K] the quantile of mu_i at the probability of the normal deviate."""
        t = -student_score(np.asarray(deviates, dtype=float)[:, None], self.freedom)
        if self.skewness.any():
            q = np.where(np.abs(self.skewness) < 1e-6, 1e-6, self.skewness)
            t = 3.0 / q * (np.cbrt(1.0 + q * (t - q / 6.0)) - 1.0)
        return np.asarray(self.centers - self.scales * t)

    def take(self, who: np.ndarray) -> Beliefs:
        """The beliefs about the options ``who``."""
        return self if who.size == self.size else Beliefs(*(column[who] for column in self))


class Known(NamedTuple):
    """The beliefs about all options."""

    relevant: np.ndarray  # [K] r
    variance: np.ndarray  # [K] s2, of single results
    alone: Beliefs  # each on its own, for intervals; arbitrary where untried
    compared: Beliefs  # means shrunk towards each other, for comparing
    blank: bool = False  # no two results differ: nothing is known of the noise


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # of huge numbers, of options that are not relevant
def believe(sample: Sample) -> Known:
    """What the sample says about each option; some must have been tried."""
    tried, many, means = sample.counts > 0.0, sample.effective, sample.means
    own, free = own_variance(sample)
    unit = unit_of(sample, own)
    if unit is None:
        flat = Beliefs.students(means, np.ones(means.size), np.ones(means.size))
        return Known(tried.astype(float), np.zeros(means.size), flat, flat, blank=True)
    relevant = relevance(sample, own, free, unit)
    who = np.flatnonzero(relevant > 0.0)
    weight, squares = relevant[who], sample.squares[who]
    others, total = (np.full(means.size, product_of(weight, x)) for x in (free[who], squares))
    others[who] -= weight * free[who]
    total[who] -= weight * squares
    known = (total > 0.0) & (others > 0.0)
    pooled = safe(np.where(known, total / np.where(known, others, 1.0), unit))
    others = np.where(known, np.minimum(others, PRIOR), 1.0)
    ratio = np.log(np.where((own > 0.0) & np.isfinite(own), own, pooled) / pooled)
    close = others * np.where(known, np.exp(-ALIKE * free * ratio * ratio), 1.0)
    wide, near = (safe(shrunk_variance(prior, pooled, sample.squares, free + 1.0)) for prior in (others, close))
    plain, bent = (skewness(sample, who, weight, variance) for variance in (wide, near))
    roots = np.sqrt(many)
    alone = Beliefs(means, np.sqrt(wide) / roots, np.maximum(others + free, 1.0), np.clip(plain / roots, -BEND, BEND))
    errors = near / many
    remaining, shift = shrinkage(sample, who, weight, errors)
    q = np.clip(bent * relevant * np.sqrt(np.maximum(remaining, 1e-9)) / roots, -BEND, BEND)
    scales = np.sqrt(safe(errors * (1.0 + (remaining - 1.0) * relevant)))
    compared = Beliefs(means + relevant * shift, scales, np.maximum(close + free, PRIOR), q)
    if not tried.all():
        compared = with_untried(compared, tried, relevant, near)
    return Known(relevant, near, alone, compared)


def safe(variance: np.ndarray) -> np.ndarray:
    """No root or power of it vanishes or overflows."""
    return np.clip(variance, SMALLEST, 1.0 / SMALLEST)


def unit_of(sample: Sample, own: np.ndarray) -> float | None:
    """The noise of one result of what never varied; None if no two results differ and there are no bounds."""
    reference, place = reference_of(sample)
    if place is not None and own[place] > 0.0:
        return float(own[place])
    away = np.where(sample.counts > 0.0, np.abs(sample.means - reference), np.inf)
    apart = away[(away > 0.0) & np.isfinite(away)]
    near = (own > 0.0) & (away <= (apart.min() if apart.size else 0.0))
    if near.any():
        return float(own[near][away[near].argmin()])
    distance = float(apart.min()) if apart.size else float(np.ptp(sample.bounds or 0.0))
    return min(max(distance * distance, SMALLEST), 1.0 / SMALLEST) if distance > 0.0 else None


def reference_of(sample: Sample) -> tuple[float, int | None]:
    """What options are compared with: a line, or the mean of the leader or of the m-th, and whose it is."""
    if sample.line is not None:
        return sample.line, None
    if sample.rank == 1:
        place = sample.leader
    else:
        place = int(sample.ranked[min(sample.rank, int((sample.counts > 0.0).sum())) - 1])
    return float(sample.means[place]), place


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def relevance(
    sample: Sample, own: np.ndarray | None = None, free: np.ndarray | None = None, unit: float | None = None
) -> np.ndarray:
    """[K] r; if all are far from a line, all of them count."""
    if own is None or free is None:
        own, free = own_variance(sample)
        unit = unit_of(sample, own)
    tried = sample.counts > 0.0
    if unit is None:
        return tried.astype(float)
    reference, place = reference_of(sample)
    many, varied, found = sample.effective, own > 0.0, tried.astype(float)
    freedom = 1.0 if place is None or own[place] <= 0.0 else max(float(free[place]), 1.0)
    for again in (False, True):
        error = unit * (np.where(varied, own, unit) / unit) ** (free / (free + PRIOR)) / many
        lead = 0.0 if place is None else unit / float(many[place])
        if again and place is not None:
            lead = max(lead, float(error[place]))
        share = error / (error + lead)
        welch = 1.0 / (share * share / np.maximum(free, 1.0) + (1.0 - share) ** 2 / freedom)
        z = normal_score(np.abs(reference - sample.means) / np.sqrt(error + lead), np.maximum(welch, LEAST))
        found = np.where(tried & np.isfinite(z), np.clip((FAR - z) / (FAR - NEAR), 0.0, 1.0), 0.0)
        near = np.flatnonzero((found > 0.0) & varied)  # silence is no proof of calm
        lent, squares = (float(product_of(found[near], x[near])) for x in (free, sample.squares))
        if not (lent > 0.0 and 0.0 < squares < np.inf):
            break
        unit, freedom = min(max(squares / lent, SMALLEST), 1.0 / SMALLEST), max(lent, 1.0)
    return found if found.any() else tried.astype(float)


def skewness(sample: Sample, who: np.ndarray, weight: np.ndarray, variance: np.ndarray) -> float:
    """Of the residuals of the options ``who``, each in units of its noise."""
    if sample.cubes is None:
        return 0.0
    s2 = variance[who]
    second = float(product_of(weight, sample.squares[who] / s2))
    third = float(product_of(weight, sample.cubes[who] / s2**1.5))
    found = third * math.sqrt(product_of(weight, sample.counts[who])) / second**1.5 if second > 1e-100 else 0.0
    return found if math.isfinite(found) else 0.0


def shrinkage(sample: Sample, who: np.ndarray, weight: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[K] the part of its distance from the centre that a mean keeps, and by how much it moves."""
    spread, center = spread_of(sample.means[who], errors[who], weight)
    if sample.lows is not None and sample.highs is not None:
        low, high = sample.lows[who].min(), sample.highs[who].max()
        if low < center < high:
            spread = min(spread, min(center - low, high - center) ** 2)
    remaining = np.ones(errors.size) if math.isinf(spread) else spread / (spread + errors)
    shift, most = (1.0 - remaining) * (center - sample.means), np.sqrt(errors)
    return np.where(shift < -most, 1.0, remaining), np.maximum(shift, -most)


def spread_of(means: np.ndarray, errors: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """A and c: the sum over r (m - c)^2/(A + e) falls to F and is convex in A, so that no step from 0 overshoots."""
    free, spread, center = float(weight.sum()) - 1.0, 0.0, float(product_of(weight, means) / weight.sum())
    if free < 1.0 or not float(np.ptp(means)) < 1e100 * math.sqrt(float(errors.min())):  # or too far apart for doubles
        return math.inf, center
    for _ in range(ROUNDS):
        precision = weight / (spread + errors)
        center = float(product_of(precision, means) / precision.sum())
        terms = precision * (means - center) ** 2
        excess = float(terms.sum()) - free
        if excess <= 1e-9 * free:
            break
        spread += excess / float(product_of(terms, 1.0 / (spread + errors)))
    return spread + CAUTION * float(product_of(weight, errors)) / (free + 1.0) / free, center


def with_untried(beliefs: Beliefs, tried: np.ndarray, relevant: np.ndarray, noise: np.ndarray) -> Beliefs:
    """The beliefs, with untried options like the relevant ones."""
    who = np.flatnonzero(relevant > 0.0)
    share, centers = relevant[who] / relevant[who].sum(), beliefs.centers[who]
    center = float(product_of(share, centers))
    wide = math.sqrt(product_of(share, (centers - center) ** 2 + beliefs.scales[who] ** 2 + noise[who]))
    return Beliefs(*(np.where(tried, x, new) for x, new in zip(beliefs, (center, wide, PRIOR, 0.0), strict=True)))
