"""All options on one side of a line: every option and the line, which is known, are a pair."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ..._compile import helper
from ...certainty import believe
from ...certainty.chances import LEVEL, intervals, judge, most, telling, watched
from ...certainty.members import above, shortfall
from ...certainty.stopping import Results, Stop, all_beside
from ...check import FINITE, LARGEST, real
from ...decisions.decision import answer_size, fill_answer, merits, weigh, weigh_arrays
from ...decisions.pairs import FOCUS, TINY, log_weight, relative, weigh_line
from ...show.sentence import after
from ...show.words import listed, percent, short
from ..reasons import about_the_results, loss_of, watching
from .goal import Goal, decides
from .judged import Evidence, Judged

if TYPE_CHECKING:
    from ..result import Selection


class Line(NamedTuple):
    line: float


class Above(Line, Goal):
    """Every option whose mean is above ``line``.

    >>> Above(0.8)
    Above(line=0.8)
    """

    least = 1
    promised = several = True
    sided = True
    word = "above"

    def __new__(cls, line: float) -> Self:
        return super().__new__(cls, real("line", line, FINITE, lambda line: -LARGEST <= line <= LARGEST))

    def measured_from(self, origin: float, unit: float) -> Any:
        return Above((self.sign * self.line - origin) / unit)

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
        verdicts = judge(chances, chosen, "chosen")
        loss = math.nan if known.blank else shortfall(known.compared, line, taken)
        return Judged(chosen, chances, right, loss, *ends, verdicts, None, sample, watched=stop)

    def sure(self, stop: Stop, results: Results) -> bool:
        return all_beside(stop, results, self.sign * self.line)

    def level(self, found: Selection[Any]) -> float | None:
        return self.line

    def headline(self, found: Selection[Any]) -> str:
        if not found.chosen:
            return f"No option is {self.word} {self.line:g}"
        return f"{listed(found.chosen)} {'is' if len(found.chosen) == 1 else 'are'} {self.word} {self.line:g}"

    def why(self, found: Selection[Any]) -> str:
        compared = [row for row in found.rows if row.verdict not in ("failing", "removed")]
        every = "both options" if len(compared) == 2 else f"all {len(compared):,} options"
        sentences = [
            f"{after(found)} the chance that this is right for {every} is {percent(found.p_right)}{watching(found)}."
        ]
        if found.p_right > LEVEL:
            return " ".join(sentences + about_the_results(found))
        closest = min(compared, key=lambda row: abs(row.p_best - 0.5))
        loss = loss_of(found, "mistakes cost {} in total on average")
        likely = f"{self.word} with a chance of {percent(closest.p_best)}"
        sentences.append(f"The least certain is {short(closest.name)}, {likely}; {loss}.")
        return " ".join(sentences + about_the_results(found))


class Below(Above):
    """Every option whose mean is below ``line``."""

    sense = "min"
    word = "below"


# -- as a decision ---------------------------------------------------------------------------------

decides(Above, Below)


@weigh.of(Above, Below)
def weigh_beside(goal, belief, square):
    weigh_line(FOCUS, belief, goal.line, square)
    return -1


@weigh_arrays.of(Above, Below)
def weigh_beside_arrays(goal, belief):
    side = np.where(belief.estimates > goal.line, 1.0, -1.0)
    return relative(log_weight(FOCUS, side * (belief.expected - goal.line), belief.errors + TINY))


@answer_size.of(Above, Below)
def all_of_them(goal, many):
    return many


@fill_answer.of(Above)
def fill_above(goal, estimates, answer):
    fill_side(estimates, goal.line, 1.0, answer)


@fill_answer.of(Below)
def fill_below(goal, estimates, answer):
    fill_side(estimates, goal.line, -1.0, answer)


@helper
def fill_side(estimates, line, sign, answer):
    place = 0
    answer[:] = -1
    for i in range(estimates.size):
        if sign * (estimates[i] - line) > 0.0:
            answer[place] = i
            place += 1


@merits.of(Above, Below)
def beyond_the_line(goal, means):
    return goal.sign * (means - goal.line)
