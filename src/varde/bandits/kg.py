"""The knowledge gradient (Frazier, Powell and Dayanik 2008), with estimated variances.

Pull the arm whose next reward is expected to raise the highest mean most.  It moves the mean of arm i by about
sig_i = sqrt(sigma_i^2 / (N_i (N_i + 1))), which helps if that is past the best of the others, d_i away:

    gain_i = sig_i f(-d_i / sig_i),      f(x) = phi(x) + x Phi(x)
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, is_record
from ..beliefs.noise import Pooled, own_variance, pools
from ..check import problem_with
from ..rule import shrinkage
from .loop import prepare, select

FAR = 8.0  # standard deviations beyond which the two terms of f cancel: use its asymptote


class KG(NamedTuple):
    """The knowledge gradient: pull the arm with the largest expected gain of one more pull."""

    noise: Any = Pooled()
    warm_start: int = 2


@prepare.of(KG)
def make_variances(algorithm, num_arms):
    return np.zeros(num_arms)


@select.of(KG)
def most_to_gain(algorithm, variances, arms, t, rng):
    many, total, free = arms.counts.size, 0.0, 0
    if t < algorithm.warm_start * many:
        return t % many
    for i in range(many):
        total += arms.squares[i]
        free += arms.counts[i] - 1
    if pools(algorithm.noise) and (total <= 0.0 or free <= 0):  # nothing distinguishes the arms
        return t % many
    pooled = total / max(free, 1)
    for i in range(many):
        variances[i] = own_variance(algorithm.noise, pooled, arms.squares[i], arms.counts[i])
    return largest_gain(arms.counts, arms.means, variances)


@helper
def log_loss(x):
    """log f(-x), x >= 0."""
    if x < FAR:
        return math.log(0.3989422804014327 * math.exp(-0.5 * x * x) - 0.5 * x * math.erfc(0.7071067811865476 * x))
    return -0.5 * x * x - 0.9189385332046727 - 2.0 * math.log(x)


@helper
def largest_gain(counts, means, variances):
    """The arm whose next reward is expected to gain most, the lowest index on exact ties."""
    many, leader, top, second, widest = counts.size, 0, -np.inf, -np.inf, 0.0
    for i in range(many):
        if means[i] > top:
            leader, top, second = i, means[i], top
        else:
            second = max(second, means[i])
        widest = max(widest, variances[i] * shrinkage(counts[i]))
    chosen, best = 0, -np.inf
    for i in range(many):
        square = variances[i] * shrinkage(counts[i])
        lead = top - (second if i == leader else means[i])
        gain = 0.5 * math.log(square / widest) + log_loss(lead / math.sqrt(square))
        if gain > best:
            chosen, best = i, gain
    return chosen


@problem_with.of(KG)
def kg_problem(algorithm):
    if not is_record(algorithm.noise):
        return f"noise is {algorithm.noise!r}: write a record such as Pooled() or Floor(0.01)"
    return ""
