"""VarDE-BAI (Algorithm 1): the rule, applied to the arms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..noise import own_variance, pools, wary_variance
from ..parts import complete, error, estimate, noise, samples, size, wary_error
from ..rule import VarDE, first_samples, indexed, log_decrement, next_sample
from .index import Ranking, highest, index, make_ranking, rescore
from .loop import begin, prepare, select, update

__all__ = ["Arms", "VarDE"]


class Arms(NamedTuple):
    """What is compared: the arms, each pulled at least once, with their noise."""

    estimates: np.ndarray  # [K] means
    counts: np.ndarray  # [K] N
    variances: np.ndarray  # [K] s2
    model: Any  # of the noise
    pooled: float


@size.of(Arms)
def number_of_arms(parts):
    return parts.counts.size


@complete.of(Arms)
def all_pulled(parts):
    return True


@samples.of(Arms)
def pulls(parts, i):
    return parts.counts[i]


@estimate.of(Arms)
def mean_reward(parts, i):
    return parts.estimates[i]


@noise.of(Arms)
def variance_of_rewards(parts, i):
    return parts.variances[i]


@error.of(Arms)
def error_of_mean(parts, i):
    return parts.variances[i] / parts.counts[i]


@wary_error.of(Arms)
def wary_error_of_mean(parts, i):
    count = parts.counts[i]
    return wary_variance(parts.model, parts.pooled, parts.variances[i], count) / count


class Weighing(NamedTuple):
    warm: np.ndarray  # [1] pulls of each arm to begin with
    ranking: Ranking  # where the score of an arm depends on that arm alone
    square: np.ndarray  # [K] w^2
    variances: np.ndarray  # [K] s2
    total: np.ndarray  # [1] sum of M2 over all arms
    squares: np.ndarray  # [K] M2 as it stands in that sum


@prepare.of(VarDE)
def make_memory(rule, num_arms):
    places = [np.zeros(num_arms) for _ in range(3)]
    return Weighing(np.zeros(1, np.int64), make_ranking(num_arms), *places[:2], np.zeros(1), places[2])


@begin.of(VarDE)
def plan_warm_start(rule, memory, num_arms, budget):
    memory.warm[0] = first_samples(rule, budget, num_arms)
    memory.total[0] = 0.0
    memory.squares.fill(0.0)


@index.of(VarDE)
def arm_score(rule, arms, i, origin):
    variance = own_variance(rule.noise, 0.0, arms.squares[i], arms.counts[i])
    return log_decrement(rule.decision, arms.means[i], variance, arms.counts[i], origin)


@select.of(VarDE)
def sample_arm(rule, memory, arms, t, rng):
    many, warm, pooled = arms.counts.size, memory.warm[0], 0.0
    if indexed(rule):
        return highest(rule, memory.ranking, arms, t, warm)
    if t < warm * many:
        return t % many
    if pools(rule.noise):
        if memory.total[0] <= 0.0:  # nothing to tell the arms apart by
            return t % many
        pooled = memory.total[0] / (t - many)
        for i in range(many):
            memory.variances[i] = own_variance(rule.noise, pooled, arms.squares[i], arms.counts[i])
    parts = Arms(arms.means, arms.counts, memory.variances, rule.noise, pooled)
    return next_sample(rule.decision, parts, memory.square)


@update.of(VarDE)
def notice(rule, memory, arms, arm, reward):
    if indexed(rule):
        rescore(rule, memory.ranking, arms, arm, memory.warm[0])
    elif pools(rule.noise):
        memory.total[0] += arms.squares[arm] - memory.squares[arm]
        memory.squares[arm] = arms.squares[arm]
    else:
        memory.variances[arm] = own_variance(rule.noise, 0.0, arms.squares[arm], arms.counts[arm])
