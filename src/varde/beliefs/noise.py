"""Models of the noise: the variance sigma_i^2 of one more sample.

M2_i is the sum of squared deviations of component i from its mean, sp2 = sum M2_i / sum (N_i - 1) the variance pooled
over all components.  The formulas have no branches: they take numbers in compiled loops and whole arrays in ask/tell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..check import problem_with, unless_positive

RARE = 2.0  # how often h counts (sd / mean)^2 - 1: about two successes of 0/1 results; 4, 8 and 16 are worse
PRIOR = 5.0  # samples that the pooled variance counts for: enough to tame a variance from two or three


@helper
def shrunk_variance(prior, pooled, squares, count):
    """s2 = (prior sp2 + M2) / (prior + N - 1), the one shrinkage of every family."""
    return (prior * pooled + squares) / (prior - 1.0 + count)


@verb
def own_variance(model, pooled, squares, count):
    """s2: the variance of one component, from M2 and N; the model may shrink it towards the pooled one."""


@verb(fallback=True)
def pools(model):
    """Whether s2 of a component depends on the samples of the others."""
    return False


@verb(fallback=True)
def extra_results(model, pooled, above):
    """h: how many results at the common mean each has beside its own; that mean is ``above`` the lowest result."""
    return 0.0


@verb(fallback=True)
def moved(model, then, now):
    """The factor of what all say of the noise of one, since ``then``, and the one of its error besides, at the most."""
    return np.inf, np.inf


@verb(fallback=True)
def shared(model, common, noise, count):
    """The part of s2, ``noise``, that all say together."""
    return 1.0


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
    """Each variance is shrunk towards the pooled one, which counts for ``prior`` samples: no floor is needed.

    Where results are mostly one lowest value, each counts h = rare (sp2 / above^2 - 1) more (``beliefs.belief``).
    """

    prior: float = PRIOR
    rare: float = RARE


@own_variance.of(Pooled)
def pooled_variance(model, pooled, squares, count):
    return shrunk_variance(model.prior, pooled, squares, count)


@extra_results.of(Pooled)
def rare_results(model, pooled, above):
    return model.rare * max(pooled / (above * above) - 1.0, 0.0) if above > 0.0 else 0.0


@pools.of(Pooled)
def pooled_noise_pools(model):
    return True


@moved.of(Pooled)
def pooled_noise_moved(model, then, now):
    """The error has two factors of N + h besides, which matter most where N is 1."""
    prior, later = model.prior + then.extra, model.prior + now.extra
    return later * now.pooled / (prior * then.pooled), prior * (1.0 + then.extra) / later / (1.0 + now.extra)


@shared.of(Pooled)
def pooled_part(model, common, noise, count):
    return (model.prior + common.extra) * common.pooled / (noise * (model.prior - 1.0 + count))


@problem_with.of(Pooled)
def pooled_problem(model):
    if not 0.0 <= model.rare < np.inf:
        return f"rare is {model.rare}: write 2.0, or 0 for results that are never mostly one value"
    return unless_positive("prior", model.prior, "5.0")
