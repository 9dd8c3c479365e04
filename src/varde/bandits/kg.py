"""The knowledge gradient (Frazier, Powell and Dayanik 2008), with estimated variances.

Pull the arm whose next reward is expected to raise the highest mean most: ``gain`` has the formula.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile import is_record
from ..beliefs.noise import Pooled, own_variance, pools
from ..check import problem_with
from ..gain import largest_gain
from .loop import prepare, select
from .varde import Arms


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
    return largest_gain(Arms(arms.means, arms.counts, variances, algorithm.noise, pooled))


@problem_with.of(KG)
def kg_problem(algorithm):
    if not is_record(algorithm.noise):
        return f"noise is {algorithm.noise!r}: write a record such as Pooled() or Floor(0.01)"
    return ""
