"""The rule: sample where one more sample most lowers the variance of the decision.

A decision says by ``weigh`` how much the variance of each estimate matters to it, w_i^2: for a smooth function Y of
the estimates the square of its gradient.  To first order the variance of the decision is
sum_i w_i^2 sigma_i^2 / N_i, and one more sample of part i lowers it by

    decrement(w_i^2, sigma_i^2, N_i) = w_i^2 sigma_i^2 / (N_i (N_i + 1))        (Proposition 3.6)

``next_sample`` takes the largest.  Best-arm identification applies this to arms, tree search to the actions of a node,
best-policy identification to the pairs of a policy, ask/tell to a user's options.  Where estimates are correlated
(common random numbers, a fixed test set), ``joint_decrements`` is the same drop from their covariance.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ._compile import helper, is_record
from .beliefs.belief import belief_of
from .beliefs.noise import pools
from .check import problem_with
from .decisions.decision import log_influence, separable, usual_noise, usual_warm_start, weigh, weigh_numbers
from .decisions.regret import Regret

START = 3  # the fewest results with a variance that is worth pooling; 5, T/6K and T/3K are level or worse


class Fields(NamedTuple):
    decision: Any
    noise: Any
    warm_start: int


class VarDE(Fields):
    """Variance Driven Exploration: a decision, a model of the noise, and a warm start.

    ``VarDE()`` has nothing to tune; ``VarDE(LogSumExp(0.1))`` is the paper's rule.

    Args:
        decision: what the samples decide; the default, ``Regret()``, is which one is the best.
        noise: a model of the noise; by default ``Pooled()`` for ``Regret``, ``Floor(0.01)`` for the paper's
            decisions.
        warm_start: initial samples of each arm; by default 0 (chosen from the budget) for ``Regret`` and 2 for the
            paper's decisions.

    >>> VarDE()
    VarDE(decision=Regret(), noise=Pooled(prior=5.0, rare=2.0), warm_start=0)
    """

    __slots__ = ()

    def __new__(cls, decision: Any = Regret(), noise: Any = None, warm_start: int | None = None) -> VarDE:  # noqa: B008
        noise = usual_noise(decision) if noise is None else noise
        return super().__new__(cls, decision, noise, usual_warm_start(decision) if warm_start is None else warm_start)


@helper
def shrinkage(count):
    """1/N - 1/(N + 1): by how much one more sample lowers the variance of a mean, relative to sigma^2."""
    return 1.0 / (count * (count + 1.0))


@helper
def decrement(square, noise, count):
    """The drop of the decision's variance after one more sample; infinite before the first."""
    return square * noise * shrinkage(count) if count > 0 else np.inf


def decrements(
    rule: VarDE,
    counts: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    low: float = np.inf,
    costs: np.ndarray | None = None,
) -> np.ndarray:
    """[K] the drop after one more sample of each component, per unit of cost, up to a factor common to all.

    Infinite before the first sample, equal shares where no noise was seen; ``low`` is the lowest sample of all.

    >>> counts, means, squares = np.full(3, 10.0), np.array([3.0, 2.5, 0.0]), np.full(3, 9.0)
    >>> drops = decrements(VarDE(), counts, means, squares)
    >>> (drops / drops.max()).round(3)
    array([1., 1., 0.])
    """
    belief = belief_of(rule.noise, counts, means, squares, low)
    square = np.ones(counts.size) if belief is None else weigh_numbers(rule.decision, [belief])
    with np.errstate(divide="ignore"):
        drops = square * shrinkage(counts)
    return drops if costs is None else drops / costs


def joint_decrements(weights: np.ndarray, moves: np.ndarray, leader: int, doubt: np.ndarray) -> np.ndarray:
    """[n] the drop of D = sum_j g_j Var(mu_b - mu_j) after each of n possible samples, for a belief N(mu, S).

    ``weights`` [K] is g, and sample i would move the estimates by ``moves[:, i]`` [K, n] per unit of surprise, which
    has the variance ``doubt`` [n]: the columns of S and S_ii + sigma_i^2 where a sample is of one component.
    """
    apart = moves[leader] - moves
    apart *= apart
    drops: np.ndarray = weights @ apart
    drops /= doubt
    return drops


@helper
def next_sample(decision, belief, square):
    """The part to sample next (Section 3.4), the lowest index on exact ties; ``square`` [K] is filled with w^2."""
    weigh(decision, belief, square)
    best, chosen = -np.inf, 0
    for i in range(square.size):
        drop = square[i] * belief.noise[i] * shrinkage(belief.counts[i])
        higher = drop > best
        best = drop if higher else best
        chosen = i if higher else chosen
    return chosen


# -- the index form, where the normaliser of the weights drops out of the argmax -----------------


@helper
def indexed(rule):
    """Whether the score of a component depends on that component alone."""
    return separable(rule.decision) and not pools(rule.noise)


@helper
def log_decrement(decision, value, noise, count, origin):
    """``log(decrement)`` up to a constant common to all components, for a separable decision.

    It is computed when the component is sampled and kept until it is sampled again.  ``origin`` is any number near the
    values, the same for all (see ``log_influence``).
    """
    if count == 0:
        return np.inf
    return 2.0 * log_influence(decision, value, origin) + math.log(noise * shrinkage(count))


# -- settings ------------------------------------------------------------------------------------


@helper
def automatic_warm_start(budget, size):
    """Initial samples of each of ``size`` components: 3, fewer if that is more than half of the budget.

    A ``budget`` of 0 means unknown.
    """
    return START if budget == 0 else max(min(START, budget // (2 * size)), 1)


@helper
def first_samples(rule, budget, size):
    """The initial samples of each of ``size`` components."""
    return rule.warm_start if rule.warm_start > 0 else automatic_warm_start(budget, size)


@problem_with.of(VarDE)
def rule_problem(rule):
    for name, example in (("decision", "LogSumExp(0.1)"), ("noise", "Floor(0.01)")):
        if not is_record(getattr(rule, name)):
            return f"{name} is {getattr(rule, name)!r}: write a record such as {example}"
    if rule.warm_start < 0:
        return f"warm_start is {rule.warm_start}: write 1 or more, or 0 to choose it from the budget"
    return ""
