"""Pairs: a decision that is right if every i that is ahead of a j is really better.

The variances of the differences are weighed by how open each still is, D = sum_ij g_ij Var(mean_i - mean_j):

    z_ij  = (M_i - M_j) / sqrt(error_i + error_j)         the lead in its own standard errors
    g_ij  = exp(-focus z_ij)                              relative to the most open pair, so that nothing underflows
    w_i^2 = sum of g over the pairs that i is in

Every quantity is a ratio, so neither the unit of the samples nor their
zero matters.  Compiled loops and arrays share ``log_weight``; only the loops differ.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._compile import helper
from ..beliefs.belief import Belief

FOCUS = 3.0  # how fast a pair stops mattering, per standard error; 2 and 4 are level or worse
TINY = 2.3e-308  # the variance of something known exactly: any gap is then many standard errors


@helper
def log_weight(focus, lead, variance):
    """log g of a pair, the difference having this variance, above 0; arrays will do."""
    return -focus * lead / np.sqrt(variance)


# -- in compiled loops -----------------------------------------------------------------------------


@helper
def is_ahead(estimates, i, j):
    """Whether ``i`` is ahead of ``j``: the lower index on ties."""
    return estimates[i] > estimates[j] or (estimates[i] == estimates[j] and i < j)


@helper
def next_behind(estimates, last):
    """The highest of those behind ``last``; the highest of all if that is -1."""
    found = -1
    for i in range(estimates.size):
        if (last < 0 or is_ahead(estimates, last, i)) and (found < 0 or is_ahead(estimates, i, found)):
            found = i
    return found


@helper
def weigh_split(focus, belief, last, square):
    """w^2 for every pair of a part up to ``last``, in the order of the estimates, and one behind it."""
    estimates, expected, errors = belief.estimates, belief.expected, belief.errors
    many, highest = square.size, -np.inf
    for i in range(many):
        square[i] = 0.0
        if not is_ahead(estimates, last, i):
            for j in range(many):
                if is_ahead(estimates, last, j):
                    found = log_weight(focus, expected[i] - expected[j], errors[i] + TINY + errors[j])
                    highest = max(highest, found)
    for i in range(many):
        if not is_ahead(estimates, last, i):
            for j in range(many):
                if is_ahead(estimates, last, j):
                    found = log_weight(focus, expected[i] - expected[j], errors[i] + TINY + errors[j])
                    weight = math.exp(found - highest)
                    square[i] += weight
                    square[j] += weight


# -- on arrays -------------------------------------------------------------------------------------


def log_weights(focus: float, belief: Belief, ahead: Any, behind: Any) -> np.ndarray:
    """log g of all pairs of one ``ahead`` and one ``behind``, which are indices that broadcast."""
    lead, own = belief.expected[ahead] - belief.expected[behind], belief.errors[ahead] + TINY
    logs: np.ndarray = log_weight(focus, lead, own + belief.errors[behind])
    return logs


def relative(logs: np.ndarray) -> np.ndarray:
    """g, relative to the most open pair, in place; a pair of which nothing is expected yet (nan) is level."""
    highest = logs.item(logs.argmax())  # nan, if there is one
    if math.isnan(highest):
        logs[np.isnan(logs)] = 0.0
        highest = logs.max()
    logs -= highest
    return np.exp(logs, out=logs)
