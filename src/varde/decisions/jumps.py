"""Mostly one lowest value, and now and then a jump above it: purchases, prizes, rare successes.

An option that has shown no jump yet looks worthless and noiseless, and may still be the best.  So each option is
credited with a pseudo-jump or two, of the size w_i that its own jumps and those of all options suggest, after as many
samples n0_i as such a jump takes at the common rate.  How many, lambda, depends on the share of samples at the lowest
value (0 to 1), times 1 + the squared coefficient of variation of the jumps: one if they are all equal, two if they
are exponential.

    C_i = N_i + lambda n0_i        Y_i = (sum of jumps_i + lambda w_i) / C_i        the mean above the lowest value
    v_i = (M2_i + lambda w_i^2) / C_i^2            s2_i = max(s2_i, (M2_i + lambda w_i^2) / N_i)

A sum of jumps has a long upper tail.  Two such means are compared by their cube roots, which are nearly normal
(Wilson and Hilferty 1931): with q = variance / (9 Y^2) and c = cbrt(Y_j / Y_b),

    z_j = ((1 - q_b) - c (1 - q_j)) / sqrt(q_b + c^2 q_j)

Everything else is as in ``gaps``; with lambda = 0 this is the same too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..arrays import first_largest
from .decision import weigh
from .gaps import Gaps, weights_from

SOME, MOST = 0.6, 0.9  # shares of samples at the lowest value: where jumps begin to count, and where only they do
SHARED = 2.0  # how many jumps of all options an option's own are mixed with, to guess the size of the next
AT_MOST = 2.0  # pseudo-jumps
TAIL = 10.0  # the last 10 share-of-lambda T / K samples go by the knowledge gradient


@verb(fallback=True)
def jump_focus(decision):
    """The focus of a decision that takes jumps into account; 0 if it does not."""
    return 0.0


@jump_focus.of(Gaps)
def focus_of_gaps(decision):
    return decision.focus if decision.shared else 0.0


@helper
def jump_weight(share):
    """How much weight jumps have, 0 to 1, from the share of all samples at the lowest value."""
    return min((share - SOME) / (MOST - SOME), 1.0) if SOME < share < 1.0 else 0.0


@helper
def in_tail(left, weight, many):
    """Whether so small a share of the budget is ``left`` that the knowledge gradient chooses."""
    return left < TAIL * weight / many


class Jumps(NamedTuple):
    """What the samples of all options together say."""

    lent: float  # lambda: pseudo-jumps of each option
    end: float  # the lowest value
    rate: float  # mean of all samples above it
    typical: float  # size of a jump
    biased: float  # size of a jump drawn in proportion to its size


@helper
def jumps_of(weight, end, samples, at, total, square):
    """From ``samples``, of which ``at`` are at the ``end``, and the sums of jumps and of their squares."""
    typical, biased = total / (samples - at), square / total
    return Jumps(weight * min(biased / typical, AT_MOST), end, total / samples, typical, biased)


@helper
def believed(jumps, count, mean, squares):
    """Y, v and M2 with the pseudo-jumps; takes arrays too."""
    above = mean - jumps.end
    total, shared = count * above, SHARED * jumps.typical
    size = (squares + total * above + shared * jumps.biased) / (total + shared)
    trust, more = count + jumps.lent * (size / jumps.rate), squares + jumps.lent * size * size
    return (total + jumps.lent * size) / trust, more / (trust * trust), more


@helper
def log_jump_weight(focus, top, base, above, error):
    """log g of a component of mean ``above`` and variance ``error`` against a leader ``top``, ``base``; or arrays."""
    root, own, other = (above / top) ** (1.0 / 3.0), base / (9.0 * top * top), error / (9.0 * above * above)
    return focus * (root * (1.0 - other) - (1.0 - own)) / np.sqrt(own + root * root * other)


class JumpGaps(NamedTuple):
    """The gaps between options that jump; the parts are those of ``bandits.varde.Jumping``."""

    focus: float = 3.0


@weigh.of(JumpGaps)
def weigh_jumps(decision, parts, square):
    leader = first_largest(parts.means)
    top, base = parts.above[leader], parts.variances[leader] / parts.counts[leader]
    for i in range(parts.counts.size):
        square[i] = log_jump_weight(decision.focus, top, base, parts.above[i], parts.errors[i])
    weights_from(square, leader)
    return leader
