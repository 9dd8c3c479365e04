"""What to look for among the options: the best mean unless the user says otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...certainty import assess, pair
from ...check import refuse
from ..words import about_the_best, listed
from .judged import Evidence, Judged

if TYPE_CHECKING:
    from ...certainty.stopping import Results, Stop
    from ..result import Selection

SENSES = ("max", "min")


class Goal:
    """What is looked for: a record that a file keeps as [name, field, ...], with what it makes of evidence."""

    sense: str = "max"  # whether larger or smaller is better
    least: int = 2  # options from which on there is a question
    names: tuple[str, ...] = ()  # the numbers that a result has by name; none: it is one number
    measure: str = "mean"  # what is compared
    chance: str = "P(best)"  # what the chance of an option is about
    singly = False  # every single result is needed: counts and summaries are not enough
    promised = False  # there is a proof for ``sure``
    sided = False  # the question is on which side of a line something is

    @property
    def wanted(self) -> str:
        """What is wanted, in words."""
        return f"the {'lowest' if self.sense == 'min' else 'highest'} {self.measure}"

    @property
    def meaning(self) -> dict[str, str]:
        """What the columns of a page say."""
        return {
            "measure": self.measure.capitalize(),
            "average": "what an option gives on average",
            "chance": self.chance,
            "meaning": "the chance that no other option is better",
            "answer": "the best one",
            "be": "be it",
        }

    @property
    def sign(self) -> float:
        """Results times this are better the larger they are."""
        return -1.0 if self.sense == "min" else 1.0

    @property
    def shown(self) -> Any:
        """As a user writes it."""
        return self

    def saved(self) -> Any:
        """As a file keeps it."""
        return [type(self).__name__, *vars(self).values()]

    def question(self, size: int) -> None:
        """Refuse where there is none among ``size`` options."""

    def facing(self, value: float, others: tuple[float, ...] = ()) -> Any:
        """A result for the rule, larger being better."""
        return self.sign * value

    def judge(self, evidence: Evidence) -> Judged:
        """The answer, and how sure it is."""
        raise NotImplementedError

    def sure(self, stop: Stop, results: Results) -> bool:
        """Whether the promise of ``stop`` can be made about the answer."""
        raise NotImplementedError

    def level(self, found: Selection) -> float | None:
        """Where a picture draws a line: at the best option's estimate."""
        return next((row.estimate for row in found.rows if row.name == found.best), None)

    def headline(self, found: Selection) -> str:
        """What to do, in a few words."""
        return f"Take {listed(found.chosen)}" if found.chosen else "Take none"

    def why(self, found: Selection) -> str:
        """How sure that is, what it may cost, and what is still open: a few sentences."""
        return about_the_best(found)


@dataclass(frozen=True)
class Mean(Goal):
    """The best mean: "max" or "min"."""

    sense: str = "max"
    promised = True

    @property
    def shown(self) -> str:
        return self.sense

    def sure(self, stop: Stop, results: Results) -> bool:
        return stop.satisfied(results)

    def saved(self) -> str:
        return self.sense

    def judge(self, evidence: Evidence) -> Judged:
        sample, pairs = evidence.sample(), None
        if evidence.replicates is not None:
            pairs = pair(sample, evidence.replicates, evidence.items)
        sure = assess(sample, pairs=pairs)
        right = float(sure.chances[sure.best])
        ends, by = (sample.means, sure.lows, sure.highs), None if pairs is None else pairs.sample
        alone = (sure.best,)
        return Judged(alone, sure.chances, right, sure.regret, *ends, sure.verdicts, sure.gap, sure.kind, sample, by)


def check_sense(sense: Any) -> None:
    if not isinstance(sense, str) or sense not in SENSES:
        refuse("sense", sense, '"max" or "min"')
