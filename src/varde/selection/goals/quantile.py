"""The best quantile: the gaps between estimated quantiles, with their errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...certainty import doubt, largest
from ...certainty.order_statistics import Orders, estimate, interval
from ...check import real
from ...decisions.gaps import Gaps
from ..text import about_the_best
from .goal import Goal, check_sense, decides
from .judged import Evidence, Judged, verdicts_on

if TYPE_CHECKING:
    from ..result import Selection


class QuantileFields(NamedTuple):
    q: float
    sense: str = "max"


class Quantile(QuantileFields, Goal):
    """The option with the best ``q``-quantile: ``Quantile(0.95, "min")`` is the lowest 95th percentile.

    >>> Quantile(0.95, "min")
    Quantile(q=0.95, sense='min')
    """

    singly = ordered = True

    def __new__(cls, q: float, sense: str = "max") -> Quantile:
        wanted = "a share of the results between 0 and 1, such as 0.95"
        check_sense(sense)
        return super().__new__(cls, real("q", q, wanted, lambda q: 0.0 < q < 1.0), sense)

    def measured_from(self, origin: float, unit: float) -> Gaps:
        return Gaps()

    def estimate(self, results: list[float]) -> tuple[float, float]:
        return estimate(results, self.turned)

    @property
    def measure(self) -> str:  # type: ignore[override]
        return f"p{100.0 * self.q:g}"

    @property
    def meaning(self) -> dict[str, str]:
        return {**super().meaning, "average": f"below what {100.0 * self.q:g} % of an option's results lie"}

    @property
    def turned(self) -> float:
        """The quantile of the results with their sign such that larger is better."""
        return 1.0 - self.q if self.sense == "min" else self.q

    def judge(self, evidence: Evidence) -> Judged:
        q, sample = self.turned, evidence.sample()
        tried = sample.counts > 0
        estimates, lows, highs = np.full(tried.size, np.nan), np.full(tried.size, -np.inf), np.full(tried.size, np.inf)
        for i in np.flatnonzero(tried).tolist():
            ordered = np.sort(evidence.values[i])
            estimates[i] = estimate(ordered.tolist(), q)[0]
            lows[i], highs[i] = interval(ordered, q)
        best = int(np.nanargmax(estimates))
        if tried.size == 1 or (evidence.items and sample.counts.min() >= evidence.items):  # all is known
            best_of_all = estimates >= estimates[best]
            chances, loss = best_of_all / best_of_all.sum(), 0.0
            lows, highs = (estimates, estimates) if evidence.items else (lows, highs)
        else:
            beliefs: Any = Orders(evidence.values, q)  # which are like those about means
            chances, loss = largest(beliefs, best)
            chances = doubt(chances)
        rivals, gap = np.where(tried, chances, -1.0), None
        rivals[best] = -1.0
        j = int(rivals.argmax())
        if rivals[j] >= 0.0:
            reach = math.hypot(estimates[best] - lows[best], highs[j] - estimates[j])
            gap = j, float(estimates[best] - estimates[j]), reach
        verdicts, right = verdicts_on(chances, [best], "best"), float(chances[best])
        return Judged((best,), chances, right, loss, estimates, lows, highs, verdicts, gap, "numbers", sample)

    def why(self, found: Selection) -> str:
        return about_the_best(found, self.measure)


decides(Quantile)
