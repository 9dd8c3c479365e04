"""All options on one side of a line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...certainty import believe
from ...certainty.chances import LEVEL, most, telling, watched
from ...certainty.intervals import intervals
from ...certainty.sides import above, shortfall
from ...certainty.stopping import Results, Stop, all_beside
from ...check import FINITE, LARGEST, real
from ..text import about_the_results, after, listed, loss_of, percent, short, watching
from .goal import Goal
from .judged import Evidence, Judged, verdicts_on

if TYPE_CHECKING:
    from ..result import Selection


@dataclass(frozen=True)
class Above(Goal):
    """Every option whose mean is above ``line``.

    >>> Above(0.8)
    Above(line=0.8)
    """

    line: float
    least = 1
    promised = True
    sided = True
    word = "above"

    def __post_init__(self) -> None:
        line = real("line", self.line, FINITE, lambda line: -LARGEST <= line <= LARGEST)
        object.__setattr__(self, "line", line)

    @property
    def chance(self) -> str:  # type: ignore[override]
        return f"P({self.word})"

    @property
    def wanted(self) -> str:
        return f"means {self.word} {self.line:g}"

    @property
    def meaning(self) -> dict[str, str]:
        side = f"the chance that the true mean is {self.word} {self.line:g}"
        return {**super().meaning, "meaning": side, "answer": f"one that is {self.word}", "be": f"be {self.word}"}

    def judge(self, evidence: Evidence) -> Judged:
        line = self.sign * self.line / evidence.unit
        sample = evidence.sample()._replace(line=line)
        known = believe(sample)
        taken = (sample.counts > 0) & (sample.means > line)
        chosen = tuple(int(i) for i in sample.ranked if taken[i])
        plain, limits = above(sample, known, line), most(telling(sample))
        likely = np.where(taken, plain, 1.0 - plain)
        right, limit = float(np.prod(likely)), float(limits[likely.argmin()])
        stop, right, chances = min(watched(right), limit), min(right, limit), np.clip(plain, 1.0 - limits, limits)
        ends = sample.means, *intervals(sample, known)
        verdicts = verdicts_on(chances, chosen)
        loss = math.nan if known.blank else shortfall(known.compared, line, taken)
        return Judged(chosen, chances, right, loss, *ends, verdicts, None, sample, watched=stop)

    def sure(self, stop: Stop, results: Results) -> bool:
        return all_beside(stop, results, self.sign * self.line)

    def level(self, found: Selection) -> float | None:
        return self.line

    def headline(self, found: Selection) -> str:
        if not found.chosen:
            return f"No option is {self.word} {self.line:g}"
        return f"{listed(found.chosen)} {'is' if len(found.chosen) == 1 else 'are'} {self.word} {self.line:g}"

    def why(self, found: Selection) -> str:
        compared = [row for row in found.rows if row.verdict not in ("failing", "removed")]
        every = "both options" if len(compared) == 2 else f"all {len(compared):,} options"
        sentences = [
            f"{after(found)} the chance that this is right for {every} is {percent(found.p_right)}{watching(found)}."
        ]
        if found.p_right > LEVEL:
            return " ".join(sentences + about_the_results(found, {}))
        closest = min(compared, key=lambda row: abs(row.p_best - 0.5))
        loss = loss_of(found, "mistakes cost {} in total on average")
        likely = f"{self.word} with a chance of {percent(closest.p_best)}"
        sentences.append(f"The least certain is {short(closest.name)}, {likely}; {loss}.")
        return " ".join(sentences + about_the_results(found, {}))


@dataclass(frozen=True)
class Below(Above):
    """Every option whose mean is below ``line``."""

    sense = "min"
    word = "below"
