"""How much more budget it would take, if sampling continues by the rule and the estimates stay as they are.

Then the moments of every option grow in proportion to its results, and the chance follows from the same belief.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..beliefs.means import Known, believe
from ..beliefs.samples import Sample
from .chances import stated
from .largest import largest

FURTHEST = 1000.0  # times what was spent: the limit of a forecast
CONTENDERS = 150  # of more options, the others are represented by so many that stand for several each
LEVELS = (0.95, 0.99)
STEP = 0.1  # relative step by which a count grows
NEARLY = 0.8  # of many, those with nearly the highest score are sampled together: a step lowers a score by a fifth
NOTED = 1.03  # growth of the budget between two checks

Scores = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Of counts, means, squares and costs, each [K]: how much the rule wants the next sample from each option."""


@np.errstate(over="ignore")
def forecast(
    sample: Sample, scores: Scores, costs: np.ndarray | None = None, levels: Sequence[float] = LEVELS
) -> dict[float, float]:
    """About how much more budget P(best) takes to reach each level; infinite beyond 1000 times what was spent."""
    costs = np.ones(sample.counts.size) if costs is None else costs
    known, spent = believe(sample), float(sample.counts @ costs)
    if known.blank:
        return dict.fromkeys(sorted(levels), math.inf)
    paid = float(costs @ (sample.counts <= 0))  # untried options are tried once
    sample, noise, kept, weights = contenders(sample, known)
    start, best, costs, many = sample.counts, sample.leader, costs[kept] * weights, float(weights.max()) > 1.0

    def sure(counts: np.ndarray) -> float:
        later = sample._replace(counts=counts, squares=noise * np.maximum(counts - 1.0, 0.0))
        if sample.cubes is not None:
            later = later._replace(cubes=sample.cubes * (counts / start))
        chances = largest(believe(later).compared, best, weights)[0]
        return float(stated(chances, best, float(counts[best]), later.means)[best])

    def go_on() -> None:
        """Continue until twice as much is spent; recorded whenever that grew by 3 %."""
        paid, counts = path[-1][0], path[-1][1].copy()
        until = 2.0 * (paid + spent) - spent
        while paid < until:
            wanted = scores(counts, sample.means, noise * counts, costs)
            chosen = np.flatnonzero(wanted >= NEARLY * wanted.max()) if many else np.array([wanted.argmax()])
            step = np.maximum(1.0, STEP * counts[chosen])
            counts[chosen] += step
            paid += float(step @ costs[chosen])
            if paid + spent > NOTED * (path[-1][0] + spent) or paid >= until:
                path.append((paid, counts.copy()))

    path, needed = [(paid, start)], {}
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


def contenders(sample: Sample, known: Known) -> tuple[Sample, np.ndarray, np.ndarray, np.ndarray]:
    """The options to simulate, the best ones individually, their noise, which they are, and how many each stands for.

    Untried ones as if one result was the expected one.
    """
    new = sample.counts <= 0
    means = np.where(new, known.compared.centers, sample.means)
    noise = np.where(new, np.average(known.variance, weights=known.relevant), known.variance)
    sample = sample._replace(counts=np.where(new, 1.0, sample.counts), means=means)
    kept, weights = np.arange(new.size), np.ones(new.size)
    if new.size > 2 * CONTENDERS:
        promise = known.compared.quantile(np.array([2.0]))[0]
        promise[sample.leader] = np.inf
        order = np.argsort(-promise, kind="stable")
        rest = np.array_split(order[CONTENDERS:], CONTENDERS)
        kept = np.concatenate([order[:CONTENDERS], [part[part.size // 2] for part in rest]])
        weights = np.concatenate([np.ones(CONTENDERS), [float(part.size) for part in rest]])
    return sample.take(kept), noise[kept], kept, weights
