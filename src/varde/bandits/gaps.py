"""VarDE on the gaps to the leader, applied to the arms: nothing to tune (see ``varde.gaps`` for the formulas)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..decisions import largest
from ..gaps import GapVarDE, automatic_warm_start, guarded, own_variance
from ..rule import shrinkage
from .loop import begin, prepare, recommend, select, update


class Workspace(NamedTuple):
    warm: np.ndarray  # [1] pulls of each arm to begin with
    noise: np.ndarray  # [1] sum of M2 over all arms
    squares: np.ndarray  # [K] M2 as it stands in that sum
    variances: np.ndarray  # [K]
    logs: np.ndarray  # [K]


@prepare.of(GapVarDE)
def make_workspace(rule, num_arms):
    return Workspace(np.zeros(1, np.int64), np.zeros(1), np.zeros(num_arms), np.zeros(num_arms), np.zeros(num_arms))


@begin.of(GapVarDE)
def plan_warm_start(rule, memory, num_arms, budget):
    memory.warm[0] = rule.warm_start if rule.warm_start > 0 else automatic_warm_start(budget, num_arms)
    memory.noise[0] = 0.0
    memory.squares.fill(0.0)


@update.of(GapVarDE)
def pool(rule, memory, arms, arm, reward):
    memory.noise[0] += arms.squares[arm] - memory.squares[arm]
    memory.squares[arm] = arms.squares[arm]


@select.of(GapVarDE)
def sample_arm(rule, memory, arms, t, rng):
    size = arms.counts.size
    if t < memory.warm[0] * size or memory.noise[0] <= 0.0:
        return t % size
    pooled = memory.noise[0] / (t - size)
    leader = recommend(rule, memory, arms)
    top, count = arms.means[leader], arms.counts[leader]
    error = own_variance(rule, pooled, arms.squares[leader], count) / count
    for i in range(size):
        variance = own_variance(rule, pooled, arms.squares[i], arms.counts[i])
        wary = guarded(rule, pooled, variance, arms.counts[i])
        memory.variances[i] = variance
        memory.logs[i] = rule.focus * (arms.means[i] - top) / math.sqrt(error + wary / arms.counts[i])
    memory.logs[leader] = -np.inf
    nearest = largest(memory.logs)
    total, best, chosen = 0.0, -np.inf, leader
    for i in range(size):
        weight = math.exp(memory.logs[i] - nearest)
        total += weight
        score = weight * memory.variances[i] * shrinkage(arms.counts[i])
        if score > best:
            best, chosen = score, i
    mine = total * memory.variances[leader] * shrinkage(count)
    return leader if mine > best or (mine == best and leader < chosen) else chosen
