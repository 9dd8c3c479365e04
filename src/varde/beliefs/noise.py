"""Models of the noise: the variance sigma_i^2 that the rule works with.

M2_i is the sum of squared deviations of component i from its mean, sp2 = sum M2_i / sum (N_i - 1) the variance pooled
over all components.  The formulas work in compiled loops and, for ask/tell, on whole arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..check import problem_with, unless_positive


@verb
def own_variance(model, pooled, squares, count):
    """s2: the variance of one component, from M2 and N; the model may shrink it towards the pooled one."""


@verb(fallback=True)
def wary_variance(model, pooled, variance, count):
    """The same from s2, guarded against a small variance that is luck."""
    return variance


@verb(fallback=True)
def pools(model):
    """Whether s2 of a component depends on the samples of the others."""
    return False


class Floor(NamedTuple):
    """The paper's model: max(M2 / (N - ddof), least)."""

    least: float = 0.01  # the variance floor
    ddof: int = 1  # the paper prints 0 and its numbers fit 1


@own_variance.of(Floor)
def floored_variance(model, pooled, squares, count):
    # With too few samples M2 is 0, and so is the ratio.
    return np.maximum(squares / np.maximum(count - model.ddof, 1), model.least)


@problem_with.of(Floor)
def floor_problem(model):
    if not 0.0 < model.least < np.inf:
        return f"least is {model.least}: write a positive variance, such as 0.01"
    if model.ddof not in (0, 1):
        return f"ddof is {model.ddof}: write 1 for M2/(N-1) or 0 for M2/N"
    return ""


class Equal(NamedTuple):
    """Every variance is 1: the ablation Weight-Only."""


@own_variance.of(Equal)
def unit_variance(model, pooled, squares, count):
    return 0.0 * squares + 1.0


class Pooled(NamedTuple):
    """Each variance is shrunk towards the pooled one, so that no floor is needed:

    s2_i = (prior sp2 + M2_i) / (prior + N_i - 1)
    u_i  = max(s2_i, s2_i + (sp2 - s2_i) guard / (guard + N_i))      guards against small variances that are luck
    """

    prior: float = 5.0  # the weight of the pooled variance, in samples
    guard: float = 20.0  # samples until a variance below the pooled one is trusted


@own_variance.of(Pooled)
def shrunk_variance(model, pooled, squares, count):
    return (model.prior * pooled + squares) / (model.prior - 1.0 + count)


@helper
def drawn_variance(model, pooled, variance, count):
    """Shrunk towards the pooled one once more."""
    return variance + (pooled - variance) * (model.guard / (model.guard + count))


@wary_variance.of(Pooled)
def guarded_variance(model, pooled, variance, count):
    return np.maximum(variance, drawn_variance(model, pooled, variance, count))


@pools.of(Pooled)
def pooled_noise_pools(model):
    return True


@problem_with.of(Pooled)
def pooled_problem(model):
    return unless_positive("prior", model.prior, "5.0") or unless_positive("guard", model.guard, "20.0")
