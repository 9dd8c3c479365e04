"""How noisy are the samples?  Models of the variance sigma_i^2 that the rule works with.

M2_i is the sum of squared deviations of component i from its mean, sp2 = sum M2_i / sum (N_i - 1) the variance pooled
over all components.  The formulas serve compiled loops and, for ask/tell, whole arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._compile import helper, verb
from .check import problem_with, unless_positive


@verb
def own_variance(model, pooled, squares, count):
    """s2: the variance of one component, from M2 and N; the model may draw it towards the pooled one."""


@verb(fallback=True)
def wary_variance(model, pooled, variance, count):
    """The same from s2, where a small one may be luck."""
    return variance


@verb(fallback=True)
def pools(model):
    """Whether s2 of a component changes with the samples of the others."""
    return False


class Floor(NamedTuple):
    """max(M2 / (N - ddof), least): the paper's."""

    least: float = 0.01  # the least variance believed in
    ddof: int = 1  # the paper prints 0 and its numbers fit 1


@own_variance.of(Floor)
def floored_variance(model, pooled, squares, count):
    # With too few samples to tell, M2 is 0 and so is the ratio.
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
    """Each variance drawn towards the pooled one, which needs no floor:

    s2_i = (prior sp2 + M2_i) / (prior + N_i - 1)
    u_i  = max(s2_i, s2_i + (sp2 - s2_i) guard / (guard + N_i))      where a variance that looks small may be luck
    """

    prior: float = 5.0  # samples that the pooled variance counts for in each component's own
    guard: float = 20.0  # samples until a variance below the pooled one is believed


@own_variance.of(Pooled)
def shrunk_variance(model, pooled, squares, count):
    return (model.prior * pooled + squares) / (model.prior - 1.0 + count)


@helper
def drawn_variance(model, pooled, variance, count):
    """Drawn towards the pooled one once more."""
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
