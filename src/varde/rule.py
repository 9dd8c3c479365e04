"""The rule: sample where one more sample most lowers the variance of the decision.

The decision is a smooth function Y of the estimates, w its gradient.  To first order its variance is
sum_i w_i^2 sigma_i^2 / N_i, and one more sample of component i lowers it by

    w_i^2 sigma_i^2 / (N_i (N_i + 1))                                (Proposition 3.6)

Best-arm identification applies this to arms, tree search to the actions of a node, best-policy
identification to the actions of a state, ask/tell to a user's options.  Nothing else in the package
decides where VarDE samples; ``gaps`` says which w^2 leave nothing to tune.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ._compile import helper
from .decisions import LogSumExp, influence, largest, log_influence, problem_with, separable


class VarDE(NamedTuple):
    """Variance Driven Exploration: a smooth decision, and how noise is estimated."""

    decision: Any = LogSumExp()
    floor: float = 0.01  # the least variance believed in
    warm_start: int = 2  # samples of every component before the rule begins
    ddof: int = 1  # variance = M2 / (N - ddof); the paper prints 0 and its numbers fit 1
    equal_noise: bool = False  # take every variance as 1: the ablation Weight-Only


@helper
def noise(rule, variance):
    """The variance that the rule works with."""
    return 1.0 if rule.equal_noise else max(variance, rule.floor)


@helper
def shrinkage(count):
    """1/N - 1/(N + 1): what one more sample takes off the variance of a mean, as a share of sigma^2."""
    return 1.0 / (count * (count + 1.0))


@helper
def decrement(weight, variance, count):
    """The drop of the decision's variance after one more sample; infinite before the first."""
    return weight * weight * variance * shrinkage(count) if count > 0 else np.inf


@helper
def log_decrement(rule, value, variance, count, origin):
    """``log(decrement)`` up to a constant common to all components, for a separable decision.

    The normaliser of the weights drops out of the argmax, so the score of a component depends on that
    component alone: it is computed when the component is sampled and kept until it is sampled again.
    ``origin`` is any number near the values, the same for all (see ``log_influence``).
    """
    if count == 0:
        return np.inf
    return 2.0 * log_influence(rule.decision, value, origin) + math.log(noise(rule, variance) * shrinkage(count))


@helper
def next_sample(rule, values, variances, counts, weights):
    """The component to sample next (Section 3.4), the lowest index on exact ties.

    ``weights`` is a place to work in, of the same size.
    """
    best, chosen = -np.inf, 0
    if separable(rule.decision):
        origin = largest(values)
        for i in range(values.size):
            score = log_decrement(rule, values[i], variances[i], counts[i], origin)
            if score > best:
                best, chosen = score, i
    else:
        influence(rule.decision, values, weights)
        for i in range(values.size):
            score = decrement(weights[i], noise(rule, variances[i]), counts[i])
            if score > best:
                best, chosen = score, i
    return chosen


@problem_with.of(VarDE)
def rule_problem(rule):
    if not 0.0 < rule.floor < np.inf:
        return f"floor is {rule.floor}: write a positive variance, such as 0.01"
    if rule.warm_start < 1:
        return f"warm_start is {rule.warm_start}: write the samples of each component to begin with, 1 or more"
    if rule.ddof not in (0, 1):
        return f"ddof is {rule.ddof}: write 1 for M2/(N-1) or 0 for M2/N"
    return problem_with(rule.decision)
