"""VarDE-BAI (Algorithm 1): the rule, applied to the arms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..decisions import separable
from ..moments import variance
from ..rule import VarDE, log_decrement, next_sample
from .index import Scores, highest, index, make_scores, rescore
from .loop import prepare, select, update


class Workspace(NamedTuple):
    scores: Scores  # of a separable decision
    weights: np.ndarray  # [K] of any other
    variances: np.ndarray  # [K]


@prepare.of(VarDE)
def make_workspace(rule, num_arms):
    return Workspace(make_scores(num_arms), np.zeros(num_arms), np.zeros(num_arms))


@index.of(VarDE)
def arm_score(rule, arms, i, origin):
    return log_decrement(rule, arms.means[i], variance(arms, i, rule.ddof), arms.counts[i], origin)


@select.of(VarDE)
def sample_arm(rule, memory, arms, t, rng):
    if separable(rule.decision) or t < rule.warm_start * arms.counts.size:
        return highest(rule, memory.scores, arms, t)
    return next_sample(rule, arms.means, memory.variances, arms.counts, memory.weights)


@update.of(VarDE)
def notice(rule, memory, arms, arm, reward):
    if separable(rule.decision):
        rescore(rule, memory.scores, arms, arm)
    else:
        memory.variances[arm] = variance(arms, arm, rule.ddof)
