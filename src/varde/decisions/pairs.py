"""Pairs: how open a comparison still is, where i is ahead of j, and decisions that are several comparisons.

    z_ij = (M_i - M_j) / sqrt(error_i + error_j)         the lead in its own standard errors
    x_ij = pi / sqrt(3) z_ij                             the lead in units of the logistic law with that error
    w_ij = 1 / (1 + exp x_ij)                            the chance that j is better, the gradient of the regret
    g_ij = w_ij^2                                        up to a common factor, so that nothing underflows

    D = sum_ij Var R_ij = sum_ij g_ij Var(mean_i - mean_j),      w_i^2 = sum of g over the pairs that i is in

With y = exp(least - x), g = (y / (1 + exp(-least) y))^2 takes one exponential.  ``least`` is 0, or, where every pair is
far apart, the x of the most open one, which then does not vanish.  Every quantity is a ratio: neither the unit of the
samples nor their zero matters.
"""

from __future__ import annotations

import math

import numpy as np

from .._compile import helper

STEEP = math.pi / math.sqrt(3.0)  # a logistic law of scale tau has the deviation tau pi / sqrt(3)
TINY = 2.3e-308  # the variance of something known exactly: any gap is then many standard errors
VANISHING = 30.0  # x of the most open pair from which all are measured from there
NEAR, FAR = -300.0, 1e300  # of x: beyond, all pairs are equally open, or equally settled


@helper
def steepness(lead, variance):
    """x of a pair, the difference having this variance; arrays will do.  nan where nothing is expected yet."""
    return STEEP * lead / np.sqrt(variance + TINY)


@helper
def bounded(x):
    return min(max(x, NEAR), FAR)


@helper
def nearest(least):
    """From where x is measured: 0, unless even the most open pair, ``least``, is so far apart that weights vanish."""
    return 0.0 if least < VANISHING else least


@helper
def openness(away, most):
    """g of a pair from exp(least - x), with ``most`` exp(-least)."""
    influence = away / (1.0 + most * away)
    return influence * influence


@helper
def relative_openness(errors):
    """g of a pair so many standard errors apart, relative to a level one: 4 / (1 + exp x)^2."""
    return 4.0 * openness(math.exp(-STEEP * errors), 1.0)


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
def weigh_split(belief, last, square):
    """w^2 for every pair of a part up to ``last``, in the order of the estimates, and one behind it."""
    estimates, expected, errors = belief.estimates, belief.expected, belief.errors
    many, least = square.size, np.inf
    for i in range(many):
        square[i] = 0.0
        if not is_ahead(estimates, last, i):
            for j in range(many):
                if is_ahead(estimates, last, j):
                    least = min(least, bounded(steepness(expected[i] - expected[j], errors[i] + errors[j])))
    least = nearest(least)
    most = math.exp(-least)
    for i in range(many):
        if not is_ahead(estimates, last, i):
            for j in range(many):
                if is_ahead(estimates, last, j):
                    x = bounded(steepness(expected[i] - expected[j], errors[i] + errors[j]))
                    weight = openness(math.exp(least - x), most)
                    square[i] += weight
                    square[j] += weight


# -- on arrays -------------------------------------------------------------------------------------


def weights(x: np.ndarray) -> np.ndarray:
    """g of all pairs, in place of their x; inf leaves one out, unless it leaves out all.

    A pair of which nothing is expected yet (nan) is as open as the most open.
    """
    least = x.item(x.argmin())  # nan, if there is one
    if math.isnan(least):
        unknown = np.isnan(x)
        x[unknown] = np.inf
        least = x.item(x.argmin())
        least = least if least < np.inf else 0.0
        x[unknown] = least
    if not NEAR < least < FAR:
        np.clip(x, NEAR, FAR, out=x)
    least = nearest(bounded(least))
    np.subtract(least, x, out=x)
    np.exp(x, out=x)
    closed = x * math.exp(-least)
    closed += 1.0
    x /= closed
    x *= x
    return x
