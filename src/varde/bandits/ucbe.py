"""UCB-E (Audibert, Bubeck and Munos 2010)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..check import problem_with
from .index import highest, index, make_ranking, rescore
from .loop import prepare, select, update
from .problems import true_means


class UCBE(NamedTuple):
    """Pull the highest mean + sqrt(alpha / n), after ``warm_start`` pulls of each arm."""

    alpha: float = 2.0
    warm_start: int = 1

    @classmethod
    def textbook(cls, bandit: NamedTuple, budget: int, warm_start: int = 1) -> UCBE:
        """The constant of the theorem, (25/36)(T - K)/H1; it needs the true gaps."""
        means = np.asarray(true_means(bandit), dtype=float)
        gaps = np.sort(means.max() - means)[1:]
        hardness = (1.0 / gaps**2).sum() + 1.0 / gaps[0] ** 2
        return cls(float(25.0 / 36.0 * (budget - means.size) / hardness), warm_start)


@prepare.of(UCBE)
def ranking_of_bounds(algorithm, num_arms):
    return make_ranking(num_arms)


@index.of(UCBE)
def upper_bound(algorithm, arms, i, origin):
    return arms.means[i] + math.sqrt(algorithm.alpha / arms.counts[i])


@select.of(UCBE)
def highest_bound(algorithm, ranking, arms, t, rng):
    return highest(algorithm, ranking, arms, t, algorithm.warm_start)


@update.of(UCBE)
def rescore_arm(algorithm, ranking, arms, arm, reward):
    rescore(algorithm, ranking, arms, arm, algorithm.warm_start)


@problem_with.of(UCBE)
def ucbe_problem(algorithm):
    return exploration_problem(algorithm)


def exploration_problem(algorithm):
    """What can be wrong in the settings of UCB-E and UGapE."""
    if not 0.0 <= algorithm.alpha < np.inf:
        return f"alpha is {algorithm.alpha}: write a finite number, zero or more, such as 2.0"
    if algorithm.warm_start < 1:
        return f"warm_start is {algorithm.warm_start}: write the initial pulls of each arm, 1 or more"
    return ""
