"""Index rules: pull the arm with the highest score, where a pull changes the score of that arm alone.

VarDE with a separable decision and UCB-E share this: a round-robin warm start, then a tournament of cached
scores.  Only ``index`` differs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..arrays import largest
from ..tournament import Tournament, enter, make_tournament, play, put, winner


@verb
def index(algorithm, arms, i, origin):
    """The score of arm ``i``; ``origin`` is the highest mean after the warm start."""


class Ranking(NamedTuple):
    tournament: Tournament
    origin: np.ndarray  # [1]


def make_ranking(num_arms: int) -> Ranking:
    return Ranking(make_tournament(num_arms), np.zeros(1))


@helper
def enter_all(algorithm, ranking, arms):
    """Score every arm, once the warm start is over."""
    ranking.origin[0] = largest(arms.means)
    for i in range(arms.counts.size):
        enter(ranking.tournament, i, index(algorithm, arms, i, ranking.origin[0]))
    play(ranking.tournament)


@helper
def highest(algorithm, ranking, arms, t, warm):
    """The arm to pull at step ``t``, after ``warm`` pulls of each arm."""
    if t < warm * arms.counts.size:
        return t % arms.counts.size
    if t == warm * arms.counts.size:
        enter_all(algorithm, ranking, arms)
    return winner(ranking.tournament)


@helper
def rescore(algorithm, ranking, arms, arm, warm):
    """Refresh the score of the arm just pulled; during the warm start it is not read."""
    if arms.counts[arm] > warm:
        put(ranking.tournament, arm, index(algorithm, arms, arm, ranking.origin[0]))
