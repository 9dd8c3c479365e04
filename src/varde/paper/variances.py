"""Measuring the first-order variance of a decision and the full one: what ``approximation`` runs.

Apart from the words of that study, since whatever a kernel's file imports counts in the digest of the kernels.
"""

from __future__ import annotations

import math

import numpy as np

from .._compile import helper, kernel
from ..bandits import INSTANCES
from ..bandits.loop import advance, begin, prepare
from ..beliefs.noise import own_variance
from ..decisions import influence, value
from ..moments import clear, joined, make_moments
from ..random import normal, start
from ..rule import VarDE

PROBLEM = "BAI.4"
DRAWS = 2_000
PULLS = {20: 40, 400: 420, 600: 620, 900: 1000}  # by printed step: total pulls that its numbers fit
COLUMNS = ("V_full", "V_1st", "|V_full - V_1st|", "shortfall %")


@helper
def first_order(rule, arms, weights):
    """sum_i w_i^2 sigma_i^2 / N_i."""
    influence(rule.decision, arms.means, weights)
    total = 0.0
    for i in range(weights.size):
        total += weights[i] ** 2 * own_variance(rule.noise, 0.0, arms.squares[i], arms.counts[i]) / arms.counts[i]
    return total


@helper
def full(rule, arms, draws, means, errors, weights, rng):
    """The variance of the decision when the means are drawn from N(mean_i, sigma_i^2 / N_i)."""
    for i in range(means.size):
        errors[i] = math.sqrt(own_variance(rule.noise, 0.0, arms.squares[i], arms.counts[i]) / arms.counts[i])
    mean, squares = 0.0, 0.0
    for n in range(draws):
        for i in range(means.size):
            means[i] = arms.means[i] + errors[i] * normal(rng)
        y = value(rule.decision, means, weights)
        mean, squares = joined(mean, squares, y, n + 1)
    return squares / (draws - 1)


@kernel
def compare(rule, bandit, memory, arms, order, checkpoints, draws, work, key, rng, first, out):
    """Fill ``out [R, C, 4]`` with the four columns of the table at each of C checkpoints."""
    for run in range(out.shape[0]):
        start(rng, key, first + run)
        clear(arms)
        begin(rule, memory, order.size, checkpoints[-1])
        t = 0
        for c in range(checkpoints.size):
            advance(rule, bandit, memory, arms, order, t, checkpoints[c], rng)
            t = checkpoints[c]
            linear = first_order(rule, arms, work[0])
            whole = full(rule, arms, draws, work[1], work[2], work[0], rng)
            out[run, c, 0], out[run, c, 1] = whole, linear
            out[run, c, 2], out[run, c, 3] = abs(whole - linear), 100.0 * abs(whole - linear) / whole


def measure(rule: VarDE, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, steps x columns], the last column in percent."""
    bandit, size = INSTANCES[PROBLEM].bandit, INSTANCES[PROBLEM].num_arms
    out = np.empty((runs, len(PULLS), len(COLUMNS)))
    pulls = np.array(list(PULLS.values()))
    rng, order, work = np.empty(4, np.uint64), np.arange(size), np.empty((3, size))
    memory, arms = prepare(rule, size), make_moments(size)
    compare(rule, bandit, memory, arms, order, pulls, DRAWS, work, key, rng, first, out)
    return out.reshape(runs, -1)
