"""Bets against a mean (test martingales): against the true mean, a bet ever reaches x with probability at most 1/x.

Everything here is the logarithm of a capital M that starts at 1 and has mean 1 or less if the mean bet against is true
(Ville 1939), however often it is checked.  Bets are one-sided: on results higher than mu allows; negate for lower ones.

Gaussian results, variance unknown.  Scale-free: a mixture over half-normal effect sizes of precision c, Haar measure on
the scale; d = mean - mu, T_N Student's distribution function with N degrees of freedom (the chance that the effect is
positive, which makes one side out of two):

    S = M2 + N d^2 c/(N + c)
    log M_c = log 2 + log T_N(N d/sqrt(N + c) sqrt(N/S)) + 1/2 log(c/(N + c)) + N/2 log((M2 + N d^2)/S)

Results from 0 to 1, any distribution.  The first result decides how the capital is split after it: nine tenths on the
form that suits it, one tenth on the other.

    two values   mixture over s of prod (q/mu)^x ((1 - q)/(1 - mu))^(1 - x),  q = logistic(logit(mu) + s)
    spread       mixture over L < 1 of prod (1 + L (x/mu - 1)), or rather of a lower bound of it from the moments:
                 log(1 + y) >= y - y^2 (-log(1 - l) - l)/l^2 for all y >= -l, where -l is the lowest y that has come
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..beliefs.student import log_phi, normal_score

Effects = tuple[tuple[float, float], ...]  # c and its share: effects of about 1/sqrt(c) of the noise are bet on

NEAR: Effects = ((100.0, 0.2), (10.0, 0.5), (1.0, 0.2), (0.1, 0.1))
FAR: Effects = ((1000.0, 0.25), (100.0, 0.35), (10.0, 0.25), (1.0, 0.1), (0.1, 0.05))  # of the much sampled leader
# Shares that are never bet, if two bets are multiplied at every mu: of the leader, usually too well known to be the
# weaker half of a pair, and of a rival.
SAFE, CASH = 0.1, 0.02
STEPS = np.exp(np.linspace(math.log(0.02), math.log(6.0), 24))  # s: log-odds above the mean bet against
ODDS = np.exp(-0.5 * (np.log(STEPS / 0.3) / 0.6) ** 2)
ODDS = 0.5 * ODDS / ODDS.sum() + 0.5 / STEPS.size  # half of it near 0.3, half everywhere
RANGES = [(float(STEPS[k]), float(STEPS[k + 2]), float(ODDS[k : k + 3].sum())) for k in range(0, STEPS.size, 3)]
STAKES = 0.98 * 2.0 ** -np.arange(8.0)  # L
FITTING = 0.9  # bet on the form that suits the first result


def student_floor(t: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """log of Student's distribution function, never too high from 1 degree of freedom on."""
    floor = log_phi(normal_score(t, freedom) - 0.005) - np.where(t < 0.0, 0.16, 0.0)
    return np.where(t < -8.0, -np.inf, floor)


def gaussian_bet(counts: np.ndarray, squares: np.ndarray, ahead: np.ndarray, effects: Effects = NEAR) -> np.ndarray:
    """log M of Gaussian results whose mean is ``ahead`` of the mean bet against."""
    n, total = np.asarray(counts, float), np.array(-np.inf)
    away = n * ahead * ahead
    for c, share in effects:
        rest = squares + away * (c / (n + c))
        moved = rest > 0.0
        rest = np.where(moved, rest, 1.0)
        growth = 0.5 * n * np.log(np.where(moved, squares + away, 1.0) / rest)
        side = student_floor(n * ahead / np.sqrt(n + c) * np.sqrt(n / rest), n)
        total = np.logaddexp(total, math.log(2.0 * share) + side + growth - 0.5 * np.log1p(n / c))
    return total


class Within(NamedTuple):
    """Results of one option, scaled to 0 ... 1."""

    first: float
    lowest: float
    highest: float
    later: int  # how many came after the first
    mean: float  # of those
    squares: float


def within(values: np.ndarray, bounds: tuple[float, float]) -> Within:
    """The statistics of results within bounds that the bets need."""
    x = (values - bounds[0]) / (bounds[1] - bounds[0])
    rest = x[1:]
    mean = float(rest.mean()) if rest.size else 0.0
    return Within(float(x[0]), float(x.min()), float(x.max()), rest.size, mean, float(((rest - mean) ** 2).sum()))


def turned(one: Within) -> Within:
    """1 - x: a bet on lower results is one on higher results of these."""
    return one._replace(first=1.0 - one.first, lowest=1.0 - one.highest, highest=1.0 - one.lowest, mean=1.0 - one.mean)


def bounded_bet(one: Within, at: np.ndarray) -> np.ndarray:
    """log M of results from 0 to 1 against every mean ``at``."""
    mu = np.clip(at, 1e-12, 1.0 - 1e-12)[..., None]
    n, mean, d = float(one.later), one.mean, one.mean - mu
    odds = np.log(mu / (1.0 - mu)) + STEPS
    up, down = np.log(mu), np.log1p(-mu)
    grown, shrunk = -np.log1p(np.exp(-odds)), -np.log1p(np.exp(odds))  # log q, log (1 - q)
    two = n * (mean * (grown - up) + (1.0 - mean) * (shrunk - down)) + np.log(ODDS)
    worst = np.clip(STAKES * (1.0 - one.lowest / mu), 1e-6, STAKES)
    curve = (-np.log1p(-worst) - worst) / worst**2
    spread = STAKES * n * d / mu - curve * (STAKES / mu) ** 2 * (one.squares + n * d * d) - math.log(STAKES.size)
    share = FITTING if one.first in (0.0, 1.0) else 1.0 - FITTING
    return np.logaddexp(
        math.log(share) + log_sum(two),
        math.log(1.0 - share) + log_sum(spread),
    )


def log_sum(logs: np.ndarray) -> np.ndarray:
    """log of the sum of exp over the last axis."""
    most = logs.max(axis=-1)
    return np.asarray(most + np.log(np.exp(logs - most[..., None]).sum(axis=-1)))


def difference_bet(differences: np.ndarray, margin: float) -> float:
    """log M of differences from -1 to 1 whose mean is bet against being -``margin`` or less."""
    stakes = STAKES / max(1.0 - margin, 1e-9)
    grown = np.log1p(stakes[:, None] * (differences + margin)).sum(axis=1)
    return float(log_sum(grown - math.log(stakes.size)))


def with_cash(log_bet: np.ndarray, cash: float) -> np.ndarray:
    """Keep a part of the capital out of the bet, as a lower bound."""
    return np.logaddexp(math.log1p(-cash) + log_bet, math.log(cash))
