"""VarDE-BAI (Algorithm 1): the rule, applied to the arms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..beliefs.belief import NOTHING, Belief, believed, common_of
from ..beliefs.noise import own_variance, pools
from ..decisions.decision import answer_size, fill_answer, one_against_all
from ..in_play import InPlay, choose, is_due, make_in_play, sampled, score_all
from ..rule import VarDE, first_samples, indexed, log_decrement, next_sample
from .index import Ranking, highest, index, make_ranking, rescore
from .loop import answer, begin, prepare, select, update, width

__all__ = ["VarDE"]


class Weighing(NamedTuple):
    warm: np.ndarray  # [1] initial pulls of each arm
    ranking: Ranking  # where the score of an arm depends on that arm alone
    square: np.ndarray  # [K] w^2
    expected: np.ndarray  # [K] as in ``Belief``
    noise: np.ndarray  # [K]
    errors: np.ndarray  # [K]
    squares: np.ndarray  # [K] M2 as it stands in the sum over all arms
    sums: np.ndarray  # [3] that sum, the sum of all rewards, and the lowest reward
    field: InPlay  # of many arms


MANY = 64  # arms that take longer to score than to keep in order
SQUARES, REWARDS, LOW = 0, 1, 2  # places in ``sums``


@prepare.of(VarDE)
def make_memory(rule, num_arms):
    rows = [np.zeros(num_arms) for _ in range(5)]
    return Weighing(np.zeros(1, np.int64), make_ranking(num_arms), *rows, np.zeros(3), make_in_play(num_arms))


@begin.of(VarDE)
def plan_warm_start(rule, memory, num_arms, budget):
    memory.warm[0] = first_samples(rule, budget, num_arms)
    memory.squares.fill(0.0)
    memory.field.then.fill(0.0)
    memory.sums[SQUARES], memory.sums[REWARDS], memory.sums[LOW] = 0.0, 0.0, np.inf


@index.of(VarDE)
def arm_score(rule, arms, i, origin):
    variance = own_variance(rule.noise, 0.0, arms.squares[i], arms.counts[i])
    return log_decrement(rule.decision, arms.means[i], variance, arms.counts[i], origin)


@select.of(VarDE)
def sample_arm(rule, memory, arms, t, rng):
    many, warm, sums = arms.counts.size, memory.warm[0], memory.sums
    if indexed(rule):
        return highest(rule, memory.ranking, arms, t, warm)
    if t < warm * many:
        return t % many
    if pools(rule.noise):
        if sums[SQUARES] <= 0.0:  # nothing distinguishes the arms
            return t % many
        common = common_of(rule.noise, sums[SQUARES] / (t - many), sums[REWARDS] / t, sums[LOW])
        if many >= MANY and one_against_all(rule.decision):
            chosen = choose(rule.noise, memory.field, arms, common, sums[LOW])
            if chosen >= 0:
                return chosen
        for i in range(many):
            believe(rule, memory, common, arms, i)
    belief = Belief(arms.counts, arms.means, memory.expected, memory.noise, memory.errors)
    if pools(rule.noise) and many >= MANY and one_against_all(rule.decision) and is_due(memory.field):
        chosen = score_all(rule.noise, memory.field, belief, common)
        if chosen >= 0:
            return chosen
    return next_sample(rule.decision, belief, memory.square)


@helper
def believe(rule, memory, common, arms, i):
    """Fill the belief about arm ``i``."""
    mean, noise, error = believed(rule.noise, common, arms.counts[i], arms.means[i], arms.squares[i])
    memory.expected[i], memory.noise[i], memory.errors[i] = mean, noise, error


@update.of(VarDE)
def notice(rule, memory, arms, arm, reward):
    if indexed(rule):
        rescore(rule, memory.ranking, arms, arm, memory.warm[0])
    elif pools(rule.noise):
        memory.sums[SQUARES] += arms.squares[arm] - memory.squares[arm]
        memory.squares[arm] = arms.squares[arm]
        memory.sums[REWARDS] += reward
        memory.sums[LOW] = min(memory.sums[LOW], reward)
        if arms.counts.size >= MANY and one_against_all(rule.decision):
            sampled(rule.noise, memory.field, arms, arm)
    else:
        believe(rule, memory, NOTHING, arms, arm)


@width.of(VarDE)
def answers_of_decision(rule, num_arms):
    return answer_size(rule.decision, num_arms)


@answer.of(VarDE)
def answer_of_decision(rule, memory, arms, chosen):
    fill_answer(rule.decision, arms.means, chosen)
