"""The best m options: every pair of one inside and one outside is a gap to get right."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from ...arrays import highest
from ...beliefs.belief import Belief
from ...certainty import believe
from ...certainty.certificate import lead
from ...certainty.chances import intervals, judge, most, telling, watched
from ...certainty.members import members
from ...certainty.stopping import Results, Stop, all_apart
from ...check import whole
from ...decisions.decision import answer_size, fill_answer, weigh, weigh_arrays
from ...decisions.pairs import next_behind, steepness, weigh_split, weights
from ...show.sentence import after
from ...show.words import WIDEST, lead_in_words, percent
from ..reasons import detail, dropped, labels, loss_of
from .goal import Goal, check_sense, decides
from .judged import Compared, Judged

if TYPE_CHECKING:
    from ...certainty.assumptions import Note
    from ..result import Selection


NEAR = 64  # of very many, those nearest to the boundary on each side: the others' pairs weigh nothing


class TopFields(NamedTuple):
    m: int
    sense: str = "max"


class Top(TopFields, Goal):
    """The ``m`` options with the best means; which of them is the best of all does not matter.

    >>> Top(5)
    Top(m=5, sense='max')
    """

    promised = several = True

    def __new__(cls, m: int, sense: str = "max") -> Self:
        check_sense(sense)
        return super().__new__(cls, whole("m", m, "how many options to choose, 1 or more"), sense)

    @property
    def least(self) -> int:  # type: ignore[override]
        return self.m + 1

    @property
    def chance(self) -> str:  # type: ignore[override]
        return f"P(top {self.m})"

    @property
    def wanted(self) -> str:
        return f"the {self.m} {'lowest' if self.sense == 'min' else 'highest'} means"

    @property
    def meaning(self) -> dict[str, str]:
        among = f"the chance of being among the {self.m} best"
        return {**super().meaning, "meaning": among, "answer": "one of those", "be": "be one of them"}

    def question(self, size: int) -> None:
        if size <= self.m:
            raise ValueError(f"goal is Top({self.m}) of {size} options, which are all of them: write fewer than {size}")

    def judge(self, evidence: Compared) -> Judged:
        sample = evidence.sample()._replace(rank=self.m)
        tried, known = sample.counts > 0, believe(sample)
        chosen = sample.ranked[: min(self.m, int(tried.sum()))]
        last = int(chosen[-1])
        if known.blank:
            chances, right, loss = unknown(tried, chosen, self.m)
        else:
            chances, right, loss = members(known.compared, sample.ranked[: self.m])
        limit = most(float(telling(sample)[last]))
        stop, right = min(watched(right), limit), min(right, limit)
        ends = sample.means, *intervals(sample, known)
        gap = lead(sample.means, tried, chances, last, ends[1:], chosen.tolist())
        verdicts = judge(chances, chosen.tolist(), "chosen")
        return Judged(tuple(chosen.tolist()), chances, right, loss, *ends, verdicts, gap, sample, watched=stop)

    def sure(self, stop: Stop, results: Results) -> bool:
        ranked = np.argsort(-results.means, kind="stable").tolist()
        return results.counts.size <= self.m or all_apart(stop, results, ranked[: self.m], ranked[self.m :])

    def why(self, found: Selection[Any], most: int) -> list[str]:
        these = f"these are the {self.m} best" if self.m > 1 else "it is the best"
        chance = f"the chance that {these} is {percent(found.p_right)}"
        return [f"{after(found)} {chance}", chance]

    def details(self, found: Selection[Any]) -> list[Note]:
        notes = []
        if found.gap is not None:
            rival, lead, margin = found.gap
            last, other = (labels(found, WIDEST)[name] for name in (found.chosen[-1], rival))
            how = f"ahead of {other} by {lead_in_words(lead, margin)}" if lead > 0.0 else f"level with {other}"
            notes.append(detail("lead", f"{last}, the last of them, is {how}.", lead, (found.chosen[-1], rival)))
        possible, rejected = found._verdicts["possible"], found._verdicts["rejected"]
        if possible:
            may = "option may" if possible == 1 else "options may"
            loss = loss_of(found, "taking these now loses {} in total on average")
            notes.append(detail("open", f"{possible:,} other {may} still be among them{loss}.", possible))
        elif rejected:
            notes.append(dropped(rejected))
        return notes


# -- as a decision ---------------------------------------------------------------------------------

decides(Top)


@answer_size.of(Top)
def how_many(goal, many):
    return min(goal.m, many)


@fill_answer.of(Top)
def fill_best(goal, estimates, answer):
    last = -1
    for place in range(answer.size):
        last = next_behind(estimates, last)
        answer[place] = last


@weigh.of(Top)
def weigh_top(goal, belief, square):
    last = -1
    for _ in range(min(goal.m, square.size)):
        last = next_behind(belief.estimates, last)
    weigh_split(belief, last, square)
    return -1


@weigh_arrays.of(Top)
def weigh_top_arrays(goal, belief):
    m, square = goal.m, np.zeros(belief.counts.size)
    if m >= square.size:
        return square + 1.0
    chosen = highest(belief.estimates, m)
    inside, outside = np.flatnonzero(chosen), np.flatnonzero(~chosen)
    if m * outside.size > NEAR * NEAR:
        last, first = inside[belief.estimates[inside].argmin()], outside[belief.estimates[outside].argmax()]
        line = 0.5 * (belief.expected[last] + belief.expected[first])
        inside, outside = (nearest(side, belief, line) for side in (inside, outside))
    lead = belief.expected[inside][:, None] - belief.expected[outside]
    open_pairs = weights(steepness(lead, belief.errors[inside][:, None] + belief.errors[outside]))
    square[inside], square[outside] = open_pairs.sum(axis=1), open_pairs.sum(axis=0)
    return square


def nearest(side: np.ndarray, belief: Belief, line: float) -> np.ndarray:
    """The ``NEAR`` of one side that are fewest standard errors away, those without results first."""
    distances = (belief.expected[side] - line) ** 2 / belief.errors[side]
    return side[highest(-np.where(np.isnan(distances), -1.0, distances), NEAR)]


# -- how sure it is --------------------------------------------------------------------------------


def unknown(tried: np.ndarray, chosen: np.ndarray, m: int) -> tuple[np.ndarray, float, float]:
    """Used if nothing shows how noisy the results are: all have equal chances."""
    return np.full(tried.size, m / tried.size), 1.0 / math.comb(tried.size, m), math.nan
