"""Index rules: pull the arm with the highest score, where a pull changes the score of that arm alone.

What VarDE with a separable decision and UCB-E share: a round-robin warm start, then a tournament of
cached scores.  ``index`` is all that differs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..decisions import largest
from ..tournament import Tournament, enter, make_tournament, play, put, winner


@verb
def index(algorithm, arms, i, origin):
    """The score of arm ``i``; ``origin`` is the highest mean after the warm start."""


class Scores(NamedTuple):
    tournament: Tournament
    origin: np.ndarray  # [1]


def make_scores(num_arms: int) -> Scores:
    return Scores(make_tournament(num_arms), np.zeros(1))


@helper
def enter_all(algorithm, scores, arms):
    """Score every arm, once the warm start is over."""
    scores.origin[0] = largest(arms.means)
    for i in range(arms.counts.size):
        enter(scores.tournament, i, index(algorithm, arms, i, scores.origin[0]))
    play(scores.tournament)


@helper
def highest(algorithm, scores, arms, t):
    """The arm to pull at step ``t``."""
    warm = algorithm.warm_start * arms.counts.size
    if t < warm:
        return t % arms.counts.size
    if t == warm:
        enter_all(algorithm, scores, arms)
    return winner(scores.tournament)


@helper
def rescore(algorithm, scores, arms, arm):
    """Refresh the score of the arm just pulled; during the warm start nobody reads it."""
    if arms.counts[arm] > algorithm.warm_start:
        put(scores.tournament, arm, index(algorithm, arms, arm, scores.origin[0]))
