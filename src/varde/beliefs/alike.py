"""Options that resemble each other: a belief N(mu, S) about all of them from results of some.

    theta_i = m + a_i + d_i        what is compared: a common mean, what neighbours share, what is an option's own
    a ~ GP(shared, Matern 5/2)     a length for every parameter (``features``); m has a flat prior
    d_i ~ N(0, own_i)              heavy-tailed: own_i grows with what the others cannot explain
    y = theta_i + N(0, s2_i)       s2_i is shrunk towards that of the neighbours, and that towards the common one

A hyper-parameter is the log of a length, of shared, of own / shared, or of the noise, in units of the standard
deviation of all results; they are the likeliest with the weak priors below.  Strangers are the same model with
lengths of 0: the ratio of the two evidences (Laplace) says whether the options resemble each other at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .features import Space, apart
from .noise import PRIOR, shrunk_variance

# Mean and deviation of the normal priors of the logs.  A length of .4 is for one parameter of range 1.
LENGTH, SHARED, OWN, NOISE = (math.log(0.4), 1.0), (-1.0, 2.0), (-2.0, 2.0), (-1.0, 3.0)
FITTED = 150  # options that the hyper-parameters are fitted on, at most
KNOWN = 400  # options whose results are conditioned on, at most
ODD = 9.0  # a squared surprise, in variances, beyond which it is the option's own
STEPS = 25  # of the minimiser
LOST = 3.0  # the log of a probability that strangers are ahead by, whom short lengths imitate
JITTER = 1e-9
LEAST = 0.1  # of the variance of all results: the noise of one more pair of results
CLEAR = 100.0  # the log of odds that nothing more is said about
NOTHING = -20.0  # the log of a length in which nothing is near


class Data(NamedTuple):
    """The moments of all results of each option, larger being better."""

    counts: np.ndarray  # [K]
    means: np.ndarray
    squares: np.ndarray

    @property
    def center(self) -> float:
        return float(self.counts @ self.means / self.counts.sum())

    @property
    def variance(self) -> float:
        """Of all results around their mean; 1 if they are equal."""
        apart = self.means - self.center
        total = float(self.squares.sum() + self.counts @ (apart * apart)) / max(float(self.counts.sum()) - 1.0, 1.0)
        return total if total > 0.0 else 1.0

    @property
    def pooled(self) -> float:
        """The variance of results around the mean of their option; 0 if that is unknown."""
        free = float(np.maximum(self.counts - 1.0, 0.0).sum())
        return float(self.squares.sum()) / free if free else 0.0

    def some(self, most: int) -> np.ndarray:
        """The options with results, at most so many: half of them the highest, half spread over all others."""
        tried = np.flatnonzero(self.counts)
        if tried.size <= most:
            return tried
        high = np.argsort(-(self.means[tried] + 1.0 / np.sqrt(self.counts[tried])), kind="stable")
        rest = np.sort(high[most // 2 :])
        spread = np.linspace(0, rest.size - 1, most - most // 2).astype(int)
        return tried[np.sort(np.concatenate([high[: most // 2], rest[spread]]))]


class Fit(NamedTuple):
    """The likeliest hyper-parameters of both models, and the log of the evidence for resemblance over strangers."""

    logs: np.ndarray  # [G + 3]
    alone: np.ndarray  # [G + 3] those of strangers, whose lengths are next to nothing
    odds: float


class Joint(NamedTuple):
    """A belief about some options together."""

    means: np.ndarray  # [n]
    covariance: np.ndarray  # [n, n]
    noise: np.ndarray  # [n] s2 of one more result


def correlation(space: Space, a: np.ndarray, b: np.ndarray, logs: np.ndarray) -> np.ndarray:
    """[n, m] of what the options at these points share."""
    lengths = np.exp(-logs[: len(space.parameters)])[space.owners]
    r = np.sqrt(5.0 * apart(a * lengths, b * lengths))
    return (1.0 + r + r * r / 3.0) * np.exp(-r)


def prior(many: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean and deviation of the logs, for so many parameters."""
    usual = [SHARED, OWN, NOISE]
    lengths = [(LENGTH[0] + 0.5 * math.log(max(many, 1)), LENGTH[1])] * many
    mean, deviation = np.array(lengths + usual).T
    return mean, deviation


def parts(logs: np.ndarray, variance: float) -> tuple[float, float, float]:
    """What is shared, own, and the noise, as variances of results."""
    shared, own, noise = np.exp(np.clip(logs[-3:], -30.0, 30.0)).tolist()
    return shared * variance, own * shared * variance, noise * variance


# -- the noise -------------------------------------------------------------------------------------


def relative_noise(space: Space, data: Data, logs: np.ndarray, who: np.ndarray) -> np.ndarray:
    """[n] s2 of the options ``who``, relative to the common one."""
    pooled = data.pooled
    if not pooled > 0.0:
        return np.ones(who.size)
    again = np.flatnonzero(data.counts > 1.0)
    again = again if again.size <= KNOWN else again[np.linspace(0, again.size - 1, KNOWN).astype(int)]
    near = correlation(space, space.points[who], space.points[again], logs)
    near[who[:, None] == again] = 0.0
    ratios = data.squares / pooled
    local = (PRIOR + near @ ratios[again]) / (PRIOR + near @ (data.counts[again] - 1.0))
    found: np.ndarray = shrunk_variance(PRIOR, local, ratios[who], np.maximum(data.counts[who], 1.0))
    return found


# -- hyper-parameters ------------------------------------------------------------------------------


class Likelihood:
    """-log of the posterior density of the logs, up to a constant, and its gradient; the mean m is integrated out."""

    def __init__(self, squares: np.ndarray, y: np.ndarray, share: np.ndarray, free: float, within: float):
        self.squares = squares  # [G, n, n] squared distances by parameter; without any, all are strangers
        self.y, self.share, self.free, self.within = y, share, free, within
        self.mean, self.deviation = prior(len(squares))

    def __call__(self, logs: np.ndarray) -> tuple[float, np.ndarray]:
        shared, own, noise = parts(logs, 1.0)
        size = self.y.size
        kernel = slope = np.eye(size)
        if len(self.squares):
            r = np.sqrt(5.0 * np.tensordot(np.exp(-2.0 * logs[:-3]), self.squares, 1))
            decay = np.exp(-r)
            kernel, slope = (1.0 + r + r * r / 3.0) * decay, (5.0 / 3.0) * (1.0 + r) * decay
        covariance = shared * kernel
        covariance.flat[:: size + 1] += own + noise * self.share + JITTER
        found = inverse(covariance)
        if found is None:
            return math.inf, np.zeros_like(logs)
        precision, half_log = found
        sums = precision.sum(axis=1)
        total = float(sums.sum())
        projected = precision - np.outer(sums, sums / total)
        pull = projected @ self.y
        away = (logs - self.mean) / self.deviation
        value = float(self.y @ pull) - 2.0 * half_log + math.log(total) + float(away @ away)
        value += self.free * float(logs[-1]) + self.within / noise
        weight = projected - np.outer(pull, pull)  # of dC in the gradient
        alone = own * float(np.trace(weight))
        by_slope, steps = weight * slope, (shared * np.exp(-2.0 * logs[:-3])).tolist()
        grad = [step * float((by_slope * square).sum()) for step, square in zip(steps, self.squares, strict=True)]
        grad += [shared * float((weight * kernel).sum()) + alone, alone]
        grad += [noise * float(np.diagonal(weight) @ self.share) + self.free - self.within / noise]
        return 0.5 * value, 0.5 * np.array(grad) + away / self.deviation

    def curvature(self, logs: np.ndarray) -> np.ndarray:
        """The second derivatives, from differences of the gradient; none is flatter than the prior."""
        steps = 0.05 * np.eye(logs.size)
        rows = np.array([self(logs + step)[1] - self(logs - step)[1] for step in steps]) / 0.1
        values, axes = np.linalg.eigh((rows + rows.T) / 2.0)
        least = 1.0 / float(self.deviation.max()) ** 2
        found: np.ndarray = (axes * np.maximum(values, least)) @ axes.T
        return found

    def evidence(self, logs: np.ndarray, value: float) -> float:
        """The log of the probability of the results (Laplace), up to what all models have in common."""
        bent = self.curvature(logs) * np.outer(self.deviation, self.deviation)
        return -value - 0.5 * float(np.linalg.slogdet(bent)[1])


def inverse(covariance: np.ndarray) -> tuple[np.ndarray, float] | None:
    """C^-1 and -log|C| / 2; None if C is not positive definite."""
    try:
        half = np.linalg.inv(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        return None
    return half.T @ half, float(np.log(np.diagonal(half)).sum())


def minimise(
    f: Callable[[np.ndarray], tuple[float, np.ndarray]], x: np.ndarray, steps: int = STEPS
) -> tuple[np.ndarray, float]:
    """A local minimum by BFGS; steps are shortened until the value falls."""
    value, grad = f(x)
    guess = 0.3 * np.eye(x.size)  # of the inverse of the second derivatives
    for _ in range(steps):
        step = -guess @ grad
        if not float(grad @ step) < -1e-5:
            break
        step *= min(1.0, 2.0 / float(np.abs(step).max()))
        for _ in range(12):
            there, slope = f(x + step)
            if there <= value + 1e-4 * float(grad @ step):
                break
            step = 0.4 * step
        else:
            break
        change = slope - grad
        x, value, grad = x + step, there, slope
        along = float(change @ step)
        if along > 1e-10:
            bend = guess @ change
            guess += np.outer(step, step) * ((1.0 + float(change @ bend) / along) / along)
            guess -= (np.outer(bend, step) + np.outer(step, bend)) / along
    return x, value


def likelihoods(space: Space, data: Data, logs: np.ndarray) -> tuple[Likelihood, Likelihood]:
    """Of options that resemble each other, and of strangers."""
    tried, unit = data.some(FITTED), data.variance
    y = (data.means[tried] - data.center) / math.sqrt(unit)
    share = relative_noise(space, data, logs, tried) / data.counts[tried]
    free, within = float(np.maximum(data.counts - 1.0, 0.0).sum()), float(data.squares.sum()) / unit
    free, within = free + 1.0, within + LEAST  # a few equal results, as of 0/1, are no proof that there is no noise
    squares = space.squares(tried, tried)
    return Likelihood(squares, y, share, free, within), Likelihood(squares[:0], y, share, free, within)


def fit(space: Space, data: Data, start: np.ndarray | None = None) -> Fit:
    """The likeliest hyper-parameters, from ``start``, or from two places if there is none or it leads nowhere."""
    many = len(space.parameters)
    usual = prior(many)[0]
    alike, strangers = likelihoods(space, data, usual if start is None else start)
    alone, other = minimise(strangers, strangers.mean)
    found = [] if start is None else [minimise(alike, start)]
    if not found or found[0][1] > other + LOST:
        found += [minimise(alike, each) for each in (usual, usual + np.array([-1.0] * many + [0.0, 1.0, 0.0]))]
    logs, value = min(found, key=lambda each: each[1])
    odds = alike.evidence(logs, value) - strangers.evidence(alone, other)
    odds = -CLEAR if math.isnan(odds) else min(max(odds, -CLEAR), CLEAR)  # a log keeps finite numbers only
    return Fit(logs, np.append(np.full(many, NOTHING), alone), odds)


# -- the belief ------------------------------------------------------------------------------------


class Posterior:
    """The belief about any options, given hyper-parameters."""

    _parts = ("space", "data", "logs", "odd")  # what it is made of, for files

    def __init__(self, space: Space, data: Data, logs: np.ndarray, odd: np.ndarray | None = None):
        """``odd`` [tried] is what is known to be an option's own beyond the usual; None: it is found."""
        self.space, self.data, self.logs = space, data, logs
        self.tried = tried = data.some(KNOWN)
        self.shared, own, self.noise = parts(logs, data.variance)
        kernel = self.shared * correlation(space, space.points[tried], space.points[tried], logs)
        error = self.noise * relative_noise(space, data, logs, tried) / data.counts[tried]
        self.odd, self.usual = np.zeros(tried.size) if odd is None else odd, own
        for left in (2, 1, 0) if odd is None and tried.size > 2 else (0,):  # twice to find what is odd
            self.own = own + self.odd
            covariance = kernel.copy()
            covariance.flat[:: tried.size + 1] += self.own + error + JITTER * (self.shared + own)
            found = inverse(covariance)
            self.precision = np.diag(1.0 / np.diagonal(covariance)) if found is None else found[0]
            self.sums = self.precision.sum(axis=1)
            self.center = float(self.sums @ data.means[tried] / self.sums.sum())
            self.pull = self.precision @ (data.means[tried] - self.center)
            if left:
                # The others predict the mean of an option with an error of pull / projected and variance 1 / projected.
                projected = np.diagonal(self.precision) - self.sums**2 / self.sums.sum()
                surprise, variance = (self.pull / projected) ** 2, 1.0 / projected - self.own + own
                self.odd = np.maximum(surprise - ODD * variance, 0.0)

    def about(self, points: np.ndarray, who: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """[n] the means, what the results share with each option [n, tried], what the unknown m adds, and own_i.

        ``who`` are their numbers, -1 for points at which there is no option.
        """
        same = who[:, None] == self.tried
        mine = self.own * same
        cross = self.shared * correlation(self.space, points, self.space.points[self.tried], self.logs) + mine
        rest = (1.0 - cross @ self.sums) / math.sqrt(float(self.sums.sum()))
        own = np.where(same.any(axis=1), mine.sum(axis=1), self.usual)
        return self.center + cross @ self.pull, cross, rest, own

    def marginal(self, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """[n] means and variances."""
        return self.at(self.space.points[who], who)

    def at(self, points: np.ndarray, who: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """[n] means and variances at any points."""
        means, cross, rest, own = self.about(points, np.full(len(points), -1) if who is None else who)
        variances = self.shared + own - ((cross @ self.precision) * cross).sum(axis=1) + rest * rest
        return means, np.maximum(variances, 0.0)

    def joint(self, who: np.ndarray) -> Joint:
        points = self.space.points[who]
        means, cross, rest, own = self.about(points, who)
        covariance = self.shared * correlation(self.space, points, points, self.logs)
        covariance -= cross @ self.precision @ cross.T
        covariance += np.outer(rest, rest)
        covariance.flat[:: who.size + 1] += own
        return Joint(means, covariance, self.noise * relative_noise(self.space, self.data, self.logs, who))
