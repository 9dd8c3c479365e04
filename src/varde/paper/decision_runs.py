"""Runs that keep the decision Y and the number of pulls of each arm, for the studies of the theory.

Apart from the words of those studies, since whatever a kernel's file imports counts in the digest of the kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._compile import kernel
from ..bandits.loop import advance, begin, prepare
from ..bandits.problems import true_means
from ..decisions import value
from ..moments import clear, make_moments
from ..random import start


@kernel
def trace(rule, decision, bandit, memory, arms, order, steps, work, key, rng, first, decided, counts):
    """Fill ``decided [R, C]``, the decision of the means after each of C numbers of pulls, and ``counts [R, C, K]``."""
    for run in range(decided.shape[0]):
        start(rng, key, first + run)
        clear(arms)
        begin(rule, memory, order.size, steps[-1])
        t = 0
        for c in range(steps.size):
            advance(rule, bandit, memory, arms, order, t, steps[c], rng)
            t = steps[c]
            decided[run, c] = value(decision, arms.means, work)
            for i in range(order.size):
                counts[run, c, i] = arms.counts[i]


def decisions_and_counts(
    rule: Any, decision: Any, bandit: Any, steps: tuple[int, ...], key: np.ndarray, first: int, runs: int
) -> tuple[np.ndarray, np.ndarray]:
    """[runs, steps] Y and [runs, steps, arms] N."""
    size = np.size(true_means(bandit))
    decided, counts = np.empty((runs, len(steps))), np.empty((runs, len(steps), size))
    memory, arms, order = prepare(rule, size), make_moments(size), np.arange(size)
    rng, work = np.empty(4, np.uint64), np.empty(size)
    trace(rule, decision, bandit, memory, arms, order, np.array(steps), work, key, rng, first, decided, counts)
    return decided, counts
