"""The best quantile: the gaps between estimated quantiles, with their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...certainty import judge
from ...certainty.certificate import lead
from ...certainty.chances import stated, watched
from ...certainty.order_statistics import compare, estimate, interval
from ...check import real
from ...decisions.regret import Regret
from ..reasons import about_the_best
from .goal import Goal, check_sense, decides
from .judged import Compared, Judged

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

    def measured_from(self, origin: float, unit: float) -> Regret:
        return Regret()

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

    def judge(self, evidence: Compared) -> Judged:
        q, sample = self.turned, evidence.sample()
        tried, ordered = sample.counts > 0, evidence.in_order
        estimates = np.array([estimate(x.tolist(), q)[0] if x.size else np.nan for x in ordered])
        lows, highs = np.array([interval(x, q) for x in ordered]).T
        best = int(np.nanargmax(estimates))
        if tried.size == 1 or (evidence.items and sample.counts.min() >= evidence.items):  # all is known
            top = estimates >= estimates[best]
            chances, loss = top / top.sum(), 0.0
            right, stop = (float(chances[best]),) * 2
            lows, highs = (estimates, estimates) if evidence.items else (lows, highs)
            verdicts = judge(chances, best)
        else:
            found = compare(ordered, q, best)
            plain, loss = found.chances, found.regret
            plain[best] = found.right
            chances = stated(plain, best, float(sample.effective[best]), estimates)
            right, verdicts = float(chances[best]), judge(found.upper, best)
            stop = min(watched(found.right, float(sample.effective[best])), right)
        gap = lead(estimates, tried, chances, best, (lows, highs))
        return Judged((best,), chances, right, loss, estimates, lows, highs, verdicts, gap, sample, watched=stop)

    def why(self, found: Selection[Any], most: int) -> list[str]:
        return about_the_best(found, most, self.measure)

    def slack(self, found: Selection[Any]) -> dict[str, float]:
        return {}


decides(Quantile)
