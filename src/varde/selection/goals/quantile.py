"""The best quantile."""

from __future__ import annotations

from dataclasses import dataclass

from ...check import real
from .goal import Goal, check_sense


@dataclass(frozen=True)
class Quantile(Goal):
    """The option whose results have the best ``q``-quantile: ``Quantile(0.95, "min")`` is the lowest p95 latency.

    >>> Quantile(0.95, "min")
    Quantile(q=0.95, sense='min')
    """

    q: float
    sense: str = "max"

    def __post_init__(self) -> None:
        wanted = "a share of the results between 0 and 1, such as 0.95"
        object.__setattr__(self, "q", real("q", self.q, wanted, lambda q: 0.0 < q < 1.0))
        check_sense(self.sense)

    @property
    def turned(self) -> float:
        """Which quantile it is of results that are better the larger they are."""
        return 1.0 - self.q if self.sense == "min" else self.q
