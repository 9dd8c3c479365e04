"""VarDE on the gaps to the leader, applied to the arms: nothing to tune (see ``varde.gaps`` for the formulas)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..decisions import largest
from ..gaps import GapVarDE, automatic_warm_start, guarded, own_variance
from ..rule import shrinkage
from .loop import begin, prepare, recommend, select, update


class Workspace(NamedTuple):
    warm: np.ndarray  # [1] pulls of each arm to begin with
    total: np.ndarray  # [1] sum of M2 over all arms
    squares: np.ndarray  # [K] M2 as it stands in that sum
    variances: np.ndarray  # [K] s2
    noise: np.ndarray  # [K] w^2 s2


@prepare.of(GapVarDE)
def make_workspace(rule, num_arms):
    return Workspace(np.zeros(1, np.int64), np.zeros(1), np.zeros(num_arms), np.zeros(num_arms), np.zeros(num_arms))


@begin.of(GapVarDE)
def plan_warm_start(rule, memory, num_arms, budget):
    memory.warm[0] = rule.warm_start if rule.warm_start > 0 else automatic_warm_start(budget, num_arms)
    memory.total[0] = 0.0
    memory.squares.fill(0.0)


@update.of(GapVarDE)
def pool(rule, memory, arms, arm, reward):
    memory.total[0] += arms.squares[arm] - memory.squares[arm]
    memory.squares[arm] = arms.squares[arm]


@helper
def weigh_arms(rule, memory, arms, t):
    """Fill ``memory.noise`` with w^2 s2 of every arm, after ``t`` pulls."""
    variances, noise = memory.variances, memory.noise
    pooled = memory.total[0] / (t - noise.size)
    leader = recommend(rule, memory, arms)
    top, count = arms.means[leader], arms.counts[leader]
    error = own_variance(rule, pooled, arms.squares[leader], count) / count
    for i in range(noise.size):
        variances[i] = own_variance(rule, pooled, arms.squares[i], arms.counts[i])
        wary = guarded(rule, pooled, variances[i], arms.counts[i])
        noise[i] = rule.focus * (arms.means[i] - top) / math.sqrt(error + wary / arms.counts[i])
    noise[leader] = -np.inf
    nearest, total = largest(noise), 0.0
    for i in range(noise.size):
        weight = math.exp(noise[i] - nearest)
        total += weight
        noise[i] = weight * variances[i]
    noise[leader] = total * variances[leader]


@select.of(GapVarDE)
def sample_arm(rule, memory, arms, t, rng):
    size = arms.counts.size
    if t < memory.warm[0] * size or memory.total[0] <= 0.0:
        return t % size
    weigh_arms(rule, memory, arms, t)
    return largest_drop(memory.noise, arms.counts)


@helper
def largest_drop(noise, counts):
    """The arm of the largest decrement, the lowest index on ties."""
    best, chosen = -np.inf, 0
    for i in range(noise.size):
        score = noise[i] * shrinkage(counts[i])
        higher = score > best
        best = score if higher else best
        chosen = i if higher else chosen
    return chosen
