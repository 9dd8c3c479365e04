"""How much more budget would it take?  The rule that samples goes on, should the estimates stay as they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .certificate import sceptical
from .largest import largest
from .samples import Evidence, believe, pooled_variance

FURTHEST = 1000.0  # times what was spent; beyond that nothing is said
CONTENDERS = 150  # of more options, the others are represented by as many that stand for several each
LEVELS = (0.95, 0.99)

Scores = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Of counts, means, squares and costs, each [K]: how much the rule wants the next sample from each option."""


def forecast(
    evidence: Evidence, scores: Scores, costs: np.ndarray | None = None, levels: Sequence[float] = LEVELS
) -> dict[float, float]:
    """About how much more to spend until P(best) reaches each level; infinite beyond 1000 times what was spent."""
    costs = np.ones(evidence.counts.size) if costs is None else costs
    spent = float(evidence.counts @ costs)
    kept, weights = contenders(evidence)
    counts, means, squares = evidence.counts[kept], evidence.means[kept], evidence.squares[kept]
    noise_level = pooled_variance(evidence)
    evidence, costs = evidence._replace(counts=counts, means=means, squares=squares), costs[kept]
    best = int(np.nanargmax(evidence.means))
    tried = evidence.counts > 0
    counts = np.maximum(evidence.counts, 1.0)
    means = np.where(tried, evidence.means, evidence.means[tried].mean())
    noise = np.where(evidence.counts > 1, evidence.squares / counts, noise_level)
    dues = costs * weights

    def sure(counts: np.ndarray) -> float:
        then = evidence._replace(counts=counts, means=means, squares=noise * counts)
        return float(sceptical(largest(believe(then), best, weights)[0], weights)[best])

    def go_on() -> None:
        """Until twice as much was spent; noted down whenever that grew by 3 %."""
        paid, counts = path[-1][0], path[-1][1].copy()
        until = 2.0 * (paid + spent) - spent
        while paid < until:
            chosen = int(np.argmax(scores(counts, means, noise * counts, dues)))
            step = max(1.0, 0.1 * counts[chosen])
            counts[chosen] += step
            paid += step * dues[chosen]
            if paid + spent > 1.03 * (path[-1][0] + spent) or paid >= until:
                path.append((paid, counts.copy()))

    path, needed = [(float(costs @ (weights * ~tried)), counts)], {}  # what was never tried is tried once
    for level in sorted(levels):
        while sure(path[-1][1]) < level and path[-1][0] < FURTHEST * spent:
            go_on()
        if sure(path[-1][1]) < level:
            needed[level] = math.inf
            continue
        low, high = 0, len(path) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if sure(path[middle][1]) >= level else (middle + 1, high)
        needed[level] = float(math.ceil(path[low][0]))
    return needed


def contenders(evidence: Evidence) -> tuple[np.ndarray, np.ndarray]:
    """The options to look at, those that look best one by one, and how many each stands for."""
    size = evidence.counts.size
    if size <= 2 * CONTENDERS:
        return np.arange(size), np.ones(size)
    beliefs = believe(evidence)
    promise = beliefs.centers + 2.0 * beliefs.scales
    promise[int(np.nanargmax(evidence.means))] = np.inf
    order = np.argsort(-promise, kind="stable")
    rest = np.array_split(order[CONTENDERS:], CONTENDERS)
    kept = np.concatenate([order[:CONTENDERS], [part[part.size // 2] for part in rest]])
    return kept, np.concatenate([np.ones(CONTENDERS), [float(part.size) for part in rest]])
