"""VarDE-BAI (Algorithm 1): the rule, applied to the arms."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile import helper
from ..beliefs.noise import own_variance, pools, wary_variance
from ..beliefs.parts import complete, error, estimate, noise, samples, size, wary_error
from ..decisions.jumps import JumpGaps, believed, in_tail, jump_focus, jump_weight, jumps_of
from ..gain import largest_gain
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


class Jumping(NamedTuple):
    """The same where rewards are mostly one lowest value."""

    means: np.ndarray  # [K] plain ones, by which one leads
    above: np.ndarray  # [K] estimated means above the lowest value
    errors: np.ndarray  # [K] their variances
    counts: np.ndarray  # [K] N
    variances: np.ndarray  # [K] s2


@estimate.of(Jumping)
def believed_mean(parts, i):
    return parts.above[i]


size.of(Jumping)(number_of_arms)
complete.of(Jumping)(all_pulled)
samples.of(Jumping)(pulls)
noise.of(Jumping)(variance_of_rewards)


class Weighing(NamedTuple):
    plan: np.ndarray  # [2] initial pulls of each arm; total pulls
    ranking: Ranking  # where the score of an arm depends on that arm alone
    square: np.ndarray  # [K] w^2
    variances: np.ndarray  # [K] s2
    total: np.ndarray  # [1] sum of M2 over all arms
    squares: np.ndarray  # [K] M2 as it stands in that sum
    lowest: np.ndarray  # [2] the lowest reward; how often it came
    above: np.ndarray  # [K] as in ``Jumping``
    errors: np.ndarray  # [K] as in ``Jumping``


WARM, BUDGET = 0, 1  # places in ``plan``
END, OFTEN = 0, 1  # places in ``lowest``


@prepare.of(VarDE)
def make_memory(rule, num_arms):
    places = [np.zeros(num_arms) for _ in range(5)]
    ranking = make_ranking(num_arms)
    return Weighing(np.zeros(2, np.int64), ranking, *places[:2], np.zeros(1), places[2], np.zeros(2), *places[3:])


@begin.of(VarDE)
def plan_warm_start(rule, memory, num_arms, budget):
    memory.plan[WARM], memory.plan[BUDGET] = first_samples(rule, budget, num_arms), budget
    memory.total[0] = 0.0
    memory.squares.fill(0.0)
    memory.lowest[END], memory.lowest[OFTEN] = np.inf, 0.0


@index.of(VarDE)
def arm_score(rule, arms, i, origin):
    variance = own_variance(rule.noise, 0.0, arms.squares[i], arms.counts[i])
    return log_decrement(rule.decision, arms.means[i], variance, arms.counts[i], origin)


@select.of(VarDE)
def sample_arm(rule, memory, arms, t, rng):
    many, warm, pooled = arms.counts.size, memory.plan[WARM], 0.0
    if indexed(rule):
        return highest(rule, memory.ranking, arms, t, warm)
    if t < warm * many:
        return t % many
    if pools(rule.noise):
        if memory.total[0] <= 0.0:  # nothing distinguishes the arms
            return t % many
        pooled = memory.total[0] / (t - many)
        for i in range(many):
            memory.variances[i] = own_variance(rule.noise, pooled, arms.squares[i], arms.counts[i])
        focus, weight = jump_focus(rule.decision), jump_weight(memory.lowest[OFTEN] / t)
        if focus > 0.0 and weight > 0.0:
            return sample_jump(focus, weight, memory, arms, t)
    parts = Arms(arms.means, arms.counts, memory.variances, rule.noise, pooled)
    return next_sample(rule.decision, parts, memory.square)


@helper
def sample_jump(focus, weight, memory, arms, t):
    """The arm to pull where rewards are mostly one lowest value; ``variances`` are ready."""
    many, end, total, square = arms.counts.size, memory.lowest[END], 0.0, 0.0
    for i in range(many):
        above = arms.means[i] - end
        total += arms.counts[i] * above
        square += arms.squares[i] + arms.counts[i] * above * above
    jumps = jumps_of(weight, end, t, memory.lowest[OFTEN], total, square)
    for i in range(many):
        count = arms.counts[i]
        memory.above[i], memory.errors[i], more = believed(jumps, count, arms.means[i], arms.squares[i])
        memory.variances[i] = max(memory.variances[i], more / count)
    parts = Jumping(arms.means, memory.above, memory.errors, arms.counts, memory.variances)
    if in_tail((memory.plan[BUDGET] - t) / memory.plan[BUDGET], weight, many):
        return largest_gain(parts)
    return next_sample(JumpGaps(focus), parts, memory.square)


@update.of(VarDE)
def notice(rule, memory, arms, arm, reward):
    if indexed(rule):
        rescore(rule, memory.ranking, arms, arm, memory.plan[WARM])
    elif pools(rule.noise):
        memory.total[0] += arms.squares[arm] - memory.squares[arm]
        memory.squares[arm] = arms.squares[arm]
        if reward < memory.lowest[END]:
            memory.lowest[END], memory.lowest[OFTEN] = reward, 1.0
        elif reward == memory.lowest[END]:
            memory.lowest[OFTEN] += 1.0
    else:
        memory.variances[arm] = own_variance(rule.noise, 0.0, arms.squares[arm], arms.counts[arm])
