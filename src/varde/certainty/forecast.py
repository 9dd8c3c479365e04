"""How much more budget it would take, if sampling continues by the rule and the estimates stay as they are.

Then every belief sharpens with c / N times the results: errors fall with the root, degrees of freedom grow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from .doubt import doubt
from .largest import largest
from .model import Known, another, compared, draw_together, learn
from .relevance import relevance
from .samples import Sample

FURTHEST = 1000.0  # times what was spent: the limit of a forecast
CONTENDERS = 150  # of more options, the others are represented by so many that stand for several each
LEVELS = (0.95, 0.99)
STEP = 0.1  # relative step by which a count grows
NOTED = 1.03  # growth of the budget between two checks

Scores = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Of counts, means, squares and costs, each [K]: how much the rule wants the next sample from each option."""


@np.errstate(over="ignore")
def forecast(
    sample: Sample, scores: Scores, costs: np.ndarray | None = None, levels: Sequence[float] = LEVELS
) -> dict[float, float]:
    """About how much more budget P(best) takes to reach each level; infinite beyond 1000 times what was spent."""
    costs = np.ones(sample.counts.size) if costs is None else costs
    known, spent = learn(sample), float(sample.counts @ costs)
    if known.blank:
        return dict.fromkeys(sorted(levels), math.inf)
    untried = sample.counts <= 0
    sample, known = tried_once(sample, known)
    kept, weights = contenders(sample, known)
    (sample, known), dues = taken_from(sample, known, kept), costs[kept] * weights
    start, means = sample.counts, sample.means
    noise = np.where(start > 1.0, sample.squares / start, known.variance)
    best = sample.leader

    def sure(counts: np.ndarray) -> float:
        grown, later = counts / start, sample._replace(counts=counts)
        freedom = known.freedom * grown
        relevant = np.minimum(known.relevant, relevance(later, known.variance, freedom))
        means, errors = draw_together(later, relevant, known.variance)
        beliefs = compared(
            later,
            known._replace(
                relevant=relevant, freedom=freedom, alone=known.alone.sharper(grown), means=means, errors=errors
            ),
        )
        return float(doubt(largest(beliefs, best, weights)[0], float(relevant @ weights) - 1.0, weights)[best])

    def go_on() -> None:
        """Continue until twice as much is spent; recorded whenever that grew by 3 %."""
        paid, counts = path[-1][0], path[-1][1].copy()
        until = 2.0 * (paid + spent) - spent
        while paid < until:
            chosen = int(np.argmax(scores(counts, means, noise * counts, dues)))
            step = max(1.0, STEP * counts[chosen])
            counts[chosen] += step
            paid += step * dues[chosen]
            if paid + spent > NOTED * (path[-1][0] + spent) or paid >= until:
                path.append((paid, counts.copy()))

    path, needed = [(float(costs @ untried), start)], {}  # untried options are tried once
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


def tried_once(sample: Sample, known: Known) -> tuple[Sample, Known]:
    """Untried options as if they had been tried once, with the expected result."""
    new = np.flatnonzero(sample.counts <= 0)
    if not new.size:
        return sample, known
    like = another(sample, known, compared(sample, known), new.size)
    single = float(np.average(known.variance, weights=known.relevant))
    counts, means, variance, freedom, relevant = (
        x.copy() for x in (sample.counts, sample.means, known.variance, known.freedom, known.relevant)
    )
    counts[new], means[new], variance[new], freedom[new], relevant[new] = 1.0, like.centers, single, 2.0, 1.0
    alone = known.alone.put(new, like)
    known = known._replace(relevant=relevant, variance=variance, freedom=freedom, alone=alone)
    return sample._replace(counts=counts, means=means), known


def contenders(sample: Sample, known: Known) -> tuple[np.ndarray, np.ndarray]:
    """The options to simulate, ascending, the best ones individually, and how many each stands for."""
    size = sample.counts.size
    if size <= 2 * CONTENDERS:
        return np.arange(size), np.ones(size)
    promise = known.alone.quantile(np.array([2.0]))[0]
    promise[sample.leader] = np.inf
    order = np.argsort(-promise, kind="stable")
    rest = np.array_split(order[CONTENDERS:], CONTENDERS)
    kept = np.concatenate([order[:CONTENDERS], [part[part.size // 2] for part in rest]])
    weights = np.concatenate([np.ones(CONTENDERS), [float(part.size) for part in rest]])
    order = np.argsort(kept)
    return kept[order], weights[order]


def taken_from(sample: Sample, known: Known, kept: np.ndarray) -> tuple[Sample, Known]:
    """The options ``kept``, by their moments."""
    few = Sample(sample.counts[kept], sample.means[kept], sample.squares[kept])
    if sample.left is not None:
        few = few._replace(left=sample.left[kept])
    columns = {
        name: getattr(known, name)[kept] for name in ("relevant", "variance", "freedom", "numbers", "means", "errors")
    }
    return few, known._replace(**columns, alone=known.alone.take(kept))
